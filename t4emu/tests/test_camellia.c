/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia built from T4 instructions, checked by RFC 3713, appendix A. */
#include "../../lib/bytes.h"
#include "run.h"

static void published(void)
{
    static const char text[] = "0123456789abcdeffedcba9876543210";
    static const char key_hex[] =
        "0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff";
    static const char *const out_hex[3] = { "67673138549669730857065648eabe43",
                                            "b4993401b3e996f84ee5cee7d79b09b9",
                                            "9acc237dff16d76c20ef7c919e3a7509" };
    uint8_t key[32], bytes[16];
    from_hex(key, key_hex);
    from_hex(bytes, text);
    const uint64_t in[2] = { load_be64(bytes), load_be64(bytes + 8) };
    for (unsigned i = 0; i < 3; i++) {
        struct camellia_key schedule;
        uint64_t out[2], back[2];
        reset();
        camellia_expand(&schedule, key, 16 + 8 * i);
        camellia_block(out, &schedule, in, 0);
        store_be64(bytes, out[0]);
        store_be64(bytes + 8, out[1]);
        expect_bytes(bytes, out_hex[i], "encrypted");
        camellia_block(back, &schedule, out, 1);
        expect(back[0], in[0], "decrypted, first half");
        expect(back[1], in[1], "decrypted, second half");
    }
}

/* The test data of Camellia's authors: a zero key and plaintexts with one bit set. Together with
 * RFC 3713's vectors they use every entry of the S-boxes. */
static void one_bit(void)
{
    static const uint64_t out[16][2] = {
        { 0x07923a39eb0a817d, 0x1c4d87bdb82d1f1c }, { 0x48cd6419809672d2, 0x349260d89a08d3d3 },
        { 0xd07493ccb2e95ce0, 0xb4945a05acc97d82 }, { 0x5dbe1eac9f7080a8, 0x8dbed7f6da101448 },
        { 0xf01ee477d199df27, 0x01027034b229622f }, { 0xc841587abd9a912e, 0x563774cb569d051e },
        { 0x1d9bc0c04546f091, 0x5c8ccd11391a455c }, { 0x05e6ebb4ba167f5c, 0x479ceff3152f943b },
        { 0x93211e0f788845b9, 0xfc0e4551ffe92ac9 }, { 0xb6d35701cd8fadde, 0x383bbe8e6b70baf7 },
        { 0x8358f9f4ebcfee34, 0x8cb30551acb151a0 }, { 0xd57516eb5ad93c52, 0x3e40521bf447afce },
        { 0x66b2534c279c4391, 0x33f52e5ad8b439a9 }, { 0xa71c69184a9f63c2, 0x992a5f18f77c1fe9 },
        { 0x1adcbe49aeacb9ec, 0xebbd492b10e82c7b }, { 0x27e3bcfb227c5561, 0xdb6cf7fc30387036 },
    };
    const uint8_t key[16] = { 0 };
    struct camellia_key schedule;
    reset();
    camellia_expand(&schedule, key, sizeof key);
    for (unsigned i = 0; i < 16; i++) {
        const uint64_t in[2] = { UINT64_C(1) << (63 - i), 0 };
        uint64_t text[2];
        camellia_block(text, &schedule, in, 0);
        expect(text[0], out[i][0], "encrypted, first half");
        expect(text[1], out[i][1], "encrypted, second half");
    }
}

/* FL and FLINV are inverse to each other, and not equal. */
static void inverse(void)
{
    for (unsigned i = 0; i < 64; i++) {
        reset();
        const uint64_t in = D(2);
        run(T4_CAMELLIA_FL, F(4), F(0), F(2), 0);
        run(T4_CAMELLIA_FLI, F(6), F(0), F(4), 0);
        expect(D(6), in, "FLINV of FL");
        run(T4_CAMELLIA_FLI, F(6), F(0), F(2), 0);
        if (D(6) == D(4))
            wrong("FL and FLINV are the same");
    }
    /* computed by hand: x2 ^ (x1 & k1) <<< 1, then x1 ^ (x2 | k2) */
    D(0) = 0x80000001f0000000;
    D(2) = 0xc0000003000000ff;
    run(T4_CAMELLIA_FL, F(4), F(0), F(2), 0);
    expect(D(4), 0x300000ff000000fc, "FL");
}

const struct check camellia_checks[] = {
    { "Camellia: three key sizes, both ways, RFC 3713", published },
    { "Camellia: one bit, the authors' test data", one_bit },
    { "Camellia: FL and FLINV", inverse },
    { 0 },
};

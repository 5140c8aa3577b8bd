/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia out of T4 instructions, against RFC 3713 appendix A. */
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

/* FL and FLINV undo each other, and are not the same. */
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
    /* by hand: x2 ^ (x1 & k1) <<< 1, then x1 ^ (x2 | k2) */
    D(0) = 0x80000001f0000000;
    D(2) = 0xc0000003000000ff;
    run(T4_CAMELLIA_FL, F(4), F(0), F(2), 0);
    expect(D(4), 0x300000ff000000fc, "FL");
}

const struct check camellia_checks[] = {
    { "Camellia: three key sizes, both ways, RFC 3713", published },
    { "Camellia: FL and FLINV", inverse },
    { 0 },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* AES built from T4 instructions, checked by FIPS 197's examples. */
#include "../../lib/bytes.h"
#include "run.h"

enum { MAX_DOUBLES = 30 };

struct schedule {
    uint64_t key[MAX_DOUBLES]; /* two words in each */
    unsigned rounds;
};

/* Expands a key of nk = 2, 3 or 4 doubles. */
static void expand(struct schedule *s, const uint8_t *key, unsigned nk)
{
    s->rounds = 2 * nk + 6;
    for (unsigned i = 0; i < nk; i++)
        s->key[i] = load_be64(key + 8 * i);
    for (unsigned i = nk; i < 2 * (s->rounds + 1); i++) {
        D(34) = s->key[i - nk];
        D(6) = s->key[i - 1];
        if (i % nk == 0)
            run(T4_AES_KEXPAND1, F(62), F(34), F(6), i / nk - 1);
        else
            run(nk == 4 && i % 4 == 2 ? T4_AES_KEXPAND0 : T4_AES_KEXPAND2, F(62), F(34), F(6), 0);
        s->key[i] = D(62);
    }
}

static void round_key(const struct schedule *s, unsigned round)
{
    D(8) = s->key[2 * round];
    D(40) = s->key[2 * round + 1];
}

/* Processes a block; decryption goes backwards through the key schedule. */
static void cipher(uint8_t out[16], const struct schedule *s, const uint8_t in[16], int decrypt)
{
    round_key(s, decrypt ? s->rounds : 0);
    D(0) = load_be64(in) ^ D(8);
    D(2) = load_be64(in + 8) ^ D(40);
    for (unsigned i = 1; i <= s->rounds; i++) {
        const enum t4_op first = decrypt ? T4_AES_DROUND01 : T4_AES_EROUND01;
        const enum t4_op op = i < s->rounds ? first : first + (T4_AES_EROUND01_L - T4_AES_EROUND01);
        round_key(s, decrypt ? s->rounds - i : i);
        run(op, F(44), F(8), F(0), F(2));
        run(op + 1, F(2), F(40), F(0), F(2));
        D(0) = D(44);
    }
    store_be64(out, D(0));
    store_be64(out + 8, D(2));
}

static void check_cipher(const char *key_hex, const char *in_hex, const char *out_hex)
{
    uint8_t key[32], in[16], out[16], back[16];
    struct schedule s;
    reset();
    const size_t key_len = from_hex(key, key_hex);
    from_hex(in, in_hex);
    expand(&s, key, (unsigned)key_len / 8);
    cipher(out, &s, in, 0);
    expect_bytes(out, out_hex, "encrypted");
    cipher(back, &s, out, 1);
    expect_bytes(back, in_hex, "decrypted");
}

/* Appendix A: compares the whole last round key. */
static void expansion(void)
{
    static const struct {
        const char *key;
        uint64_t last[2];
    } cases[] = {
        { "2b7e151628aed2a6abf7158809cf4f3c", { 0xd014f9a8c9ee2589, 0xe13f0cc8b6630ca6 } },
        { "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
          { 0xe98ba06f448c773c, 0x8ecc720401002202 } },
        { "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
          { 0xfe4890d1e6188d0b, 0x046df344706c631e } },
    };
    for (unsigned i = 0; i < 3; i++) {
        uint8_t key[32];
        struct schedule s;
        reset();
        from_hex(key, cases[i].key);
        expand(&s, key, 2 + i);
        expect(s.key[2 * s.rounds], cases[i].last[0], "first half of the last key");
        expect(s.key[2 * s.rounds + 1], cases[i].last[1], "second half of the last key");
    }
}

static void appendix_b(void)
{
    check_cipher("2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734",
                 "3925841d02dc09fbdc118597196a0b32");
}

static void appendix_c(void)
{
    static const char in[] = "00112233445566778899aabbccddeeff";
    check_cipher("000102030405060708090a0b0c0d0e0f", in, "69c4e0d86a7b0430d8cdb78070b4c55a");
    check_cipher("000102030405060708090a0b0c0d0e0f1011121314151617", in,
                 "dda97ca4864cdfe06eaf70a0ec0d7191");
    check_cipher("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", in,
                 "8ea2b7ca516745bfeafc49904b496089");
}

/* The T4 has ten round constants only. */
static void constants(void)
{
    for (unsigned i = 0; i < 10; i++) {
        static const uint8_t rcon[10] = { 1, 2, 4, 8, 16, 32, 64, 128, 0x1b, 0x36 };
        reset();
        D(0) = 0;
        D(2) = 0;
        run(T4_AES_KEXPAND1, F(4), F(0), F(2), i);
        expect(D(4), 0x0000000100000001u * (0x63636363u ^ (uint64_t)rcon[i] << 24), "constant");
    }
    reset();
    if (try_run(T4_AES_KEXPAND1, F(4), F(0), F(2), 10) != T4_UNDEFINED)
        wrong("an eleventh constant");
}

const struct check aes_checks[] = {
    { "AES: key expansion, FIPS 197 appendix A", expansion },
    { "AES: round constants", constants },
    { "AES: 128-bit cipher, FIPS 197 appendix B", appendix_b },
    { "AES: three key sizes, both ways, FIPS 197 appendix C", appendix_c },
    { 0 },
};

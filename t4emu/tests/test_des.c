/* SPDX-License-Identifier: Apache-2.0 */
/* DES and triple DES built from T4 instructions, checked by SP 800-17's substitution table
 * (appendix B, table 4), which uses every entry of the S-boxes, and by SP 800-67's example
 * (appendix B). */
#include "run.h"

static void check_block(uint64_t key, uint64_t in, uint64_t out)
{
    struct des_key schedule;
    reset();
    des_expand(&schedule, key);
    expect(des_block(&schedule, in, 0), out, "encrypted");
    expect(des_block(&schedule, out, 1), in, "decrypted");
}

static void substitution(void)
{
    static const uint64_t cases[19][3] = {
        { 0x7ca110454a1a6e57, 0x01a1d6d039776742, 0x690f5b0d9a26939b },
        { 0x0131d9619dc1376e, 0x5cd54ca83def57da, 0x7a389d10354bd271 },
        { 0x07a1133e4a0b2686, 0x0248d43806f67172, 0x868ebb51cab4599a },
        { 0x3849674c2602319e, 0x51454b582ddf440a, 0x7178876e01f19b2a },
        { 0x04b915ba43feb5b6, 0x42fd443059577fa2, 0xaf37fb421f8c4095 },
        { 0x0113b970fd34f2ce, 0x059b5e0851cf143a, 0x86a560f10ec6d85b },
        { 0x0170f175468fb5e6, 0x0756d8e0774761d2, 0x0cd3da020021dc09 },
        { 0x43297fad38e373fe, 0x762514b829bf486a, 0xea676b2cb7db2b7a },
        { 0x07a7137045da2a16, 0x3bdd119049372802, 0xdfd64a815caf1a0f },
        { 0x04689104c2fd3b2f, 0x26955f6835af609a, 0x5c513c9c4886c088 },
        { 0x37d06bb516cb7546, 0x164d5e404f275232, 0x0a2aeeae3ff4ab77 },
        { 0x1f08260d1ac2465e, 0x6b056e18759f5cca, 0xef1bf03e5dfa575a },
        { 0x584023641aba6176, 0x004bd6ef09176062, 0x88bf0db6d70dee56 },
        { 0x025816164629b007, 0x480d39006ee762f2, 0xa1f9915541020b56 },
        { 0x49793ebc79b3258f, 0x437540c8698f3cfa, 0x6fbf1cafcffd0556 },
        { 0x4fb05e1515ab73a7, 0x072d43a077075292, 0x2f22e49bab7ca1ac },
        { 0x49e95d6d4ca229bf, 0x02fe55778117f12a, 0x5a6b612cc26cce4a },
        { 0x018310dc409b26d6, 0x1d9d5c5018f728c2, 0x5f4c038ed12b2e41 },
        { 0x1c587f1c13924fef, 0x305532286d6f295a, 0x63fac0d034d9f793 },
    };
    for (unsigned i = 0; i < 19; i++)
        check_block(cases[i][0], cases[i][1], cases[i][2]);
}

/* Parity bits of a key are ignored, and complementing key and plaintext complements the
 * ciphertext. */
static void properties(void)
{
    struct des_key schedule, other;
    reset();
    des_expand(&schedule, 0x0123456789abcdef);
    des_expand(&other, 0x0123456789abcdef ^ 0x0101010101010101);
    for (unsigned i = 0; i < DES_ROUNDS; i++)
        expect(other.key[i], schedule.key[i], "round key with another parity");
    des_expand(&other, ~(uint64_t)0x0123456789abcdef);
    expect(des_block(&other, ~(uint64_t)0x4e6f772069732074, 0), ~(uint64_t)0x3fa40e8a984d4815,
           "complement");
}

/* Different sequences of rotations between rounds have the same result. */
static void rotations(void)
{
    reset();
    D(0) = 0x0123456789abcdef;
    run(T4_DES_KEXPAND, F(2), F(0), 0, 0);
    run(T4_DES_KEXPAND, F(4), F(2), 1, 0);
    run(T4_DES_KEXPAND, F(6), F(4), 1, 0);
    run(T4_DES_KEXPAND, F(8), F(2), 2, 0);
    expect(D(6), D(8), "1 + 1 and 2");
    run(T4_DES_KEXPAND, F(6), F(8), 2, 0);
    run(T4_DES_KEXPAND, F(8), F(2), 3, 0);
    expect(D(6), D(8), "2 + 2 and 4");
}

static void triple(void)
{
    static const uint64_t keys[3] = { 0x0123456789abcdef, 0x23456789abcdef01, 0x456789abcdef0123 };
    static const uint64_t cases[3][2] = {
        { 0x5468652071756663, 0xa826fd8ce53b855f },
        { 0x6b2062726f776e20, 0xcce21c8112256fe6 },
        { 0x666f78206a756d70, 0x68d5c05dd9b6b900 },
    };
    struct des_key schedule[3];
    reset();
    for (unsigned i = 0; i < 3; i++)
        des_expand(&schedule[i], keys[i]);
    for (unsigned i = 0; i < 3; i++) {
        expect(des3_block(schedule, cases[i][0], 0), cases[i][1], "encrypted");
        expect(des3_block(schedule, cases[i][1], 1), cases[i][0], "decrypted");
    }
}

/* Words that --strict refuses: key registers are opaque, so that only results of des_kexpand may be
 * used as keys; and immediates that des_kexpand does not have. */
static void strictness(void)
{
    reset();
    D(2) = UINT64_C(1) << 56;
    D(4) = 0;
    if (try_run(T4_DES_ROUND, F(0), F(2), F(4), F(6)) != T4_UNDEFINED ||
        try_run(T4_DES_ROUND, F(0), F(4), F(2), F(6)) != T4_UNDEFINED ||
        try_run(T4_DES_KEXPAND, F(0), F(2), 1, 0) != T4_UNDEFINED)
        wrong("a number as a round key");
    if (try_run(T4_DES_KEXPAND, F(0), F(4), 4, 0) != T4_UNDEFINED)
        wrong("an immediate of 4");
}

const struct check des_checks[] = {
    { "DES: substitution table, SP 800-17", substitution },
    { "DES: parity and complement", properties },
    { "DES: rotations of a round key", rotations },
    { "DES: triple, SP 800-67", triple },
    { "DES: a key register that des_kexpand did not make", strictness },
    { 0 },
};

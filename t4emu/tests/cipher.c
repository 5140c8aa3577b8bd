/* SPDX-License-Identifier: Apache-2.0 */
/* DES and Camellia built from T4 instructions. */
#include "../../lib/bytes.h"
#include "run.h"

/* ---- DES: FIPS 46-3 ---- */

/* The rotations of the key schedule are 1 1 2 2 2 2 2 2 1 2 2 2 2 2 2 1. Immediate 1 rotates by
 * 1, 2 by 2, and 3 by 4, which skips a round: so the keys are made out of order. */
void des_expand(struct des_key *schedule, uint64_t key)
{
    static const struct {
        uint8_t round, from, how;
    } steps[DES_ROUNDS - 1] = {
        { 1, 0, 1 },  { 2, 1, 2 },   { 3, 1, 3 },   { 4, 2, 3 },   { 5, 3, 3 },
        { 6, 4, 3 },  { 7, 5, 3 },   { 8, 7, 1 },   { 9, 8, 2 },   { 10, 8, 3 },
        { 11, 9, 3 }, { 12, 10, 3 }, { 13, 11, 3 }, { 14, 13, 2 }, { 15, 14, 1 },
    };
    D(0) = key;
    run(T4_DES_KEXPAND, F(2), F(0), 0, 0);
    schedule->key[0] = D(2);
    for (unsigned i = 0; i < DES_ROUNDS - 1; i++) {
        D(40) = schedule->key[steps[i].from];
        run(T4_DES_KEXPAND, F(42), F(40), steps[i].how, 0);
        schedule->key[steps[i].round] = D(42);
    }
}

uint64_t des_block(const struct des_key *schedule, uint64_t block, int decrypt)
{
    D(32) = block;
    run(T4_DES_IP, F(62), F(32), 0, 0);
    for (unsigned i = 0; i < DES_ROUNDS; i += 2) {
        D(2) = schedule->key[decrypt ? DES_ROUNDS - 1 - i : i];
        D(34) = schedule->key[decrypt ? DES_ROUNDS - 2 - i : i + 1];
        run(T4_DES_ROUND, F(62), F(2), F(34), F(62));
    }
    run(T4_DES_IIP, F(4), F(62), 0, 0);
    return D(4);
}

uint64_t des3_block(const struct des_key schedule[3], uint64_t block, int decrypt)
{
    for (unsigned i = 0; i < 3; i++)
        block = des_block(&schedule[decrypt ? 2 - i : i], block, decrypt ^ (i == 1));
    return block;
}

/* ---- Camellia: RFC 3713 ---- */

/* x ^ F(y, key) */
static uint64_t f_xor(uint64_t x, uint64_t y, uint64_t key)
{
    D(10) = key;
    D(44) = x;
    D(46) = y;
    run(T4_CAMELLIA_F, F(50), F(10), F(44), F(46));
    return D(50);
}

static uint64_t fl(enum t4_op op, uint64_t x, uint64_t key)
{
    D(48) = key;
    D(12) = x;
    run(op, F(52), F(48), F(12), 0);
    return D(52);
}

/* One half of a 128-bit value rotated left by n; half 0 is the upper one. */
static uint64_t rotated(const uint64_t k[2], unsigned n, unsigned half)
{
    const uint64_t high = k[(half + n / 64) & 1], low = k[(half + n / 64 + 1) & 1];
    return n % 64 ? high << n % 64 | low >> (64 - n % 64) : high;
}

enum { KL, KR, KA, KB };

/* Subkeys by section 2.2: the value, its rotation, and the half that is taken. */
struct subkey {
    uint8_t value, rotation, half;
};
static const struct subkey kw128[4] = {
    { KL, 0, 0 }, { KL, 0, 1 }, { KA, 111, 0 }, { KA, 111, 1 }
};
static const struct subkey k128[18] = {
    { KA, 0, 0 },  { KA, 0, 1 },  { KL, 15, 0 }, { KL, 15, 1 }, { KA, 15, 0 },  { KA, 15, 1 },
    { KL, 45, 0 }, { KL, 45, 1 }, { KA, 45, 0 }, { KL, 60, 1 }, { KA, 60, 0 },  { KA, 60, 1 },
    { KL, 94, 0 }, { KL, 94, 1 }, { KA, 94, 0 }, { KA, 94, 1 }, { KL, 111, 0 }, { KL, 111, 1 },
};
static const struct subkey ke128[4] = {
    { KA, 30, 0 }, { KA, 30, 1 }, { KL, 77, 0 }, { KL, 77, 1 }
};
static const struct subkey kw256[4] = {
    { KL, 0, 0 }, { KL, 0, 1 }, { KB, 111, 0 }, { KB, 111, 1 }
};
static const struct subkey k256[24] = {
    { KB, 0, 0 },  { KB, 0, 1 },  { KR, 15, 0 }, { KR, 15, 1 }, { KA, 15, 0 },  { KA, 15, 1 },
    { KB, 30, 0 }, { KB, 30, 1 }, { KL, 45, 0 }, { KL, 45, 1 }, { KA, 45, 0 },  { KA, 45, 1 },
    { KR, 60, 0 }, { KR, 60, 1 }, { KB, 60, 0 }, { KB, 60, 1 }, { KL, 77, 0 },  { KL, 77, 1 },
    { KR, 94, 0 }, { KR, 94, 1 }, { KA, 94, 0 }, { KA, 94, 1 }, { KL, 111, 0 }, { KL, 111, 1 },
};
static const struct subkey ke256[6] = { { KR, 30, 0 }, { KR, 30, 1 }, { KL, 60, 0 },
                                        { KL, 60, 1 }, { KA, 77, 0 }, { KA, 77, 1 } };

static void pick(uint64_t *out, const uint64_t values[4][2], const struct subkey *subkeys,
                 unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        out[i] = rotated(values[subkeys[i].value], subkeys[i].rotation, subkeys[i].half);
}

void camellia_expand(struct camellia_key *schedule, const uint8_t *key, size_t key_len)
{
    static const uint64_t sigma[6] = {
        0xa09e667f3bcc908b, 0xb67ae8584caa73b2, 0xc6ef372fe94f82be,
        0x54ff53a5f1d36f1c, 0x10e527fade682d1d, 0xb05688c2b3e6c1fd,
    };
    uint64_t v[4][2] = { { load_be64(key), load_be64(key + 8) } };
    if (key_len > 16) {
        v[KR][0] = load_be64(key + 16);
        v[KR][1] = key_len > 24 ? load_be64(key + 24) : ~v[KR][0];
    }
    uint64_t d1 = v[KL][0] ^ v[KR][0], d2 = v[KL][1] ^ v[KR][1];
    for (unsigned i = 0; i < 6; i += 2) {
        d2 = f_xor(d2, d1, sigma[i]);
        d1 = f_xor(d1, d2, sigma[i + 1]);
        if (i == 0) {
            d1 ^= v[KL][0];
            d2 ^= v[KL][1];
        }
        if (i == 2) {
            v[KA][0] = d1;
            v[KA][1] = d2;
            d1 ^= v[KR][0];
            d2 ^= v[KR][1];
        }
    }
    v[KB][0] = d1;
    v[KB][1] = d2;
    schedule->rounds = key_len > 16 ? 24 : 18;
    pick(schedule->kw, v, key_len > 16 ? kw256 : kw128, 4);
    pick(schedule->k, v, key_len > 16 ? k256 : k128, schedule->rounds);
    pick(schedule->ke, v, key_len > 16 ? ke256 : ke128, key_len > 16 ? 6 : 4);
}

/* One block by section 2.3; decryption uses the subkeys in reverse order. */
void camellia_block(uint64_t out[2], const struct camellia_key *schedule, const uint64_t in[2],
                    int decrypt)
{
    const unsigned rounds = schedule->rounds, num_ke = rounds / 3 - 2;
    uint64_t d1 = in[0] ^ schedule->kw[decrypt ? 2 : 0], d2 = in[1] ^ schedule->kw[decrypt ? 3 : 1];
    for (unsigned i = 0; i < rounds; i += 2) {
        if (i > 0 && i % 6 == 0) {
            const unsigned j = i / 3 - 2;
            d1 = fl(T4_CAMELLIA_FL, d1, schedule->ke[decrypt ? num_ke - 1 - j : j]);
            d2 = fl(T4_CAMELLIA_FLI, d2, schedule->ke[decrypt ? num_ke - 2 - j : j + 1]);
        }
        d2 = f_xor(d2, d1, schedule->k[decrypt ? rounds - 1 - i : i]);
        d1 = f_xor(d1, d2, schedule->k[decrypt ? rounds - 2 - i : i + 1]);
    }
    out[0] = d2 ^ schedule->kw[decrypt ? 0 : 2];
    out[1] = d1 ^ schedule->kw[decrypt ? 1 : 3];
}

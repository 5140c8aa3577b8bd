/* SPDX-License-Identifier: Apache-2.0 */
/* GCM in portable C: the bit-sliced cipher, and GHASH without tables.  Prototypes: aead.h. */
#include "../aead.h"
#include "aes.h"
#include "aes_bitslice.h"

typedef unsigned __int128 u128;

/* Carry-less multiplication by integer multiplications.  A number is split into four classes, each
 * of every fourth bit, so that a carry from one bit runs into the three places above it, which are
 * masked off afterwards.  Up to 15 ones may be added in one place: a factor made of H has 15 bits
 * in each class, and its top four bits are multiplied separately.  In the product of these four
 * bits and a class, no two ones meet in a place. */
#define CLASS UINT64_C(0x1111111111111111)

struct factor {
    uint64_t class[4], top;
};

static inline struct factor factor_of(uint64_t h)
{
    struct factor f = { .top = h >> 60 };
    for (unsigned i = 0; i < 4; i++)
        f.class[i] = h & CLASS << i & ~UINT64_C(0) >> 4;
    return f;
}

/* A power of H: factors of its upper half (as the standard writes it), of its lower half, and of
 * the sum of both. */
struct __attribute__((may_alias)) power {
    struct factor half[3];
};

/* key->powers holds H and H^2.  The products of two blocks are added before bits are masked off. */
enum { MOST = 2 };
static_assert(MOST * sizeof(struct power) <= sizeof((struct aead_key *)0)->powers, "its room");

#define INLINE static inline __attribute__((always_inline))

/* Returns x[0] H^num + ..., for one half of each; num is a constant. */
INLINE u128 multiply(const uint64_t x[MOST], size_t num, const struct power *powers, unsigned half)
{
    u128 product = 0, top = 0;
#pragma GCC unroll 4
    for (unsigned place = 0; place < 4; place++) {
        u128 sum = 0;
#pragma GCC unroll 2
        for (size_t k = 0; k < num; k++)
#pragma GCC unroll 4
            for (unsigned i = 0; i < 4; i++)
                sum ^= (u128)(x[k] & CLASS << i) *
                       powers[num - 1 - k].half[half].class[(place + 4 - i) % 4];
        product |= sum & ((u128)CLASS << 64 | CLASS) << place;
    }
#pragma GCC unroll 2
    for (size_t k = 0; k < num; k++)
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            top ^= (u128)(x[k] & CLASS << i) * powers[num - 1 - k].half[half].top;
    return product ^ top << 60;
}

/* Makes a reduced product in GCM's field from its three partial products.  GCM's bits are in
 * reverse order, so the product of two numbers stands one bit lower than it should, and x^128 and
 * higher powers are in the lower half, from where they are reduced by x^128 = x^7 + x^2 + x + 1. */
INLINE void reduce(uint64_t y[2], u128 high, u128 low, u128 of_sums)
{
    const u128 middle = of_sums ^ high ^ low;
    u128 a = high ^ middle >> 64, b = low ^ middle << 64;
    a = a << 1 | b >> 127;
    b <<= 1;
    b ^= b << 127 ^ b << 126 ^ b << 121;
    a ^= b ^ b >> 1 ^ b >> 2 ^ b >> 7;
    y[0] = (uint64_t)(a >> 64);
    y[1] = (uint64_t)a;
}

/* Computes y = (y + c_1) H^num + ... */
INLINE void absorb(uint64_t y[2], const uint8_t *in, size_t num, const struct power *powers)
{
    uint64_t high[MOST], low[MOST], sums[MOST];
    for (size_t k = 0; k < num; k++) {
        high[k] = load_be64(in + 16 * k) ^ (k ? 0 : y[0]);
        low[k] = load_be64(in + 16 * k + 8) ^ (k ? 0 : y[1]);
        sums[k] = high[k] ^ low[k];
    }
    reduce(y, multiply(high, num, powers, 0), multiply(low, num, powers, 1),
           multiply(sums, num, powers, 2));
}

static struct power power_of(const uint64_t h[2])
{
    return (struct power){ { factor_of(h[0]), factor_of(h[1]), factor_of(h[0] ^ h[1]) } };
}

void gcm_powers_c(struct aead_key *key, const uint8_t h[16])
{
    struct power *const powers = (struct power *)key->powers;
    uint64_t square[2] = { 0 };
    powers[0] = power_of((const uint64_t[]){ load_be64(h), load_be64(h + 8) });
    absorb(square, h, 1, powers);
    powers[1] = power_of(square);
    WIPE(&square);
}

void gcm_setup_c(struct aead_key *key)
{
    uint8_t h[16] = { 0 };
    aes_ecb_encrypt_c(h, h, 1, &key->aes, NULL, NULL);
    gcm_powers_c(key, h);
    WIPE(&h);
}

void gcm_hash_c(uint8_t y[16], const uint8_t *in, size_t num_blocks, const struct aead_key *key)
{
    const struct power *const powers = (const struct power *)key->powers;
    uint64_t x[2] = { load_be64(y), load_be64(y + 8) };
    for (; num_blocks >= MOST; num_blocks -= MOST, in += 16 * MOST)
        absorb(x, in, MOST, powers);
    if (num_blocks)
        absorb(x, in, 1, powers);
    store_be64(y, x[0]);
    store_be64(y + 8, x[1]);
}

/* CTR with a counter of 32 bits.  If the IV does not have 12 bytes, the counter is a hash of it and
 * as secret as H, so no branch tests whether it wraps. */
static void ctr32(uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aead_key *key,
                  uint8_t ctr[16])
{
    struct aes_sliced sliced;
    uint8_t x[SLICED_LEN];
    uint32_t count = load_be32(ctr + 12);
    aes_slice_encrypt_keys(&sliced, &key->aes);
    while (num_blocks) {
        const size_t num = num_blocks < SLICED_BLOCKS ? num_blocks : SLICED_BLOCKS;
        for (uint32_t i = 0; i < SLICED_BLOCKS; i++) {
            memcpy(x + 16 * i, ctr, 12);
            store_be32(x + 16 * i + 12, count + i);
        }
        aes_sliced_encrypt(x, &sliced);
        for (size_t i = 0; i < 16 * num; i++)
            out[i] = in[i] ^ x[i];
        count += (uint32_t)num;
        num_blocks -= num, in += 16 * num, out += 16 * num;
    }
    store_be32(ctr + 12, count);
    WIPE(&x);
    WIPE(&sliced);
}

void gcm_encrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aead_key *key,
                   uint8_t ctr[16], uint8_t y[16])
{
    ctr32(out, in, num_blocks, key, ctr);
    gcm_hash_c(y, out, num_blocks, key);
}

void gcm_decrypt_c(uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aead_key *key,
                   uint8_t ctr[16], uint8_t y[16])
{
    gcm_hash_c(y, in, num_blocks, key);
    ctr32(out, in, num_blocks, key, ctr);
}

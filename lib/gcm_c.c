/* SPDX-License-Identifier: Apache-2.0 */
/* GCM in portable C: the bitsliced cipher, and GHASH without tables.  Kernels: see aead.h. */
#include "aead.h"
#include "aes.h"
#include "aes_bitslice.h"

typedef unsigned __int128 u128;

/* The product of polynomials over GF(2), by products of integers: a number is taken apart into
 * classes of every fourth bit, so that ones that meet in a place carry into the three next ones,
 * which are dropped.  No more than 15 may meet: a factor of H has 15 bits in a class, and its top
 * four stand by themselves.  Times those, a class's bits do not meet at all. */
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

/* A power of H: its upper half, as the standard writes it, the lower one, and their sum. */
struct __attribute__((may_alias)) power {
    struct factor half[3];
};

/* What key->powers is: H and H^2.  Two blocks' products, before bits are dropped, make one sum. */
enum { MOST = 2 };
static_assert(MOST * sizeof(struct power) <= sizeof((struct aead_key *)0)->powers, "its room");

#define INLINE static inline __attribute__((always_inline))

/* x[0] H^num + ... of one half each; num is a constant. */
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

/* A product in GCM's field of its three parts.  Its bits are in reverse: the product of two numbers
 * so written stands one bit lower than it should, and x^128 and higher powers are in the lower
 * half, where they are folded: x^128 = x^7 + x^2 + x + 1. */
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

/* y = (y + c_1) H^num + ... */
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

/* The counter is of 32 bits.  It is as secret as H where it was hashed from an IV of another length
 * than 12 bytes: no branch looks whether it wraps. */
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

/* SPDX-License-Identifier: Apache-2.0 */
/* GCM in portable C: the bitsliced cipher, and GHASH without tables.  Kernels: see aead.h. */
#include "aead.h"
#include "aes.h"

typedef unsigned __int128 u128;

/* The product of polynomials over GF(2), by products of integers: with four bits of five masked,
 * at most 13 ones meet in a place, and no carry reaches the next bit that counts. */
static u128 multiply(uint64_t a, uint64_t b)
{
    static const uint64_t every_fifth = UINT64_C(0x1084210842108421);
    const u128 all = (u128)every_fifth << 65 | every_fifth;
    u128 product = 0;
    for (unsigned place = 0; place < 5; place++) {
        u128 sum = 0;
        for (unsigned i = 0; i < 5; i++) {
            const unsigned j = (place + 5 - i) % 5;
            sum ^= (u128)(a & every_fifth << i) * (b & every_fifth << j);
        }
        product |= sum & all << place;
    }
    return product;
}

/* y * h in GCM's field.  Its bits are in reverse: the product of two numbers so written stands one
 * bit lower than it should, and x^128 and higher powers are in the lower half, where they are
 * folded: x^128 = x^7 + x^2 + x + 1. */
static void multiply_by_h(uint64_t y[2], const uint64_t h[2])
{
    const u128 high = multiply(y[0], h[0]), low = multiply(y[1], h[1]);
    const u128 middle = multiply(y[0] ^ y[1], h[0] ^ h[1]) ^ high ^ low;
    u128 a = high ^ middle >> 64, b = low ^ middle << 64;
    a = a << 1 | b >> 127;
    b <<= 1;
    b ^= b << 127 ^ b << 126 ^ b << 121;
    a ^= b ^ b >> 1 ^ b >> 2 ^ b >> 7;
    y[0] = (uint64_t)(a >> 64);
    y[1] = (uint64_t)a;
}

void gcm_setup_c(struct aead_key *key)
{
    memset(key->powers, 0, 16);
    aes_ecb_encrypt_c(key->powers[0], key->powers[0], 1, &key->aes, NULL, NULL);
}

void gcm_hash_c(uint8_t y[16], const uint8_t *in, size_t num_blocks, const struct aead_key *key)
{
    uint64_t x[2] = { load_be64(y), load_be64(y + 8) };
    uint64_t h[2] = { load_be64(key->powers[0]), load_be64(key->powers[0] + 8) };
    for (; num_blocks; num_blocks--, in += 16) {
        x[0] ^= load_be64(in);
        x[1] ^= load_be64(in + 8);
        multiply_by_h(x, h);
    }
    store_be64(y, x[0]);
    store_be64(y + 8, x[1]);
    WIPE(&h);
}

/* The counter is of 32 bits: aes_ctr_c would carry into what stands before them. */
static void ctr32(uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aead_key *key,
                  uint8_t ctr[16])
{
    while (num_blocks) {
        const uint32_t count = load_be32(ctr + 12);
        const uint64_t before_wrap = (UINT64_C(1) << 32) - count;
        const size_t num = num_blocks < before_wrap ? num_blocks : (size_t)before_wrap;
        aes_ctr_c(out, in, num, &key->aes, ctr, NULL);
        store_be32(ctr + 12, count + (uint32_t)num);
        num_blocks -= num, in += 16 * num, out += 16 * num;
    }
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

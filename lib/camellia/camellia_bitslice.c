/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia, RFC 3713, bit-sliced: constant time on every CPU.
 *
 * Plane j of a half holds bit j of the half's bytes in eight blocks: byte t of block b (the RFC's
 * first byte is t = 0) lies at bit 8 t + b.  So a permutation of bytes moves the bytes of a plane.
 * The S-boxes differ by a rotation of their output (s2, s3) or input (s4), which exchanges planes
 * under a mask of bytes. */
#include "camellia_bitslice.h"
#include "../aes/aes_sbox.h"
#include "../transpose_bits.h"
#include "camellia_sbox.h"

/* Masks of the bytes that s2, s3 and s4 work on. */
#define BYTE(t) (UINT64_C(0xff) << 8 * (t))
#define S2 (BYTE(1) | BYTE(4))
#define S3 (BYTE(2) | BYTE(5))
#define S4 (BYTE(3) | BYTE(6))

/* Returns plane j of a subkey, which is the same for all blocks. */
static inline uint64_t key_plane(uint64_t k, unsigned j)
{
    return (bswap64(k) >> j & 0x0101010101010101) * 0xff;
}

/* ---- F ---- */

/* Rotates the bytes under the mask left by `by` bits. */
static inline void rotate_some(uint64_t q[8], uint64_t mask, unsigned by)
{
    uint64_t x[8];
    for (unsigned j = 0; j < 8; j++)
        x[j] = q[j];
    for (unsigned j = 0; j < 8; j++)
        q[j] = x[j] ^ ((x[j] ^ x[(j + 8 - by) % 8]) & mask);
}

static inline void add_byte(uint64_t q[8], uint8_t byte)
{
    for (unsigned j = 0; j < 8; j++)
        q[j] ^= 0 - (uint64_t)(byte >> j & 1);
}

static inline void s_layer(uint64_t q[8])
{
    rotate_some(q, S4, 1);
    add_byte(q, CAMELLIA_INPUT);
    camellia_to_tower(q);
    inverse256(q);
    camellia_from_tower(q);
    add_byte(q, CAMELLIA_OUTPUT);
    rotate_some(q, S2, 1);
    rotate_some(q, S3, 7);
}

/* The permutation P of section 2.4.1, in four steps of four XORs (Aoki et al., SAC 2000, on
 * efficient software). */
static inline uint64_t p_layer(uint64_t z)
{
    uint32_t left = (uint32_t)z, right = (uint32_t)(z >> 32);
    left ^= rotr32(right, 8);
    right ^= rotr32(left, 16);
    left ^= rotr32(right, 24);
    right ^= rotr32(left, 24);
    return (uint64_t)left << 32 | right;
}

/* Computes other ^= F(half, k), RFC 3713 section 2.4.1. */
static inline void f_round(uint64_t other[8], const uint64_t half[8], uint64_t k)
{
    uint64_t q[8];
    for (unsigned j = 0; j < 8; j++)
        q[j] = half[j] ^ key_plane(k, j);
    s_layer(q);
    for (unsigned j = 0; j < 8; j++)
        other[j] ^= p_layer(q[j]);
}

/* ---- FL and its inverse, section 2.4.2 ---- */

/* XORs the right word with the left word & key, rotated left by a bit: bit 7 of a byte becomes bit
 * 0 of the byte before it. */
static inline void fl_right(uint64_t x[8], uint64_t k)
{
    uint64_t turned[8];
    for (unsigned j = 0; j < 8; j++)
        turned[(j + 1) % 8] = x[j] & key_plane(k, j) & 0xffffffff;
    turned[0] = rotr32((uint32_t)turned[0], 8);
    turned[0] = (uint32_t)turned[0];
    for (unsigned j = 0; j < 8; j++)
        x[j] ^= turned[j] << 32;
}

static inline void fl_left(uint64_t x[8], uint64_t k)
{
    for (unsigned j = 0; j < 8; j++)
        x[j] ^= (x[j] | key_plane(k, j)) >> 32;
}

/* ---- blocks ---- */

static inline void add_key(uint64_t q[8], uint64_t k)
{
    for (unsigned j = 0; j < 8; j++)
        q[j] ^= key_plane(k, j);
}

static void load_half(uint64_t q[8], const uint8_t *at)
{
    for (unsigned b = 0; b < CAMELLIA_BLOCKS; b++)
        q[b] = load_le64(at + 16 * b);
    transpose_bits(q);
}

static void store_half(uint8_t *at, uint64_t q[8])
{
    transpose_bits(q);
    for (unsigned b = 0; b < CAMELLIA_BLOCKS; b++)
        store_le64(at + 16 * b, q[b]);
}

void camellia_sliced(uint8_t blocks[CAMELLIA_LEN], const struct camellia_key *key, enum hr_op op)
{
    const unsigned num = camellia_num_keys(key->rounds);
    uint64_t left[8], right[8];
    unsigned i = 0;
#define NEXT key->k[camellia_place(i++, num, op)]
    load_half(left, blocks);
    load_half(right, blocks + 8);
    add_key(left, NEXT);
    add_key(right, NEXT);
    for (unsigned r = 0; r < key->rounds; r += 2) {
        if (r && r % 6 == 0) {
            const uint64_t fl = NEXT, inverse = NEXT;
            fl_right(left, fl);
            fl_left(left, fl);
            fl_left(right, inverse);
            fl_right(right, inverse);
        }
        f_round(right, left, NEXT);
        f_round(left, right, NEXT);
    }
    add_key(right, NEXT);
    add_key(left, NEXT);
#undef NEXT
    store_half(blocks, right);
    store_half(blocks + 8, left);
    WIPE(&left);
    WIPE(&right);
}

uint64_t camellia_f(uint64_t x, uint64_t k)
{
    uint64_t half[8] = { bswap64(x) }, image[8] = { 0 };
    transpose_bits(half);
    f_round(image, half, k);
    transpose_bits(image);
    x = bswap64(image[0]);
    WIPE(&half);
    WIPE(&image);
    return x;
}

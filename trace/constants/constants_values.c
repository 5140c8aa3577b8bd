/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of block ciphers and of GHASH, most of them computed from their definitions.
 * AES: FIPS 197, 4.2, 5.1.1, 5.3.2; T-tables: Daemen and Rijmen, AES Proposal: Rijndael, 5.2.1.
 */
#include "constants_private.h"
#include <string.h>

/* ---- GF(2^8) ---- */

static uint8_t multiply(uint8_t a, uint8_t b, unsigned poly)
{
    unsigned sum = 0, x = a;
    for (; b; b >>= 1) {
        if (b & 1)
            sum ^= x;
        x <<= 1;
        if (x & 0x100)
            x ^= poly;
    }
    return (uint8_t)sum;
}

/* The inverse of a, as a^254. */
static uint8_t invert(uint8_t a, unsigned poly)
{
    uint8_t power = a, product = 1;
    for (unsigned i = 0; i < 7; i++) {
        power = multiply(power, power, poly);
        product = multiply(product, power, poly);
    }
    return product;
}

static uint8_t rotate8(uint8_t x, unsigned n)
{
    return (uint8_t)(x << (n & 7) | x >> (-n & 7));
}

static uint32_t rotate32(uint32_t x, unsigned n)
{
    return x << (n & 31) | x >> (-n & 31);
}

/* ---- AES ---- */

enum { AES_POLY = 0x11b, SM4_POLY = 0x1f5 };

static uint8_t aes_sbox(uint8_t x)
{
    const uint8_t b = invert(x, AES_POLY);
    return b ^ rotate8(b, 1) ^ rotate8(b, 2) ^ rotate8(b, 3) ^ rotate8(b, 4) ^ 0x63;
}

/* The inverse S-box: undoes the affine map by its inverse, where 05 undoes 63, then inverts. */
static uint8_t aes_inverse(uint8_t x)
{
    return invert(rotate8(x, 1) ^ rotate8(x, 3) ^ rotate8(x, 6) ^ 0x05, AES_POLY);
}

void aes_sbox_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 256; i++)
        out[i] = aes_sbox((uint8_t)i);
}

void aes_inverse_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 256; i++)
        out[i] = aes_inverse((uint8_t)i);
}

static uint32_t column(uint8_t x, const uint8_t by[4])
{
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; i++)
        word = word << 8 | multiply(x, by[i], AES_POLY);
    return word;
}

static const uint8_t mix[4] = { 2, 1, 1, 3 }, unmix[4] = { 14, 9, 13, 11 };

void aes_te_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 256; i++)
        out[i] = rotate32(column(aes_sbox((uint8_t)i), mix), 8 * variant);
}

void aes_td_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 256; i++)
        out[i] = rotate32(column(aes_inverse((uint8_t)i), unmix), 8 * variant);
}

/* T-tables of InvMixColumns alone, for key schedules. */
void aes_mix_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 256; i++)
        out[i] = rotate32(column((uint8_t)i, unmix), 8 * variant);
}

/* Four rotations of a table interleaved entry by entry, rotated to the right or to the left. */
static void interleave(uint64_t *out, values_fn *fill, unsigned variant)
{
    uint64_t one[256];
    for (unsigned r = 0; r < 4; r++) {
        fill(one, variant ? 4 - r : r);
        for (unsigned i = 0; i < 256; i++)
            out[4 * i + r] = one[i];
    }
}

void aes_te4_values(uint64_t *out, unsigned variant)
{
    interleave(out, aes_te_values, variant);
}

void aes_td4_values(uint64_t *out, unsigned variant)
{
    interleave(out, aes_td_values, variant);
}

/* vpaes: tables of inversion in GF(2^4), and of inversion with a factor (Hamburg, Accelerating
 * AES with Vector Permute Instructions, CHES 2009, section 3; 80 stands for infinity). */
void aes_vpaes_values(uint64_t *out, unsigned variant)
{
    static const uint8_t inv[2][16] = {
        { 0x80, 1, 8, 13, 15, 6, 5, 14, 2, 12, 11, 10, 9, 3, 7, 4 },
        { 0x80, 7, 11, 15, 6, 10, 4, 1, 9, 8, 5, 2, 12, 14, 13, 3 },
    };
    for (unsigned i = 0; i < 16; i++)
        out[i] = inv[variant][i];
}

/* vpaes: rotations of columns to the left and to the right, each in four turns of the state, and
 * the powers of ShiftRows, in one block. */
void aes_vpaes_orders_values(uint64_t *out, unsigned variant)
{
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < 16; i++) {
            out[16 * k + i] = ((i + 4 * k) & 12) | ((i + 1) & 3);
            out[64 + 16 * k + i] = ((i - 4 * k) & 12) | ((i + 3) & 3);
            out[128 + 16 * k + i] = (i + 4 * k * (i & 3)) & 15;
        }
}

/* Bitsliced AES of eight blocks in SSE registers (Käsper and Schwabe, CHES 2009) keeps a block
 * row by row, with the last column first. The table is this order combined with ShiftRows. */
void aes_bitslice_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 16; i++) {
        const unsigned row = 3 - i / 4, col = (3 - i % 4 + (variant ? 4 - row : row)) % 4;
        out[i] = row + 4 * col;
    }
}

/* ---- SM4 (GB/T 32907-2016): S(x) = A(A(x) + d3)^-1 + d3, where A is the circulant of a7 ---- */

static uint8_t sm4_affine(uint8_t x)
{
    uint8_t y = 0;
    for (unsigned i = 0; i < 8; i++)
        y |= (uint8_t)((__builtin_popcount(x & rotate8(0xa7, i)) & 1) << i);
    return y ^ 0xd3;
}

static uint8_t sm4_sbox(uint8_t x)
{
    return sm4_affine(invert(sm4_affine(x), SM4_POLY));
}

void sm4_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 256; i++)
        out[i] = sm4_sbox((uint8_t)i);
}

void sm4_table_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 256; i++) {
        const uint32_t s = sm4_sbox((uint8_t)i);
        out[i] = rotate32(s ^ rotate32(s, 2) ^ rotate32(s, 10) ^ rotate32(s, 18) ^ rotate32(s, 24),
                          8 * variant);
    }
}

/* ---- GHASH (SP 800-38D, 6.3): the reduction of the bits that are shifted out; e1 is the
 * polynomial ---- */

static uint64_t shifted_out(unsigned bits, unsigned n)
{
    uint64_t top = 0;
    for (; n--; bits >>= 1)
        top = top >> 1 ^ (bits & 1 ? 0xe100 : 0);
    return top;
}

void ghash4_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 16; i++)
        out[i] = shifted_out(i, 4);
}

void ghash4_high_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 16; i++)
        out[i] = shifted_out(i, 4) << 48;
}

void ghash4_word_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 16; i++)
        out[i] = shifted_out(i, 4) << 16;
}

void ghash8_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 256; i++)
        out[i] = shifted_out(i, 8);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* RIPEMD-160 compression: H.  Dobbertin, A.  Bosselaers, B.  Preneel, "RIPEMD-160: A Strengthened
 * Version of RIPEMD", 1996 (ISO/IEC 10118-3).  It consists of two lines of five rounds, which use
 * the functions in opposite orders and are added at the end.  Each pair of numbers in a round is
 * the index of a message word and a rotation, from the paper's tables. */
#include "initial.h"
#include "words.h"

static uint32_t f1(uint32_t x, uint32_t y, uint32_t z)
{
    return x ^ y ^ z;
}
static uint32_t f2(uint32_t x, uint32_t y, uint32_t z)
{
    return z ^ (x & (y ^ z));
}
static uint32_t f3(uint32_t x, uint32_t y, uint32_t z)
{
    return (x | ~y) ^ z;
}
static uint32_t f4(uint32_t x, uint32_t y, uint32_t z)
{
    return y ^ (z & (x ^ y));
}
static uint32_t f5(uint32_t x, uint32_t y, uint32_t z)
{
    return x ^ (y | ~z);
}

#define STEP(fn, constant, a, b, c, d, e, k, s)             \
    a = rotl32(a + x[k] + (constant) + fn(b, c, d), s) + e; \
    c = rotl32(c, 10)
/* FIVE does five steps, after which each word is in its own variable again. */
#define FIVE(f, t, a, b, c, d, e, k0, s0, k1, s1, k2, s2, k3, s3, k4, s4) \
    STEP(f, t, a, b, c, d, e, k0, s0);                                    \
    STEP(f, t, e, a, b, c, d, k1, s1);                                    \
    STEP(f, t, d, e, a, b, c, k2, s2);                                    \
    STEP(f, t, c, d, e, a, b, k3, s3);                                    \
    STEP(f, t, b, c, d, e, a, k4, s4)
#define ROUND(f, t, a, b, c, d, e, p0, p1, p2, k, s) \
    FIVE(f, t, a, b, c, d, e, p0);                   \
    FIVE(f, t, a, b, c, d, e, p1);                   \
    FIVE(f, t, a, b, c, d, e, p2);                   \
    STEP(f, t, a, b, c, d, e, k, s)
#define P(...) __VA_ARGS__

/* clang-format off */
static void block(uint32_t state[5], const uint32_t x[16])
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    uint32_t A = a, B = b, C = c, D = d, E = e;
    ROUND(f1, 0, a, b, c, d, e,
          P(0, 11, 1, 14, 2, 15, 3, 12, 4, 5),
          P(5, 8, 6, 7, 7, 9, 8, 11, 9, 13),
          P(10, 14, 11, 15, 12, 6, 13, 7, 14, 9),
          15, 8);
    ROUND(f5, 0x50a28be6, A, B, C, D, E,
          P(5, 8, 14, 9, 7, 9, 0, 11, 9, 13),
          P(2, 15, 11, 15, 4, 5, 13, 7, 6, 7),
          P(15, 8, 8, 11, 1, 14, 10, 14, 3, 12),
          12, 6);
    ROUND(f2, 0x5a827999, e, a, b, c, d,
          P(7, 7, 4, 6, 13, 8, 1, 13, 10, 11),
          P(6, 9, 15, 7, 3, 15, 12, 7, 0, 12),
          P(9, 15, 5, 9, 2, 11, 14, 7, 11, 13),
          8, 12);
    ROUND(f4, 0x5c4dd124, E, A, B, C, D,
          P(6, 9, 11, 13, 3, 15, 7, 7, 0, 12),
          P(13, 8, 5, 9, 10, 11, 14, 7, 15, 7),
          P(8, 12, 12, 7, 4, 6, 9, 15, 1, 13),
          2, 11);
    ROUND(f3, 0x6ed9eba1, d, e, a, b, c,
          P(3, 11, 10, 13, 14, 6, 4, 7, 9, 14),
          P(15, 9, 8, 13, 1, 15, 2, 14, 7, 8),
          P(0, 13, 6, 6, 13, 5, 11, 12, 5, 7),
          12, 5);
    ROUND(f3, 0x6d703ef3, D, E, A, B, C,
          P(15, 9, 5, 7, 1, 15, 3, 11, 7, 8),
          P(14, 6, 6, 6, 9, 14, 11, 12, 8, 13),
          P(12, 5, 2, 14, 10, 13, 0, 13, 4, 7),
          13, 5);
    ROUND(f4, 0x8f1bbcdc, c, d, e, a, b,
          P(1, 11, 9, 12, 11, 14, 10, 15, 0, 14),
          P(8, 15, 12, 9, 4, 8, 13, 9, 3, 14),
          P(7, 5, 15, 6, 14, 8, 5, 6, 6, 5),
          2, 12);
    ROUND(f2, 0x7a6d76e9, C, D, E, A, B,
          P(8, 15, 6, 5, 4, 8, 1, 11, 3, 14),
          P(11, 14, 15, 6, 0, 14, 5, 6, 12, 9),
          P(2, 12, 13, 9, 9, 12, 7, 5, 10, 15),
          14, 8);
    ROUND(f5, 0xa953fd4e, b, c, d, e, a,
          P(4, 9, 0, 15, 5, 5, 9, 11, 7, 6),
          P(12, 8, 2, 13, 10, 12, 14, 5, 1, 12),
          P(3, 13, 8, 14, 11, 11, 6, 8, 15, 5),
          13, 6);
    ROUND(f1, 0, B, C, D, E, A,
          P(12, 8, 15, 5, 10, 12, 4, 9, 1, 12),
          P(5, 5, 8, 14, 7, 6, 6, 8, 2, 13),
          P(13, 6, 14, 5, 0, 15, 3, 13, 9, 11),
          11, 11);
    const uint32_t first = state[1] + c + D;
    state[1] = state[2] + d + E;
    state[2] = state[3] + e + A;
    state[3] = state[4] + a + B;
    state[4] = state[0] + b + C;
    state[0] = first;
}
/* clang-format on */

void rmd160_blocks(void *state, const uint8_t *in, size_t num_blocks)
{
    uint32_t x[16];
    for (; num_blocks; num_blocks--, in += 64) {
        load_words(x, in);
        block(state, x);
    }
    WIPE(&x);
}

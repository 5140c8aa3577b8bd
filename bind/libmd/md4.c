/* SPDX-License-Identifier: Apache-2.0 */
/* MD4 compression, RFC 1320 section 3.4: broken, kept for what still names things by it. */
#include "initial.h"
#include "words.h"

static uint32_t f(uint32_t x, uint32_t y, uint32_t z)
{
    return z ^ (x & (y ^ z));
}
static uint32_t g(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) | (z & (x | y));
}
static uint32_t h(uint32_t x, uint32_t y, uint32_t z)
{
    return x ^ y ^ z;
}

#define STEP(fn, constant, a, b, c, d, k, s) a = rotl32(a + fn(b, c, d) + x[k] + (constant), s)
/* Four steps, after which the words stand where they stood. */
#define FOUR(fn, constant, k0, k1, k2, k3, s0, s1, s2, s3) \
    STEP(fn, constant, a, b, c, d, k0, s0);                \
    STEP(fn, constant, d, a, b, c, k1, s1);                \
    STEP(fn, constant, c, d, a, b, k2, s2);                \
    STEP(fn, constant, b, c, d, a, k3, s3)
#define ROUND1(k) FOUR(f, 0, k, k + 1, k + 2, k + 3, 3, 7, 11, 19)
#define ROUND2(k) FOUR(g, 0x5a827999, k, k + 4, k + 8, k + 12, 3, 5, 9, 13)
#define ROUND3(k) FOUR(h, 0x6ed9eba1, k, k + 8, k + 4, k + 12, 3, 9, 11, 15)

static void block(uint32_t state[4], const uint32_t x[16])
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    ROUND1(0);
    ROUND1(4);
    ROUND1(8);
    ROUND1(12);
    ROUND2(0);
    ROUND2(1);
    ROUND2(2);
    ROUND2(3);
    ROUND3(0);
    ROUND3(2);
    ROUND3(1);
    ROUND3(3);
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void md4_blocks(void *state, const uint8_t *in, size_t num_blocks)
{
    uint32_t x[16];
    for (; num_blocks; num_blocks--, in += 64) {
        load_words(x, in);
        block(state, x);
    }
    WIPE(&x);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* MD4 compression, RFC 1320 section 3.4: broken, kept for programs that still identify data by
 * it. */
#include "initial.h"
#include "words.h"

/* F, G and H each add a function of b, c and d to a; b is the word that is computed last.  The two
 * halves of G, the majority, have no bit in common, so they can be added one after the other. */
#define F(a, b, c, d) plus(a, ((c ^ d) & b) ^ d)
#define G(a, b, c, d) plus(plus(a, c &d), (c ^ d) & b)
#define H(a, b, c, d) plus(a, (c ^ d) ^ b)
#define STEP(fn, constant, a, b, c, d, k, s) a = rotl32(fn(plus(a, x[k] + (constant)), b, c, d), s)
/* FOUR does four steps, after which each word is in its own variable again. */
#define FOUR(fn, constant, k0, k1, k2, k3, s0, s1, s2, s3) \
    STEP(fn, constant, a, b, c, d, k0, s0);                \
    STEP(fn, constant, d, a, b, c, k1, s1);                \
    STEP(fn, constant, c, d, a, b, k2, s2);                \
    STEP(fn, constant, b, c, d, a, k3, s3)
#define ROUND1(k) FOUR(F, 0, k, k + 1, k + 2, k + 3, 3, 7, 11, 19)
#define ROUND2(k) FOUR(G, 0x5a827999, k, k + 4, k + 8, k + 12, 3, 5, 9, 13)
#define ROUND3(k) FOUR(H, 0x6ed9eba1, k, k + 8, k + 4, k + 12, 3, 9, 11, 15)

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

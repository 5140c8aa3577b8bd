/* SPDX-License-Identifier: Apache-2.0 */
/* MD5 compression in portable C, RFC 1321 section 3.4.  A step waits for the one before it only
 * through b, so the terms with b are added last.  The two terms of G have no bit in common and can
 * be added one after the other. */
#include "md5.h"
#include "md5_steps.h"

static uint32_t rotl32(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

/* Returns x + y; the compiler may not reorder this addition with others. */
static inline uint32_t plus(uint32_t x, uint32_t y)
{
    x += y;
    __asm__("" : "+r"(x));
    return x;
}

#define F(a, b, c, d) plus(a, ((c ^ d) & b) ^ d)
#define G(a, b, c, d) plus(plus(a, ~d &c), d &b)
#define H(a, b, c, d) plus(a, (c ^ d) ^ b)
#define I(a, b, c, d) plus(a, (b | ~d) ^ c)
#define STEP(f, a, b, c, d, k, s, t) \
    a = plus(a, x[k] + t);           \
    a = rotl32(f(a, b, c, d), s) + b;

static void block(uint32_t state[4], const uint32_t x[16])
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    MD5_STEPS(STEP)
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

/* Compresses num_blocks blocks into `state` (RFC 1321 section 3.4).  `state` is aligned for its
 * words; `in` may have any alignment, and must not overlap `state`. */
void md5_blocks_c(void *state, const uint8_t *in, size_t num_blocks)
{
    uint32_t x[16];
    for (; num_blocks; num_blocks--, in += 64) {
        for (unsigned i = 0; i < 16; i++)
            x[i] = load_le32(in + 4 * i);
        block(state, x);
    }
    WIPE(&x);
}

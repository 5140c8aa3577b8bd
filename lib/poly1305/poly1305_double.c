/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 with products of doubles, as D. J. Bernstein computes it on UltraSPARC I to IV, whose
 * integer multiplier is slow ("The Poly1305-AES message-authentication code", 2005, and his page on
 * its speed).  Prototypes: poly1305.h.
 *
 * A number is a sum of doubles.  Each is a multiple of a power of 2 of its own and has at most 53
 * bits above that, so that no product and no sum is ever rounded.  Rounding is done on purpose: the
 * last bit of alpha = 3 2^(k+51) is 2^k, so (x + alpha) - alpha is the multiple of 2^k that is
 * nearest to x.
 *
 *   r   each word of 32 bits as two doubles: low, a multiple of 2^0, 2^34, 2^66, 2^98 (clamping
 *       makes all words but the first end in zeros), and high, one of 2^18, 2^50, 2^82, 2^112
 *   x   four doubles, multiples of 2^0, 2^32, 2^64, 2^96, at most little more than 2^32, 2^64,
 *       2^96, 2^130
 *   h   eight doubles: products of x with the low and the high parts of r; where a product would
 *       lie at 2^130 or above, r times 5 2^-130 is used instead.  Each is below 2^53 times the
 *       power of 2 that it is a multiple of.
 *
 * This needs doubles of IEEE 754 that are evaluated as such, and round-to-nearest, which is set for
 * the time of a call.  In another mode the sums are exact at first, but remainders grow until they
 * are not.  Contraction to fused operations has no effect, since nothing is rounded in the
 * operations that are contracted. */
#include "../rounding.h"
#include "poly1305.h"
#include "poly1305_field.h"

#ifndef HR_NO_ROUNDING

#include <float.h>

static_assert(FLT_EVAL_METHOD != 2 && FLT_EVAL_METHOD != -1, "doubles are evaluated as doubles");
static_assert(DBL_MANT_DIG == 53 && FLT_RADIX == 2, "doubles of IEEE 754");
#ifdef __FAST_MATH__
#error "x + alpha - alpha is not x"
#endif

#define FOLD (5 * 0x1p-130)

/* For each word of r, the low and the high part: r times 1, and s times 5 2^-130. */
struct parts {
    double r[4][2], s[4][2];
};
static_assert(sizeof(struct parts) <= POLY1305_WORDS * 8, "room in a key");

/* Returns 2^(52 + 32 i) + m 2^(32 i) - away; m is put into the last bits of a double. */
POLY1305_INLINE double word(uint32_t m, int i, double away)
{
    const uint64_t bits = (uint64_t)(1023 + 52 + 32 * i) << 52 | m;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x - away;
}

/* Returns the multiple of 2^k that is nearest to x; alpha is 3 2^(k+51). */
POLY1305_INLINE double nearest(double x, double alpha)
{
    return (x + alpha) - alpha;
}

__attribute__((noinline)) static void setup(struct poly1305_key *key)
{
    static const double alpha[4] = { 0x3p69, 0x3p101, 0x3p133, 0x3p163 };
    struct parts p;
    const double r[4] = { word((uint32_t)key->r[0], 0, 0x1p52),
                          word((uint32_t)(key->r[0] >> 32), 1, 0x1p84),
                          word((uint32_t)key->r[1], 2, 0x1p116),
                          word((uint32_t)(key->r[1] >> 32), 3, 0x1p148) };
    for (int i = 0; i < 4; i++) {
        p.r[i][1] = nearest(r[i], alpha[i]);
        p.r[i][0] = r[i] - p.r[i][1];
        for (int half = 0; half < 2; half++)
            p.s[i][half] = FOLD * p.r[i][half];
    }
    memcpy(key->powers, &p, sizeof p);
    WIPE(&p);
}

void poly1305_setup_double(struct poly1305_key *key)
{
    const uint64_t rounding = rounding_set();
    setup(key);
    rounding_restore(rounding);
}

/* Computes x from h: the part of each double above the next power is carried there, and the part
 * from 2^130 on to 2^0. */
POLY1305_INLINE void carry(double x[4], const double h[4][2])
{
    static const double alpha[4] = { 0x3p83, 0x3p115, 0x3p147, 0x3p181 };
    double above[4], rest[4];
    for (int i = 0; i < 4; i++) {
        const double low = nearest(h[i][0], alpha[i]), high = nearest(h[i][1], alpha[i]);
        above[i] = low + high;
        rest[i] = (h[i][0] - low) + (h[i][1] - high);
    }
    x[0] = rest[0] + FOLD * above[3];
    for (int i = 1; i < 4; i++)
        x[i] = rest[i] + above[i - 1];
}

POLY1305_INLINE void multiply(double h[4][2], const double x[4], const struct parts *p)
{
    for (int i = 0; i < 4; i++)
        for (int half = 0; half < 2; half++) {
            double sum = x[0] * p->r[i][half];
            for (int j = 1; j < 4; j++)
                sum += x[j] * (j <= i ? p->r[i - j] : p->s[i - j + 4])[half];
            h[i][half] = sum;
        }
}

/* Converts x to three words.  Its four parts may be negative, so 4 (2^130 - 5) is added. */
POLY1305_INLINE void leave(uint64_t h[3], const double x[4])
{
    const int64_t w0 = (int64_t)x[0], w1 = (int64_t)(x[1] * 0x1p-32),
                  w2 = (int64_t)(x[2] * 0x1p-64), w3 = (int64_t)(x[3] * 0x1p-96);
    const __int128 low = (__int128)w1 * ((int64_t)1 << 32) + w0 - 20;
    const __int128 high = (__int128)w3 * ((int64_t)1 << 32) + w2 + (low >> 64);
    poly1305_fold(h, (uint64_t)low, (uint64_t)high, (uint64_t)((high >> 64) + 16));
}

__attribute__((noinline)) static void blocks(uint64_t state[3], const uint8_t *in,
                                             size_t num_blocks, const struct poly1305_key *key)
{
    struct parts p;
    double h[4][2] = { { word((uint32_t)state[0], 0, 0x1p52) },
                       { word((uint32_t)(state[0] >> 32), 1, 0x1p84) },
                       { word((uint32_t)state[1], 2, 0x1p116) },
                       { word((uint32_t)(state[1] >> 32), 3, 0x1p148) } };
    double x[4];
    memcpy(&p, key->powers, sizeof p);
    h[3][1] = word((uint32_t)state[2], 4, 0x1p180);
    for (; num_blocks; num_blocks--, in += 16) {
        h[0][0] += word(load_le32(in), 0, 0x1p52);
        h[1][0] += word(load_le32(in + 4), 1, 0x1p84);
        h[2][0] += word(load_le32(in + 8), 2, 0x1p116);
        h[3][0] += word(load_le32(in + 12), 3, 0x1p148 - 0x1p128); /* the subtrahend also adds
                                                                    * 2^128 */
        carry(x, h);
        multiply(h, x, &p);
    }
    carry(x, h);
    leave(state, x);
    WIPE(&p);
    WIPE(&h);
    WIPE(&x);
}

void poly1305_blocks_double(uint64_t state[3], const uint8_t *in, size_t num_blocks,
                            const struct poly1305_key *key)
{
    const uint64_t rounding = rounding_set();
    blocks(state, in, num_blocks, key);
    rounding_restore(rounding);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* MD5's compression, RFC 1321 section 3.4, one message in each lane of `vec`; w is the words of the
 * block.  The file that includes this one includes a vec_<isa>.h before, and may define HALVES, the
 * number of vectors that are computed side by side, because a step waits for the one before it. */
#include "md5_steps.h"

#ifndef HALVES
#define HALVES 1
#endif

enum { STATE_WORDS = 4 };

#define F(x, y, z) CHOOSE(x, y, z)
#define G(x, y, z) CHOOSE(z, x, y)
#define H(x, y, z) XOR3(x, y, z)
#define I(x, y, z) XOR_OR_NOT(y, x, z)
#define STEP(f, a, b, c, d, k, s, t)                                       \
    constant = spread(*at++);                                              \
    _Pragma("GCC unroll 2") for (int half = 0; half < HALVES; half++)      \
    {                                                                      \
        a[half] += (w[half][k] + constant) + f(b[half], c[half], d[half]); \
        a[half] = ROR(a[half], 32 - s) + b[half];                          \
    }

#define CONSTANT(f, a, b, c, d, k, s, t) t,
static const word constants[64] = { MD5_STEPS(CONSTANT) };

/* Compresses the blocks w[half] into the chaining values s[half], for each of HALVES vectors. */
INLINE TARGET void compress_halves(vec s[HALVES][STATE_WORDS], const vec w[HALVES][16])
{
    vec a[HALVES], b[HALVES], c[HALVES], d[HALVES], constant;
    const word *at = constants;
    for (int half = 0; half < HALVES; half++)
        a[half] = s[half][0], b[half] = s[half][1], c[half] = s[half][2], d[half] = s[half][3];
    IN_MEMORY(at);
    MD5_STEPS(STEP)
    for (int half = 0; half < HALVES; half++) {
        s[half][0] += a[half], s[half][1] += b[half];
        s[half][2] += c[half], s[half][3] += d[half];
    }
}

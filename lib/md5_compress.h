/* SPDX-License-Identifier: Apache-2.0 */
/* MD5's compression, RFC 1321 section 3.4, one message a lane of `vec`; no byte order, for w is the
 * block's words.  The includer has a vec_<isa>.h. */
#include "md5_steps.h"

enum { STATE_WORDS = 4 };

#define F(x, y, z) CHOOSE(x, y, z)
#define G(x, y, z) CHOOSE(z, x, y)
#define H(x, y, z) XOR3(x, y, z)
#define I(x, y, z) XOR_OR_NOT(y, x, z)
#define STEP(f, a, b, c, d, k, s, t)          \
    a += (w[k] + spread(*at++)) + f(b, c, d); \
    a = ROR(a, 32 - s) + b;

#define CONSTANT(f, a, b, c, d, k, s, t) t,
static const word constants[64] = { MD5_STEPS(CONSTANT) };

/* s = compression of s and the block w. */
INLINE TARGET void compress(vec s[STATE_WORDS], const vec w[16])
{
    vec a = s[0], b = s[1], c = s[2], d = s[3];
    const word *at = constants;
    IN_MEMORY(at);
    MD5_STEPS(STEP)
    s[0] += a, s[1] += b, s[2] += c, s[3] += d;
}

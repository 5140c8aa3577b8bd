/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1's compression, FIPS 180-4 section 6.1.2, one message in each lane of `vec`; w is the words
 * of the block.  The file that includes this one includes a vec_<isa>.h before. */

enum { STATE_WORDS = 5 };
#define ROL(x, n) ROR(x, 32 - (n))

INLINE TARGET vec sha1_word(vec w[16], int t)
{
    vec *wt = &w[t & 15];
    if (t >= 16)
        *wt = ROL(XOR3(*wt ^ w[(t + 2) & 15], w[(t + 8) & 15], w[(t + 13) & 15]), 1);
    return *wt;
}

#define ROUND(a, b, c, d, e, f, k, t)                                \
    do {                                                             \
        e += (sha1_word(w, t) + spread(k)) + f(b, c, d) + ROL(a, 5); \
        b = ROL(b, 30);                                              \
    } while (0)
#define ROUNDS20(from, f, k)                                          \
    _Pragma("GCC unroll 4") for (int t = from; t < from + 20; t += 5) \
    {                                                                 \
        ROUND(a, b, c, d, e, f, k, t);                                \
        ROUND(e, a, b, c, d, f, k, t + 1);                            \
        ROUND(d, e, a, b, c, f, k, t + 2);                            \
        ROUND(c, d, e, a, b, f, k, t + 3);                            \
        ROUND(b, c, d, e, a, f, k, t + 4);                            \
    }

/* Compresses the block w into the chaining value s. w is overwritten by its message schedule. */
INLINE TARGET void compress(vec s[STATE_WORDS], vec w[16])
{
    vec a = s[0], b = s[1], c = s[2], d = s[3], e = s[4];
    ROUNDS20(0, CHOOSE, 0x5a827999)
    ROUNDS20(20, XOR3, 0x6ed9eba1)
    ROUNDS20(40, MAJORITY, 0x8f1bbcdc)
    ROUNDS20(60, XOR3, 0xca62c1d6)
    s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e;
}

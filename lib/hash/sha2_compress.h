/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-2's compression, FIPS 180-4 sections 6.2.2 and 6.4.2, one message in each lane of `vec`; w is
 * the words of the block.  The file that includes this one includes a vec_<isa>.h and defines
 * NUM_ROUNDS, K and the functions of section 4.1.2 or 4.1.3 before. */

enum { STATE_WORDS = 8 };

#define ROUND(a, b, c, d, e, f, g, h, t)                                             \
    do {                                                                             \
        const vec sum = h + (w[t] + spread(k[t])) + CHOOSE(e, f, g) + BIG_SIGMA1(e); \
        d += sum;                                                                    \
        h = sum + (BIG_SIGMA0(a) + MAJORITY(a, b, c));                               \
    } while (0)
#define ROUNDS8(t)                            \
    do {                                      \
        ROUND(a, b, c, d, e, f, g, h, t);     \
        ROUND(h, a, b, c, d, e, f, g, t + 1); \
        ROUND(g, h, a, b, c, d, e, f, t + 2); \
        ROUND(f, g, h, a, b, c, d, e, t + 3); \
        ROUND(e, f, g, h, a, b, c, d, t + 4); \
        ROUND(d, e, f, g, h, a, b, c, t + 5); \
        ROUND(c, d, e, f, g, h, a, b, t + 6); \
        ROUND(b, c, d, e, f, g, h, a, t + 7); \
    } while (0)

/* Replaces 16 words of the schedule by the next 16. */
INLINE TARGET void next_words(vec w[16])
{
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        w[i] += SMALL_SIGMA0(w[(i + 1) & 15]) + w[(i + 9) & 15] + SMALL_SIGMA1(w[(i + 14) & 15]);
}

/* Compresses the block w into the chaining value s. w is overwritten by its message schedule. */
INLINE TARGET void compress(vec s[STATE_WORDS], vec w[16])
{
    vec a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
    const word *k = K;
    IN_MEMORY(k);
#pragma GCC unroll 5
    for (int t = 0; t < NUM_ROUNDS; t += 16, k += 16) {
        if (t)
            next_words(w);
        ROUNDS8(0);
        ROUNDS8(8);
    }
    s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e, s[5] += f, s[6] += g, s[7] += h;
}

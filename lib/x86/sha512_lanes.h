/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-512 over LANES consecutive blocks at a time (FIPS 180-4 section 6.4.2); no include guard:
 * each includer defines LANES, NAME(x), TARGET, V and the operations on vectors of LANES pairs
 * of words LOAD_BE, LOAD_K, ADD, ALIGN, SIGMA0 and SIGMA1.
 *
 * A vector holds words 2i and 2i + 1 of each block.  The schedule of all lanes is computed during
 * the rounds of the first block, which the general registers hold; the other blocks' rounds find
 * it ready. */

#include "sha512_rounds.h"

#define NOTHING(i)
#define SCHEDULE(i)                                                                   \
    w[i] = ADD(ADD(w[i], ALIGN(w[((i) + 5) & 7], w[((i) + 4) & 7])),                  \
               ADD(SIGMA0(ALIGN(w[((i) + 1) & 7], w[i])), SIGMA1(w[((i) + 7) & 7]))); \
    next[i] = ADD(w[i], LOAD_K(k + 2 * (i)));

/* `wk` has room for the words plus constants: all of them, or with one lane for 16. */
static inline __attribute__((always_inline)) TARGET void
NAME(sha512_lanes)(uint64_t state[8], const uint8_t *in, V *wk)
{
    uint64_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint64_t e = state[4], f = state[5], g = state[6], h = state[7];
    uint64_t bc = b ^ c;
    const uint64_t *k = sha512_k, *const end = sha512_k + 80;
    const V *now = wk;
    V w[8], *next = wk;

#define FIRST(i)                   \
    w[i] = LOAD_BE(in + 16 * (i)); \
    next[i] = ADD(w[i], LOAD_K(k + 2 * (i)));
    FIRST(0)
    FIRST(1)
    FIRST(2) FIRST(3) FIRST(4) FIRST(5) FIRST(6) FIRST(7)
#undef FIRST
        for (k += 16; k < end; k += 16)
    {
        next += LANES > 1 ? 8 : 0;
        IN_MEMORY();
        ROUNDS16(now, 0, SCHEDULE);
        now = next;
    }
    IN_MEMORY();
    ROUNDS16(now, 0, NOTHING);
    for (unsigned lane = 1;; lane++) {
        a = state[0] += a, b = state[1] += b, c = state[2] += c, d = state[3] += d;
        e = state[4] += e, f = state[5] += f, g = state[6] += g, h = state[7] += h;
        if (lane == LANES)
            break;
        bc = b ^ c;
        for (now = wk; now < wk + 40; now += 8)
            ROUNDS16(now, lane, NOTHING);
    }
}

#undef SCHEDULE
#undef NOTHING
#undef LANES
#undef NAME
#undef V
#undef LOAD_BE
#undef LOAD_K
#undef ADD
#undef ALIGN
#undef SIGMA0
#undef SIGMA1

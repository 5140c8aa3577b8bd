/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-2 of LANES consecutive blocks of one message at a time (FIPS 180-4 sections 6.2.2 and 6.4.2).
 * There is no include guard: besides what sha2_rounds.h needs, the file that includes this one
 * defines TARGET, K, NUM_ROUNDS and NEXT(w, i), the words that replace vector i, once, and before
 * each inclusion LANES, NAME(x), V, LOAD_BE, LOAD_K and ADD.
 *
 * Vector i has 16 bytes for each lane, the words from i * PER_LANE on of each block; w is the
 * window of the last 16 words.  The message schedule of all lanes is computed in vector registers
 * during the rounds of the first block, which run in general registers; the other blocks' rounds
 * find it ready. */
#define SUM SHORT_SUM
#include "../sha2_rounds.h"

/* Words go to general registers through memory, because extracting them would take ports that
 * vectors need. */
#define IN_MEMORY() __asm__ volatile("" : : : "memory")

#define PER_LANE ((int)(16 / sizeof(word)))
#define WINDOW (16 / PER_LANE)

/* Compresses LANES blocks into `state`, one after the other.  `wk` has room for words of the
 * schedule plus constants: all of every lane's block, or 16 if there is one lane. */
static inline __attribute__((always_inline)) TARGET void NAME(sha2_lanes)(word state[8],
                                                                          const uint8_t *in, V *wk)
{
    word a = state[0], b = state[1], c = state[2], d = state[3];
    word e = state[4], f = state[5], g = state[6], h = state[7], bc = b ^ c;
    const word *k = K;
    const V *now = wk;
    V w[WINDOW], *next = wk;
    unsigned lane = 0;

#pragma GCC unroll 8
    for (int i = 0; i < WINDOW; i++) {
        w[i] = LOAD_BE(in + 16 * i);
        next[i] = ADD(w[i], LOAD_K(k + PER_LANE * i));
    }
#define WORD(t) ((const word *)&now[(t) / PER_LANE])[PER_LANE * lane + (t) % PER_LANE]
#define SCHEDULE(t)                                    \
    if ((t) % PER_LANE == PER_LANE - 1) {              \
        enum { i = (t) / PER_LANE };                   \
        w[i] = NEXT(w, i);                             \
        next[i] = ADD(w[i], LOAD_K(k + PER_LANE * i)); \
    }
#define NOTHING(t) (void)0
    for (k += 16; k < K + NUM_ROUNDS; k += 16) {
        next += LANES > 1 ? WINDOW : 0;
        IN_MEMORY();
        ROUNDS16(WORD, SCHEDULE);
        now = next;
    }
    IN_MEMORY();
    ROUNDS16(WORD, NOTHING);
    for (lane = 1;; lane++) {
        a = state[0] += a, b = state[1] += b, c = state[2] += c, d = state[3] += d;
        e = state[4] += e, f = state[5] += f, g = state[6] += g, h = state[7] += h;
        if (lane == LANES)
            break;
        bc = b ^ c;
        for (now = wk; now < wk + NUM_ROUNDS / PER_LANE; now += WINDOW)
            ROUNDS16(WORD, NOTHING);
    }
}

#undef WORD
#undef SCHEDULE
#undef NOTHING
#undef PER_LANE
#undef IN_MEMORY
#undef WINDOW
#undef LANES
#undef NAME
#undef V
#undef LOAD_BE
#undef LOAD_K
#undef ADD

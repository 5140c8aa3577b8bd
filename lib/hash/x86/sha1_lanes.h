/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 of LANES consecutive blocks of one message at a time (FIPS 180-4 section 6.1.2).  There is
 * no include guard: the file that includes this one defines TARGET, and before each inclusion
 * LANES, NAME(x), V, LOAD_BE, SET1, ADD, XOR, ROTL, ALIGN8 (bytes from 8 on of two vectors, by
 * lanes), UP12 and DOWN4 (bytes shifted by lanes).
 *
 * Vector i has 16 bytes for each lane, the words 4i to 4i + 3 of each block; w is the window of the
 * last 32 words.  The message schedule of all lanes is computed in vector registers during the
 * rounds of the first block, which run in general registers; the other blocks' rounds find it
 * ready. */

/* Returns the four words 4i to 4i + 3 of the schedule: W(t) = rotl(W(t-3) ^ W(t-8) ^ W(t-14) ^
 * W(t-16), 1).  For the last of the four, W(t-3) is the first of them, rotl(x, 1), which is added
 * afterwards as rotl(rotl(x, 1), 1). */
static inline __attribute__((always_inline)) TARGET V NAME(next_near)(const V w[8], int i)
{
    const V w4 = w[(i - 4) & 7], t14 = ALIGN8(w[(i - 3) & 7], w4);
    const V x = XOR(XOR(w4, t14), XOR(w[(i - 2) & 7], DOWN4(w[(i - 1) & 7])));
    return XOR(ROTL(x, 1), ROTL(UP12(x), 2));
}

/* Returns the words 4i to 4i + 3 for i >= 8.  From word 32 on, the recurrence is substituted into
 * itself, W(t) = rotl(W(t-6) ^ W(t-16) ^ W(t-28) ^ W(t-32), 2), so that four words do not depend on
 * each other. */
static inline __attribute__((always_inline)) TARGET V NAME(next_far)(const V w[8], int i)
{
    const V t6 = ALIGN8(w[(i - 1) & 7], w[(i - 2) & 7]);
    return ROTL(XOR(XOR(t6, w[(i - 4) & 7]), XOR(w[(i - 7) & 7], w[i & 7])), 2);
}

/* Computes vector i of the schedule and stores it, plus its constant, to memory.  The general
 * registers load the words from there, because extracting them would take ports that vectors need.
 */
static inline __attribute__((always_inline)) TARGET void NAME(schedule)(V *wk, V w[8],
                                                                        const uint8_t *in, int i)
{
    w[i & 7] = i < 4 ? LOAD_BE(in + 16 * i) : i < 8 ? NAME(next_near)(w, i) : NAME(next_far)(w, i);
    wk[i] = ADD(w[i & 7], SET1((int)sha1_k[i / 5]));
    __asm__ volatile("" : : : "memory");
}

static inline __attribute__((always_inline)) TARGET uint32_t NAME(word)(V *wk, V w[8],
                                                                        const uint8_t *in,
                                                                        unsigned lane, int t)
{
    if (lane == 0 && t % 4 == 0 && t / 4 + 4 < 20)
        NAME(schedule)(wk, w, in, t / 4 + 4);
    return ((const uint32_t *)&wk[t / 4])[4 * lane + (unsigned)t % 4];
}

static inline __attribute__((always_inline)) TARGET void NAME(sha1_lanes)(uint32_t state[5],
                                                                          const uint8_t *in, V *wk)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    V w[8];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        NAME(schedule)(wk, w, in, i);
#pragma GCC unroll 4
    for (unsigned lane = 0; lane < LANES; lane++) {
#define WORD(t) NAME(word)(wk, w, in, lane, t)
        ROUNDS80(WORD);
#undef WORD
        a = state[0] += a, b = state[1] += b, c = state[2] += c, d = state[3] += d;
        e = state[4] += e;
    }
}

#undef LANES
#undef NAME
#undef V
#undef LOAD_BE
#undef SET1
#undef ADD
#undef XOR
#undef ROTL
#undef ALIGN8
#undef UP12
#undef DOWN4

/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-2's compression in portable C, FIPS 180-4 sections 6.2.2 and 6.4.2.  The file that includes
 * this one first defines `word`, LOAD_BE(p), K, NUM_ROUNDS and the four sigma functions of section
 * 4.1.2 or 4.1.3.  Sixteen rounds are unrolled: the variables' names rotate from round to round and
 * the words of the schedule have constant indices; a loop of single rounds would need moves and
 * loads. */
#define SUM FEW_SUM
#include "sha2_rounds.h"

#define NEW_WORD(t) ((w[t] = LOAD_BE(in + sizeof(word) * (t))) + k[t])
#define NEXT_WORD(t)                                                                              \
    ((w[t] += SMALL_SIGMA0(w[(t + 1) & 15]) + w[(t + 9) & 15] + SMALL_SIGMA1(w[(t + 14) & 15])) + \
     k[t])
#define NOTHING(t) (void)0

static void block(word state[8], const uint8_t *in)
{
    word a = state[0], b = state[1], c = state[2], d = state[3];
    word e = state[4], f = state[5], g = state[6], h = state[7], bc = b ^ c;
    const word *k = K;
    word w[16];
    ROUNDS16(NEW_WORD, NOTHING);
    for (k += 16; k < K + NUM_ROUNDS; k += 16)
        ROUNDS16(NEXT_WORD, NOTHING);
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
    WIPE(&w);
}

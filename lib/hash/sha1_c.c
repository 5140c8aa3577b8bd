/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 compression in portable C, FIPS 180-4 section 6.1.2. */
#include "sha1.h"
#include "sha1_rounds.h"

/* Returns word t of the schedule plus its constant.  The word replaces word t - 16. */
static inline __attribute__((always_inline)) uint32_t word(uint32_t w[16], const uint8_t *in,
                                                           unsigned t)
{
    uint32_t *wt = &w[t & 15];
    if (t < 16)
        *wt = load_be32(in + 4 * t);
    else
        *wt = rotr32(*wt ^ w[(t + 2) & 15] ^ w[(t + 8) & 15] ^ w[(t + 13) & 15], 31);
    return *wt + sha1_k[t / 20];
}

static void block(uint32_t state[5], const uint8_t *in)
{
    uint32_t w[16];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
#define WORD(t) word(w, in, t)
    ROUNDS80(WORD);
#undef WORD
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    WIPE(&w);
}

/* Compresses num_blocks blocks into `state` (FIPS 180-4 section 6.1.2).  `state` is aligned for its
 * words; `in` may have any alignment, and must not overlap `state`. */
void sha1_blocks_c(void *state, const uint8_t *in, size_t num_blocks)
{
    for (; num_blocks; num_blocks--, in += 64)
        block(state, in);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the chained modes share.  Each block waits for the one before, so the chain's latency
 * counts: it is nothing but `rounds` times AESE and AESMC.  AESE begins with an XOR; the state x
 * here lacks the last round key, and the next block's first key is
 *
 *     fold = last round key ^ first round key ^ input. */
#include "aes_ce.h"

struct schedule {
    block last, both; /* both: first ^ last */
    block middle[14]; /* from 1 */
};

INLINE TARGET void load_schedule(struct schedule *s, const struct aes_key *key, unsigned rounds)
{
    s->last = load16(key->enc[rounds]);
    s->both = xor16(load16(key->enc[0]), s->last);
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds; r++)
        s->middle[r] = load16(key->enc[r]);
}

INLINE TARGET block chain_rounds(block x, block fold, const struct schedule *s, unsigned rounds)
{
    x = enc_round(x, fold);
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds - 1; r++)
        x = enc_round(x, s->middle[r]);
    return enc_last(x, s->middle[rounds - 1]);
}

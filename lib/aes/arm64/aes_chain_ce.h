/* SPDX-License-Identifier: Apache-2.0 */
/* The chain of CBC and CFB encryption and of CCM. Each block waits for the one before, so the
 * latency of one block determines the time; it is that of `rounds` pairs of AESE and AESMC and
 * nothing else.  AESE begins with an XOR. The state x in this code therefore lacks the last round
 * key, and the next block's first key is
 *
 *     fold = last round key ^ first round key ^ input. */
#include "aes_ce.h"

struct schedule {
    block last, both; /* both: first ^ last round key */
    block middle[14]; /* used from index 1 on */
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

/* SPDX-License-Identifier: Apache-2.0 */
/* The cipher and its inverse on num independent vectors: while a round of one vector waits for the
 * round before, the AES units work on the others.  Included by aes_vec*.h. */
#include "../aes_vec.h"

INLINE TARGET void encrypt(vec s[BATCH], size_t num, const struct aes_key *key, unsigned rounds)
{
    vec k = round_key(key->enc[0]);
    EACH(num, s[i] = xor(s[i], k));
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds; r++) {
        k = round_key(key->enc[r]);
        EACH(num, s[i] = enc(s[i], k));
    }
    k = round_key(key->enc[rounds]);
    EACH(num, s[i] = enc_last(s[i], k));
}

INLINE TARGET void decrypt(vec s[BATCH], size_t num, const struct aes_key *key, unsigned rounds)
{
    vec k = round_key(key->dec[0]);
    EACH(num, s[i] = xor(s[i], k));
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds; r++) {
        k = round_key(key->dec[r]);
        EACH(num, s[i] = dec(s[i], k));
    }
    k = round_key(key->dec[rounds]);
    EACH(num, s[i] = dec_last(s[i], k));
}

/* The steps of encrypting one block, for aes_lanes.h, which changes the first and the last key: the
 * first key, rounds 1 to rounds - 2, and the last two rounds. */
INLINE TARGET vec enc_begin(vec x, vec k)
{
    return xor(x, k);
}

INLINE TARGET vec enc_middle(vec x, vec k)
{
    return enc(x, k);
}

INLINE TARGET vec enc_end(vec x, vec k, vec last)
{
    return enc_last(enc(x, k), last);
}

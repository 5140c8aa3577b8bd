/* SPDX-License-Identifier: Apache-2.0 */
/* CTR as GCM and CCM want it, without AES instructions.  gcm_soft.h and ccm_soft.h include this
 * file.  A single block uses `key` as it was expanded, more use `many` from
 * soft_begin(). */
#include "../aead.h"

typedef uint32_t words __attribute__((vector_size(sizeof(vec))));

/* Counts in reversed blocks: GCM in 32 bits, CCM in 64. */
INLINE TARGET vec count_on(vec counter, vec by, enum hr_mode mode)
{
    return mode == HR_MODE_GCM ? (vec)((words)counter + (words)by) : add64(counter, by);
}

INLINE TARGET void count_batch(uint8_t *out, const uint8_t *in, size_t num, size_t part,
                               vec *counter, enum hr_mode mode, const struct aes_key *key,
                               unsigned rounds)
{
    vec s[BATCH];
    EACH(num, s[i] = reverse(count_on(*counter, low64(i * LANES), mode)));
    *counter = count_on(*counter, low64(num * LANES), mode);
    encrypt(s, num, key, rounds);
    EACH(num, store_at(out, i, xor(s[i], load_at(in, i, part)), part));
}

/* A counter may be the hash of an IV and as secret as H, so no branch tests whether it wraps. */
INLINE TARGET void count(uint8_t *out, const uint8_t *in, size_t num_blocks,
                         const struct aead_key *key, const struct aes_key *many, uint8_t ctr[16],
                         enum hr_mode mode)
{
    const unsigned rounds = key->aes.rounds;
    const block first = load16(ctr);
    vec counter = count_on(reverse(first), count_up(0, 0), mode);
    store16(ctr, reverse(count_on(reverse(first), low64(num_blocks), mode)));
    if (num_blocks == 1)
        store16(out, xor16(encrypt16(first, &key->aes, rounds), load16(in)));
    else
        EACH_BATCH(count_batch, out, in, num_blocks, &counter, mode, many, rounds);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* CCM without AES instructions: a chain by look-ups of nibbles, and CTR in vectors.  A kernel's
 * file includes this after aes_vec_<isa>.h. */
#include "aead_soft.h"

INLINE TARGET void absorb(uint8_t y[16], const uint8_t *in, size_t num_blocks,
                          const struct aes_key *key, unsigned rounds)
{
    const block first = load16(key->enc[0]);
    block x = load16(y);
    for (; num_blocks; num_blocks--, in += 16)
        x = chain_block(xor16(x, xor16(load16(in), first)), key, rounds);
    store16(y, x);
}

INLINE TARGET void mac(uint8_t y[16], const uint8_t *in, size_t num_blocks,
                       const struct aead_key *key, const struct aes_key *many)
{
    if (num_blocks == 1)
        store16(y, encrypt16(xor16(load16(y), load16(in)), &key->aes, key->aes.rounds));
    else
        FOR_ROUNDS(&key->aes, absorb, y, in, num_blocks, many);
}

TARGET void KERNEL(aes_ccm_hash)(uint8_t y[16], const uint8_t *in, size_t num_blocks,
                                 const struct aead_key *key)
{
    struct soft_keys k;
    const struct aes_key *const many = soft_begin(&k, &key->aes, CHAIN, num_blocks);
    mac(y, in, num_blocks, key, many);
    soft_end(&k, CHAIN, num_blocks);
    leave();
}

TARGET void KERNEL(aes_ccm_encrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                    const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    struct soft_keys k;
    const struct aes_key *const many = soft_begin(&k, &key->aes, FORTH, num_blocks);
    mac(y, in, num_blocks, key, many);
    count(out, in, num_blocks, key, many, ctr, HR_MODE_CCM);
    soft_end(&k, FORTH, num_blocks);
    leave();
}

TARGET void KERNEL(aes_ccm_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                    const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    struct soft_keys k;
    const struct aes_key *const many = soft_begin(&k, &key->aes, FORTH, num_blocks);
    count(out, in, num_blocks, key, many, ctr, HR_MODE_CCM);
    mac(y, out, num_blocks, key, many);
    soft_end(&k, FORTH, num_blocks);
    leave();
}

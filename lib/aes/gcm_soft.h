/* SPDX-License-Identifier: Apache-2.0 */
/* GCM without AES instructions: CTR in vectors, and portable GHASH.  A kernel's file includes this
 * after aes_vec_<isa>.h. */
#include "aead_soft.h"

static TARGET void gcm_count(uint8_t *out, const uint8_t *in, size_t num_blocks,
                             const struct aead_key *key, uint8_t ctr[16])
{
    struct soft_keys k;
    const struct aes_key *const many = soft_begin(&k, &key->aes, FORTH, num_blocks);
    count(out, in, num_blocks, key, many, ctr, HR_MODE_GCM);
    soft_end(&k, FORTH, num_blocks);
    leave();
}

TARGET void KERNEL(gcm_setup)(struct aead_key *key)
{
    uint8_t h[16] = { 0 };
    store16(h, encrypt16(load16(h), &key->aes, key->aes.rounds));
    leave();
    gcm_powers_c(key, h);
    WIPE(&h);
}

TARGET void KERNEL(gcm_encrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    gcm_count(out, in, num_blocks, key, ctr);
    gcm_hash_c(y, out, num_blocks, key);
}

TARGET void KERNEL(gcm_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    gcm_hash_c(y, in, num_blocks, key);
    gcm_count(out, in, num_blocks, key, ctr);
}

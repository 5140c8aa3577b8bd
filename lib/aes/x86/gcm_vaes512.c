/* SPDX-License-Identifier: Apache-2.0 */
#include "gcm_vec512.h"

#include "gcm_wide.h"

/* Kernels for messages under an IV that was hashed, where the counter is secret. */
CRYPT_BULK(crypt_bulk_hashed, 0)

TARGET_GCM void gcm_encrypt_hashed_vaes512(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                           const struct aead_key *key, uint8_t ctr[16],
                                           uint8_t y[16])
{
    crypt_blocks(out, in, num_blocks, key, ctr, y, HR_OP_ENCRYPT, crypt_bulk_hashed);
}

TARGET_GCM void gcm_decrypt_hashed_vaes512(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                           const struct aead_key *key, uint8_t ctr[16],
                                           uint8_t y[16])
{
    crypt_blocks(out, in, num_blocks, key, ctr, y, HR_OP_DECRYPT, crypt_bulk_hashed);
}

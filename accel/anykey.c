/* SPDX-License-Identifier: Apache-2.0 */
#include "anykey.h"

int any_key_init(union any_key *key, hr_alg alg, const uint8_t *bytes, size_t bytes_len)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    switch (row ? (int)row->cls : 0) {
    case HR_CLASS_MAC:
        return hr_hmac_key_init(&key->hmac, alg, bytes, bytes_len);
    case HR_CLASS_CIPHER:
        return hr_cipher_key_init(&key->cipher, alg, bytes, bytes_len);
    case HR_CLASS_AEAD:
        return hr_aead_key_init(&key->aead, alg, bytes, bytes_len);
    case HR_CLASS_NMAC:
        return hr_nmac_key_init(&key->nmac, alg, bytes, bytes_len);
    case HR_CLASS_XTS:
        return hr_xts_key_init(&key->xts, alg, bytes, bytes_len);
    default:
        return HR_EALG;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that take a key as bytes, for one message. */
#include "internal.h"
#include <headrace/headrace.h>

int hr_hmac_once(uint8_t *out, hr_alg alg, const void *in, size_t in_len, const void *key,
                 size_t key_len)
{
    struct hr_hmac_key prepared;
    int error = hr_hmac_key_init(&prepared, alg, key, key_len);
    if (!error)
        error = hr_hmac(out, in, in_len, &prepared);
    WIPE(&prepared);
    return error;
}

int hr_aead_encrypt_once(uint8_t *out, uint8_t *tag, size_t tag_len, hr_alg alg, const uint8_t *in,
                         size_t len, const uint8_t *aad, size_t aad_len, const uint8_t *key,
                         size_t key_len, const uint8_t *iv, size_t iv_len)
{
    struct hr_aead_key expanded;
    int error = hr_aead_key_init(&expanded, alg, key, key_len);
    if (!error)
        error = hr_aead_encrypt(out, tag, tag_len, in, len, aad, aad_len, &expanded, iv, iv_len);
    WIPE(&expanded);
    return error;
}

int hr_aead_decrypt_once(uint8_t *out, const uint8_t *tag, size_t tag_len, hr_alg alg,
                         const uint8_t *in, size_t len, const uint8_t *aad, size_t aad_len,
                         const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len)
{
    struct hr_aead_key expanded;
    int error = hr_aead_key_init(&expanded, alg, key, key_len);
    if (!error)
        error = hr_aead_decrypt(out, tag, tag_len, in, len, aad, aad_len, &expanded, iv, iv_len);
    WIPE(&expanded);
    return error;
}

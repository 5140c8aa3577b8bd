/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC(3), and EVP_Q_mac(3) for HMAC.  The expanded key lives for one call. */
#include "direct.h"
#include <strings.h>

/* answer returns the MAC's length, or 0 if libcrypto has to answer, as for a key that is NULL. */
static size_t answer(uint8_t *out, size_t out_size, struct crypto *crypto, enum row_index digest,
                     const void *key, size_t key_len, const void *in, size_t in_len)
{
    struct hr_hmac_key hmac;
    const enum row_index index = hmac_over(digest);
    if (UNLIKELY(index == NUM_ROWS || !out || !key || (in_len && !in)))
        return 0;
    const struct hr_algorithm *row = hr_algorithm_at(index);
    if (UNLIKELY(out_size < row->out_len || !plain(crypto, index)))
        return 0;
    const int error = hr_hmac_key_init(&hmac, row->alg, key, key_len);
    const int failed = error || hr_hmac(out, in, in_len, &hmac);
    hr_hmac_key_wipe(&hmac);
    if (UNLIKELY(failed))
        return 0;
    count(index, in_len);
    return row->out_len;
}

EXPORT unsigned char *HMAC(const EVP_MD *type, const void *key, int key_len,
                           const unsigned char *in, size_t in_len, unsigned char *out,
                           unsigned *out_len)
{
    struct crypto *crypto = crypto_of(F_HMAC, CALLER);
    if (UNLIKELY(!crypto))
        return NULL;
    const size_t len = key_len < 0
                           ? 0
                           : answer(out, EVP_MAX_MD_SIZE, crypto, plain_digest(crypto, type), key,
                                    (size_t)key_len, in, in_len);
    if (UNLIKELY(!len))
        return REAL(crypto, HMAC)(type, key, key_len, in, in_len, out, out_len);
    if (out_len)
        *out_len = (unsigned)len;
    return out;
}

EXPORT unsigned char *EVP_Q_mac(OSSL_LIB_CTX *libctx, const char *name, const char *query,
                                const char *digest, const OSSL_PARAM *params, const void *key,
                                size_t key_len, const unsigned char *in, size_t in_len,
                                unsigned char *out, size_t out_size, size_t *out_len)
{
    struct crypto *crypto = crypto_of(F_EVP_Q_mac, CALLER);
    size_t len = 0;
    if (UNLIKELY(!crypto))
        return NULL;
    if (LIKELY(!libctx && !query && name && digest && (!params || !params->key) &&
               !strcasecmp(name, "HMAC")))
        len = answer(out, out_size, crypto, plain_named(crypto, digest), key, key_len, in, in_len);
    if (UNLIKELY(!len))
        return REAL(crypto, EVP_Q_mac)(libctx, name, query, digest, params, key, key_len, in,
                                       in_len, out, out_size, out_len);
    if (out_len)
        *out_len = len;
    return out;
}

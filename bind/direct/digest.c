/* SPDX-License-Identifier: Apache-2.0 */
/* SHA256(3), EVP_Digest(3) and EVP_Q_digest(3).  If `out` is NULL, SHA256() returns a buffer of
 * libcrypto's, so that libcrypto answers.  MD5() asks no provider. */
#include "direct.h"
#include <headrace/algorithms.h>

#define ONE_SHOT(name, sym, is_plain)                                                      \
    EXPORT unsigned char *name(const unsigned char *in, size_t in_len, unsigned char *out) \
    {                                                                                      \
        struct crypto *crypto = crypto_of(F_##name, CALLER);                               \
        if (UNLIKELY(!crypto))                                                             \
            return NULL;                                                                   \
        if (UNLIKELY(!out || (in_len && !in) || !is_plain(crypto, INDEX_##sym)))           \
            return REAL(crypto, name)(in, in_len, out);                                    \
        hr_##sym(out, in, in_len);                                                         \
        count(INDEX_##sym, in_len);                                                        \
        return out;                                                                        \
    }
ONE_SHOT(MD5, md5, plain_unasked)
ONE_SHOT(SHA1, sha1, plain)
ONE_SHOT(SHA224, sha224, plain)
ONE_SHOT(SHA256, sha256, plain)
ONE_SHOT(SHA384, sha384, plain)
ONE_SHOT(SHA512, sha512, plain)

/* answer returns the digest's length, or 0 if libcrypto has to answer. */
static size_t answer(uint8_t *out, enum row_index index, const void *in, size_t in_len)
{
    if (UNLIKELY(index == NUM_ROWS || !out || (in_len && !in)))
        return 0;
    const struct hr_algorithm *row = hr_algorithm_at(index);
    if (UNLIKELY(hr_digest(out, row->alg, in, in_len)))
        return 0;
    count(index, in_len);
    return row->out_len;
}

EXPORT int EVP_Digest(const void *in, size_t in_len, unsigned char *out, unsigned *out_len,
                      const EVP_MD *type, ENGINE *engine)
{
    struct crypto *crypto = crypto_of(F_EVP_Digest, CALLER);
    if (UNLIKELY(!crypto))
        return 0;
    const size_t len = engine ? 0 : answer(out, plain_digest(crypto, type), in, in_len);
    if (UNLIKELY(!len))
        return REAL(crypto, EVP_Digest)(in, in_len, out, out_len, type, engine);
    if (out_len)
        *out_len = (unsigned)len;
    return 1;
}

EXPORT int EVP_Q_digest(OSSL_LIB_CTX *libctx, const char *name, const char *query, const void *in,
                        size_t in_len, unsigned char *out, size_t *out_len)
{
    struct crypto *crypto = crypto_of(F_EVP_Q_digest, CALLER);
    if (UNLIKELY(!crypto))
        return 0;
    const int usual = !libctx && name && !query;
    const size_t len = usual ? answer(out, plain_named(crypto, name), in, in_len) : 0;
    if (UNLIKELY(!len))
        return REAL(crypto, EVP_Q_digest)(libctx, name, query, in, in_len, out, out_len);
    if (out_len)
        *out_len = len;
    return 1;
}

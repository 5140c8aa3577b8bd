/* SPDX-License-Identifier: Apache-2.0 */
/* PKCS5_PBKDF2_HMAC(3).  A password that is NULL is empty; one of length -1 is a string that ends
 * in a zero byte. */
#include "direct.h"

static int answer(uint8_t *out, int out_len, struct crypto *crypto, enum row_index digest,
                  const char *password, int password_len, const uint8_t *salt, int salt_len,
                  int iterations)
{
    const enum row_index index = hmac_over(digest);
    if (UNLIKELY(index == NUM_ROWS || !out || out_len <= 0 || password_len < -1 || salt_len < 0 ||
                 (salt_len && !salt) || iterations < 1 || !plain(crypto, INDEX_pbkdf2)))
        return 0;
    const hr_alg alg = hr_algorithm_at(index)->alg;
    const size_t len = !password ? 0 : password_len < 0 ? strlen(password) : (size_t)password_len;
    if (UNLIKELY(hr_pbkdf2(out, (size_t)out_len, alg, password, len, salt, (size_t)salt_len,
                           (uint64_t)iterations)))
        return 0;
    count(INDEX_pbkdf2, (size_t)out_len);
    return 1;
}

EXPORT int PKCS5_PBKDF2_HMAC(const char *password, int password_len, const unsigned char *salt,
                             int salt_len, int iterations, const EVP_MD *type, int out_len,
                             unsigned char *out)
{
    struct crypto *crypto = crypto_of(F_PKCS5_PBKDF2_HMAC, CALLER);
    if (UNLIKELY(!crypto))
        return 0;
    return answer(out, out_len, crypto, plain_digest(crypto, type), password, password_len, salt,
                  salt_len, iterations) ||
           REAL(crypto, PKCS5_PBKDF2_HMAC)(password, password_len, salt, salt_len, iterations, type,
                                           out_len, out);
}

EXPORT int PKCS5_PBKDF2_HMAC_SHA1(const char *password, int password_len, const unsigned char *salt,
                                  int salt_len, int iterations, int out_len, unsigned char *out)
{
    struct crypto *crypto = crypto_of(F_PKCS5_PBKDF2_HMAC_SHA1, CALLER);
    if (UNLIKELY(!crypto))
        return 0;
    const enum row_index sha1 = plain(crypto, INDEX_sha1) ? INDEX_sha1 : NUM_ROWS;
    return answer(out, out_len, crypto, sha1, password, password_len, salt, salt_len, iterations) ||
           REAL(crypto, PKCS5_PBKDF2_HMAC_SHA1)(password, password_len, salt, salt_len, iterations,
                                                out_len, out);
}

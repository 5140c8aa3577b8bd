/* SPDX-License-Identifier: Apache-2.0 */
/* Random IVs and keys that a program leaves to the cipher come from the same source as in the
 * default provider: the generator of the library context, which a program may have replaced. */
#include "provider.h"
#include <errno.h>
#include <sys/random.h>

static int from_system(uint8_t *out, size_t out_len)
{
    while (out_len) {
        const ssize_t got = getrandom(out, out_len, 0);
        if (got < 0 && errno != EINTR)
            return 0;
        if (got > 0)
            out += got, out_len -= (size_t)got;
    }
    return 1;
}

int random_secret(const struct provider *provider, uint8_t *out, size_t out_len)
{
    const struct libcrypto *ssl = libcrypto_of(provider);
    if (ssl)
        return ssl->RAND_priv_bytes_ex(ssl->libctx, out, out_len, 0) > 0;
    return from_system(out, out_len);
}

/* random_des_key_param sets the last bit of each byte so that the number of ones is odd (FIPS
 * 46-3).  EVP_CIPHER_CTX_rand_key() passes a data_size of 0 with a buffer for the cipher's key. */
int random_des_key_param(OSSL_PARAM *p, const struct provider *provider, size_t key_len)
{
    uint8_t *out = p->data;
    if (p->data_type != OSSL_PARAM_OCTET_STRING || !out ||
        (p->data_size && p->data_size < key_len) || !random_secret(provider, out, key_len))
        return 0;
    p->return_size = key_len;
    for (size_t i = 0; i < key_len; i++) {
        uint8_t parity = out[i] >> 1;
        parity ^= parity >> 4;
        parity ^= parity >> 2;
        parity ^= parity >> 1;
        out[i] = (uint8_t)((out[i] & 0xfe) | (~parity & 1));
    }
    return 1;
}

int random_bytes(const struct provider *provider, uint8_t *out, size_t out_len)
{
    const struct libcrypto *ssl = libcrypto_of(provider);
    if (ssl)
        return ssl->RAND_bytes_ex(ssl->libctx, out, out_len, 0) > 0;
    return from_system(out, out_len);
}

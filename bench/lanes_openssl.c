/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's low-level calls, one message after the other, as a program without batches uses them.
 * AES and HMAC have no low-level calls that use the hardware, so EVP calls with a reused context
 * take their place. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "lanes.h"
#include <headrace/algorithms.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/sha.h>

#define DIGEST(function, TYPE, NAME)                 \
    static void function(const struct bench_cell *c) \
    {                                                \
        for (size_t i = 0; i < c->row->many; i++) {  \
            TYPE ctx;                                \
            NAME##_Init(&ctx);                       \
            NAME##_Update(&ctx, c->in[i], c->len);   \
            NAME##_Final(c->tag[i], &ctx);           \
        }                                            \
    }
DIGEST(run_md5, MD5_CTX, MD5)
DIGEST(run_sha1, SHA_CTX, SHA1)
DIGEST(run_sha256, SHA256_CTX, SHA256)
DIGEST(run_sha512, SHA512_CTX, SHA512)

static EVP_CIPHER_CTX *cipher_ctx;
static HMAC_CTX *hmac_ctx;

static void run_cipher(const struct bench_cell *c)
{
    static const uint8_t iv[16];
    for (size_t i = 0; i < c->row->many; i++) {
        int n;
        EVP_EncryptInit_ex(cipher_ctx, NULL, NULL, NULL, iv);
        EVP_EncryptUpdate(cipher_ctx, c->out[i], &n, c->in[i], (int)c->len);
    }
}

static void run_hmac(const struct bench_cell *c)
{
    for (size_t i = 0; i < c->row->many; i++) {
        HMAC_Init_ex(hmac_ctx, NULL, 0, NULL, NULL);
        HMAC_Update(hmac_ctx, c->in[i], c->len);
        HMAC_Final(hmac_ctx, c->tag[i], NULL);
    }
}

static const EVP_CIPHER *cipher_of(hr_alg alg)
{
    switch ((int)alg) {
    case HR_AES_128_CBC:
        return EVP_aes_128_cbc();
    case HR_AES_256_CBC:
        return EVP_aes_256_cbc();
    case HR_AES_128_CFB128:
        return EVP_aes_128_cfb128();
    case HR_DES_EDE3_CBC:
        return EVP_des_ede3_cbc();
    case HR_DES_EDE3_CFB64:
        return EVP_des_ede3_cfb64();
    case HR_CAMELLIA_128_CBC:
        return EVP_camellia_128_cbc();
    case HR_CAMELLIA_256_CBC:
        return EVP_camellia_256_cbc();
    default:
        return NULL;
    }
}

bench_run *openssl_cell(const struct bench_cell *c)
{
    const struct bench_row *row = c->row;
    const struct hr_algorithm *r = hr_algorithm(row->alg);
    if (row->cipher) {
        cipher_ctx = cipher_ctx ? cipher_ctx : EVP_CIPHER_CTX_new();
        const EVP_CIPHER *cipher = cipher_of(row->alg);
        if (!cipher)
            return NULL;
        EVP_EncryptInit_ex(cipher_ctx, cipher, NULL, c->key, c->key);
        EVP_CIPHER_CTX_set_padding(cipher_ctx, 0);
        return run_cipher;
    }
    const hr_alg digest = row->mac ? r->digest : row->alg;
    if (row->mac) {
        hmac_ctx = hmac_ctx ? hmac_ctx : HMAC_CTX_new();
        HMAC_Init_ex(hmac_ctx, c->key, 32,
                     digest == HR_MD5      ? EVP_md5()
                     : digest == HR_SHA1   ? EVP_sha1()
                     : digest == HR_SHA256 ? EVP_sha256()
                                           : EVP_sha512(),
                     NULL);
        return run_hmac;
    }
    return digest == HR_MD5      ? run_md5
           : digest == HR_SHA1   ? run_sha1
           : digest == HR_SHA256 ? run_sha256
                                 : run_sha512;
}

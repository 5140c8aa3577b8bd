/* SPDX-License-Identifier: Apache-2.0 */
/* t4_sign headrace|openssl KEY.pem TIMES: a signature of RSA (PKCS#1, SHA-256) or DSA, TIMES times,
 * by direct calls or by EVP of libcrypto, and nothing else that grows with TIMES, for
 * bench/t4_instructions.py. */
#include <headrace/algorithms.h>
#include <headrace/dsa.h>
#include <headrace/rsa.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 1024 };

static EVP_PKEY *pkey;
static uint8_t digest[32] = { 7 }, sig[MAX];

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "t4_sign: %s failed\n", what);
        exit(1);
    }
}

/* read_numbers reads parts of the key, which live as long as the program. */
static void read_numbers(struct hr_number *numbers, const char *const *names, size_t num)
{
    static uint8_t bytes[8][MAX];
    for (size_t i = 0; i < num; i++) {
        BIGNUM *number = NULL;
        must(EVP_PKEY_get_bn_param(pkey, names[i], &number), names[i]);
        numbers[i] = (struct hr_number){ bytes[i], (size_t)BN_bn2bin(number, bytes[i]) };
        BN_free(number);
    }
}

static void rsa_by_headrace(int times)
{
    static struct hr_rsa_key key;
    const struct hr_rsa_options pkcs1 = { .padding = HR_RSA_PKCS1, .digest = HR_SHA256 };
    const char *const names[] = { OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
                                  OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
                                  OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
                                  OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1 };
    struct hr_rsa_parts parts;
    read_numbers(&parts.n, names, 8);
    must(!hr_rsa_key_init(&key, &parts), "hr_rsa_key_init");
    while (times-- > 0) {
        size_t sig_len = sizeof sig;
        must(!hr_rsa_sign(sig, &sig_len, digest, sizeof digest, &key, &pkcs1), "hr_rsa_sign");
    }
}

static void dsa_by_headrace(int times)
{
    static struct hr_dsa_key key;
    const char *const names[] = { OSSL_PKEY_PARAM_FFC_P, OSSL_PKEY_PARAM_FFC_Q,
                                  OSSL_PKEY_PARAM_FFC_G, OSSL_PKEY_PARAM_PUB_KEY,
                                  OSSL_PKEY_PARAM_PRIV_KEY };
    struct hr_dsa_parts parts;
    read_numbers(&parts.p, names, 5);
    must(!hr_dsa_key_init(&key, &parts), "hr_dsa_key_init");
    while (times-- > 0) {
        size_t sig_len = sizeof sig;
        must(!hr_dsa_sign(sig, &sig_len, digest, sizeof digest, &key, NULL), "hr_dsa_sign");
    }
}

static void by_openssl(int times)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pkey, NULL);
    must(ctx && EVP_PKEY_sign_init(ctx) > 0 &&
             (!EVP_PKEY_is_a(pkey, "RSA") ||
              EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0) &&
             EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0,
         "a context");
    while (times-- > 0) {
        size_t sig_len = sizeof sig;
        must(EVP_PKEY_sign(ctx, sig, &sig_len, digest, sizeof digest) == 1, "EVP_PKEY_sign");
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: t4_sign headrace|openssl KEY.pem TIMES\n");
        return 2;
    }
    BIO *file = BIO_new_file(argv[2], "r");
    pkey = file ? PEM_read_bio_PrivateKey(file, NULL, NULL, NULL) : NULL;
    must(pkey != NULL, argv[2]);
    const int times = atoi(argv[3]);
    if (strcmp(argv[1], "headrace"))
        by_openssl(times);
    else if (EVP_PKEY_is_a(pkey, "DSA"))
        dsa_by_headrace(times);
    else
        rsa_by_headrace(times);
    return 0;
}

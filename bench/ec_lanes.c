/* SPDX-License-Identifier: Apache-2.0 */
/* ec_lanes [TURNS]: signatures and verifications of P-256 and P-384 by hr_sign_many and
 * hr_verify_many, and those of libcrypto one by one, in turns, as rsa_lanes does it for RSA: us of
 * thread CPU time of one operation, medians over TURNS (15), and the median of their ratios. */
#include "sign_many.h"
#include <headrace/algorithms.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>

static struct hr_sign_key key;
static uint8_t der[160];
static size_t der_len;

/* Libcrypto's key from our bytes. */
static EVP_PKEY *their_key(const char *group)
{
    uint8_t public[97], private[48];
    size_t public_len = sizeof public, private_len = sizeof private;
    EVP_PKEY *pkey = NULL;
    must(!hr_sign_key_public(public, &public_len, &key) &&
             !hr_sign_key_private(private, &private_len, &key),
         "our key");
    BIGNUM *scalar = BN_bin2bn(private, (int)private_len, NULL);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    must(OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, group, 0) &&
             OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, public, public_len) &&
             OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, scalar),
         "parameters");
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    must(EVP_PKEY_fromdata_init(ctx) > 0 &&
             EVP_PKEY_fromdata(ctx, &pkey, EVP_PKEY_KEYPAIR, params) > 0,
         "their key");
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    BN_free(scalar);
    EVP_PKEY_CTX_free(ctx);
    return pkey;
}

static int openssl_signs(EVP_PKEY_CTX *ctx)
{
    uint8_t sig[sizeof der];
    size_t len = sizeof sig;
    return EVP_PKEY_sign(ctx, sig, &len, digests[0], DIGEST);
}

static int openssl_verifies(EVP_PKEY_CTX *ctx)
{
    return EVP_PKEY_verify(ctx, der, der_len, digests[0], DIGEST);
}

/* Libcrypto verifies the first signature in its own form. */
static void write_der(const struct bench_key *k)
{
    der_len = sizeof der;
    must(!hr_ecdsa_to_der(der, &der_len, signatures[0], hr_algorithm(k->alg)->out_len), "DER");
}

static void measure_key(hr_alg alg, const char *group, int turns)
{
    const struct bench_key k = { alg, &key, NULL, openssl_signs, openssl_verifies, { 8, 8 } };
    must(!hr_sign_key_generate(&key, alg, NULL), "a key");
    EVP_PKEY *pkey = their_key(group);
    bench_lines(&k, pkey, turns, NULL, write_der);
    EVP_PKEY_free(pkey);
}

int main(int argc, char **argv)
{
    const int turns = bench_head(argc, argv);
    measure_key(HR_ECDSA_P256, "P-256", turns);
    measure_key(HR_ECDSA_P384, "P-384", turns);
    return 0;
}

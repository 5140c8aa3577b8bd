/* SPDX-License-Identifier: Apache-2.0 */
/* rsa_lanes [TURNS]: signatures and verifications of RSA by hr_sign_many and hr_verify_many, and
 * those of libcrypto one by one, in turns: us of thread CPU time of one operation, medians over
 * TURNS (15), and the median of their ratios.  LD_LIBRARY_PATH chooses another libcrypto;
 * HEADRACE_CPU and OPENSSL_ia32cap mask features. */
#include "rsa_parts.h"
#include "sign_many.h"
#include <headrace/algorithms.h>
#include <openssl/rsa.h>
#include <string.h>

static struct hr_rsa_key key;
static uint8_t their_sig[MOST_BYTES];

static int openssl_signs(EVP_PKEY_CTX *ctx)
{
    size_t len = sizeof their_sig;
    const int done = EVP_PKEY_sign(ctx, their_sig, &len, digests[0], DIGEST);
    must(!memcmp(their_sig, signatures[0], len), "a comparison");
    return done;
}

static int openssl_verifies(EVP_PKEY_CTX *ctx)
{
    return EVP_PKEY_verify(ctx, signatures[0], hr_rsa_size(&key), digests[0], DIGEST);
}

static int init(EVP_PKEY_CTX *ctx)
{
    return EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0
               ? EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256())
               : 0;
}

static void check_nothing(const struct bench_key *k)
{
    (void)k;
}

int main(int argc, char **argv)
{
    static const hr_alg rows[] = { HR_RSA1024, HR_RSA2048, HR_RSA3072, HR_RSA4096 };
    static const struct hr_rsa_options options = { .padding = HR_RSA_PKCS1, .digest = HR_SHA256 };
    const int turns = bench_head(argc, argv);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct bench_key k = { rows[i],          &key,     &options, openssl_signs,
                                     openssl_verifies, { 2, 16 } };
        EVP_PKEY *pkey = EVP_RSA_gen(1024 * (i + 1));
        must(pkey && rsa_parts_key(&key, pkey), "a key");
        bench_lines(&k, pkey, turns, init, check_nothing);
        EVP_PKEY_free(pkey);
    }
    return 0;
}

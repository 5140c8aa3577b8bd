/* SPDX-License-Identifier: Apache-2.0 */
/* modular: microseconds of thread CPU time for RSA, DSA and DH by direct calls and by EVP of
 * libcrypto, in turns; medians and their ratio.  LD_LIBRARY_PATH chooses another libcrypto. */
#include "median.h"
#include <headrace/algorithms.h>
#include <headrace/dh.h>
#include <headrace/dsa.h>
#include <headrace/rsa.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/dsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 21, TURN_US = 3000, MAX = 1024 };

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "modular: %s failed\n", what);
        exit(1);
    }
}

/* ---- RSA ---- */

static EVP_PKEY *pkey;
static EVP_PKEY_CTX *sign_ctx, *verify_ctx;
static struct hr_rsa_key rsa_key;
static uint8_t digest[32], sig[MAX], their_sig[MAX];
static size_t sig_len, their_len;
static const struct hr_rsa_options pkcs1 = { .padding = HR_RSA_PKCS1, .digest = HR_SHA256 };

static uint8_t part_bytes[8][MAX];
static struct hr_rsa_parts parts;

static void read_numbers(struct hr_number *numbers, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        BIGNUM *number = NULL;
        must(EVP_PKEY_get_bn_param(pkey, names[i], &number), names[i]);
        numbers[i] = (struct hr_number){ part_bytes[i], (size_t)BN_bn2bin(number, part_bytes[i]) };
        BN_free(number);
    }
}

static void read_parts(void)
{
    static const char *const names[] = {
        OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
        OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
        OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
        OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1
    };
    read_numbers(&parts.n, names, 8);
}

static void our_key(void)
{
    must(!hr_rsa_key_init(&rsa_key, &parts), "hr_rsa_key_init");
}
static void our_sign(void)
{
    sig_len = sizeof sig;
    must(!hr_rsa_sign(sig, &sig_len, digest, sizeof digest, &rsa_key, &pkcs1), "hr_rsa_sign");
}
static void our_verify(void)
{
    must(!hr_rsa_verify(sig, sig_len, digest, sizeof digest, &rsa_key, &pkcs1), "hr_rsa_verify");
}
static void their_sign(void)
{
    their_len = sizeof their_sig;
    must(EVP_PKEY_sign(sign_ctx, their_sig, &their_len, digest, sizeof digest) == 1, "sign");
}
static void their_verify(void)
{
    must(EVP_PKEY_verify(verify_ctx, sig, sig_len, digest, sizeof digest) == 1, "verify");
}

static EVP_PKEY_CTX *context(int (*init)(EVP_PKEY_CTX *ctx))
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pkey, NULL);
    must(ctx && init(ctx) > 0, "a context");
    return ctx;
}

static EVP_PKEY_CTX *rsa_context(int (*init)(EVP_PKEY_CTX *ctx))
{
    EVP_PKEY_CTX *ctx = context(init);
    must(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0 &&
             EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0,
         "a padding");
    return ctx;
}

static void rsa_start(unsigned bits)
{
    pkey = EVP_RSA_gen(bits);
    must(pkey != NULL, "EVP_RSA_gen");
    sign_ctx = rsa_context(EVP_PKEY_sign_init);
    verify_ctx = rsa_context(EVP_PKEY_verify_init);
    read_parts();
    our_key();
    our_sign();
    their_sign();
    must(sig_len == their_len && !memcmp(sig, their_sig, sig_len), "the same signature");
}

static void end(void)
{
    EVP_PKEY_CTX_free(sign_ctx);
    EVP_PKEY_CTX_free(verify_ctx);
    EVP_PKEY_free(pkey);
}

/* ---- DSA: either verifies its own signature, as nonces are random ---- */

static struct hr_dsa_key dsa_key;

static void our_dsa_sign(void)
{
    sig_len = sizeof sig;
    must(!hr_dsa_sign(sig, &sig_len, digest, sizeof digest, &dsa_key, NULL), "hr_dsa_sign");
}
static void our_dsa_verify(void)
{
    must(!hr_dsa_verify(sig, sig_len, digest, sizeof digest, &dsa_key), "hr_dsa_verify");
}
static void their_dsa_verify(void)
{
    must(EVP_PKEY_verify(verify_ctx, their_sig, their_len, digest, sizeof digest) == 1, "verify");
}

static void dsa_start(unsigned bits)
{
    static const char *const names[] = { OSSL_PKEY_PARAM_FFC_P, OSSL_PKEY_PARAM_FFC_Q,
                                         OSSL_PKEY_PARAM_FFC_G, OSSL_PKEY_PARAM_PUB_KEY,
                                         OSSL_PKEY_PARAM_PRIV_KEY };
    struct hr_dsa_parts dsa;
    EVP_PKEY *group = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DSA", NULL);
    must(ctx && EVP_PKEY_paramgen_init(ctx) > 0 &&
             EVP_PKEY_CTX_set_dsa_paramgen_bits(ctx, (int)bits) > 0 &&
             EVP_PKEY_CTX_set_dsa_paramgen_q_bits(ctx, bits == 1024 ? 160 : 256) > 0 &&
             EVP_PKEY_paramgen(ctx, &group) > 0,
         "a group");
    EVP_PKEY_CTX_free(ctx);
    ctx = EVP_PKEY_CTX_new(group, NULL);
    pkey = NULL;
    must(ctx && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_keygen(ctx, &pkey) > 0, "a key");
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(group);
    sign_ctx = context(EVP_PKEY_sign_init);
    verify_ctx = context(EVP_PKEY_verify_init);
    read_numbers(&dsa.p, names, 5);
    must(!hr_dsa_key_init(&dsa_key, &dsa), "hr_dsa_key_init");
    our_dsa_sign();
    their_sign();
}

/* ---- DH ---- */

static struct hr_dh_key dh_key;
static struct hr_dh_params dh_params;
static uint8_t dh_public[MAX], dh_secret[MAX], their_secret[MAX];
static size_t dh_public_len;
static EVP_PKEY_CTX *derive_ctx, *key_ctx;

static void our_dh_key(void)
{
    dh_public_len = sizeof dh_public;
    must(!hr_dh_key_generate(&dh_key, &dh_params) &&
             !hr_dh_public(dh_public, &dh_public_len, &dh_key),
         "hr_dh_key_generate");
}
static void our_dh_agree(void)
{
    size_t len = sizeof dh_secret;
    must(!hr_dh_agree(dh_secret, &len, dh_public, dh_public_len, &dh_key, 0), "hr_dh_agree");
}
static void their_dh_key(void)
{
    EVP_PKEY *key = NULL;
    must(EVP_PKEY_generate(key_ctx, &key) > 0, "generate");
    EVP_PKEY_free(key);
}
static void their_dh_agree(void)
{
    size_t len = sizeof their_secret;
    must(EVP_PKEY_derive(derive_ctx, their_secret, &len) > 0, "derive");
}

static void dh_start(unsigned bits)
{
    char name[16];
    snprintf(name, sizeof name, "ffdhe%u", bits);
    dh_params.group = bits == 2048   ? HR_DH_FFDHE2048
                      : bits == 3072 ? HR_DH_FFDHE3072
                                     : HR_DH_FFDHE4096;
    key_ctx = EVP_PKEY_CTX_new_from_name(NULL, "DH", NULL);
    pkey = NULL;
    must(key_ctx && EVP_PKEY_keygen_init(key_ctx) > 0 &&
             EVP_PKEY_CTX_set_group_name(key_ctx, name) > 0 &&
             EVP_PKEY_generate(key_ctx, &pkey) > 0,
         "a key");
    derive_ctx = context(EVP_PKEY_derive_init);
    must(EVP_PKEY_derive_set_peer(derive_ctx, pkey) > 0, "a peer");
    our_dh_key();
}

static void dh_end(void)
{
    EVP_PKEY_CTX_free(key_ctx);
    EVP_PKEY_CTX_free(derive_ctx);
    EVP_PKEY_free(pkey);
}

/* ---- time ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double turn(void (*run)(void))
{
    const double start = now();
    double taken;
    int calls = 0;
    do {
        run();
        calls++;
        taken = now() - start;
    } while (taken < TURN_US);
    return taken / calls;
}

static void compare(const char *name, unsigned bits, void (*ours)(void), void (*theirs)(void))
{
    double our_times[TURNS], their_times[TURNS] = { 0 };
    for (int i = 0; i < TURNS; i++) {
        our_times[i] = turn(ours);
        if (theirs)
            their_times[i] = turn(theirs);
    }
    printf("%5u %-8s %9.1f", bits, name, median(our_times, TURNS));
    if (theirs)
        printf(" %9.1f %6.2f", median(their_times, TURNS),
               median(our_times, TURNS) / median(their_times, TURNS));
    printf("\n");
}

int main(void)
{
    static const unsigned sizes[] = { 1024, 2048, 3072, 4096 };
    printf("%s\nRSA, us         ours    theirs  ratio\n", OpenSSL_version(OPENSSL_VERSION));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        rsa_start(sizes[i]);
        compare("sign", sizes[i], our_sign, their_sign);
        compare("verify", sizes[i], our_verify, their_verify);
        compare("key", sizes[i], our_key, NULL);
        end();
    }
    printf("DSA\n");
    for (size_t i = 0; i < 3; i++) {
        dsa_start(sizes[i]);
        compare("sign", sizes[i], our_dsa_sign, their_sign);
        compare("verify", sizes[i], our_dsa_verify, their_dsa_verify);
        end();
    }
    printf("DH\n");
    for (size_t i = 1; i < 4; i++) {
        dh_start(sizes[i]);
        compare("key", sizes[i], our_dh_key, their_dh_key);
        compare("agree", sizes[i], our_dh_agree, their_dh_agree);
        dh_end();
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* modular: microseconds of thread CPU time for RSA by direct calls and by EVP of libcrypto, in
 * turns; medians and their ratio.  LD_LIBRARY_PATH chooses another libcrypto. */
#include <headrace/algorithms.h>
#include <headrace/rsa.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
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

static void read_parts(void)
{
    static const char *const names[] = {
        OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
        OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
        OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
        OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1
    };
    struct hr_number *const numbers = &parts.n;
    for (int i = 0; i < 8; i++) {
        BIGNUM *number = NULL;
        must(EVP_PKEY_get_bn_param(pkey, names[i], &number), names[i]);
        numbers[i] =
            (struct hr_number){ part_bytes[i], (size_t)BN_bn2bin(number, part_bytes[i]) };
        BN_free(number);
    }
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
    must(ctx && init(ctx) > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0 &&
             EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0,
         "a context");
    return ctx;
}

static void rsa_start(unsigned bits)
{
    pkey = EVP_RSA_gen(bits);
    must(pkey != NULL, "EVP_RSA_gen");
    sign_ctx = context(EVP_PKEY_sign_init);
    verify_ctx = context(EVP_PKEY_verify_init);
    read_parts();
    our_key();
    our_sign();
    their_sign();
    must(sig_len == their_len && !memcmp(sig, their_sig, sig_len), "the same signature");
}

static void rsa_end(void)
{
    EVP_PKEY_CTX_free(sign_ctx);
    EVP_PKEY_CTX_free(verify_ctx);
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

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double times[TURNS])
{
    qsort(times, TURNS, sizeof *times, by_value);
    return times[TURNS / 2];
}

static void compare(const char *name, unsigned bits, void (*ours)(void), void (*theirs)(void))
{
    double our_times[TURNS], their_times[TURNS] = { 0 };
    for (int i = 0; i < TURNS; i++) {
        our_times[i] = turn(ours);
        if (theirs)
            their_times[i] = turn(theirs);
    }
    printf("%5u %-8s %9.1f", bits, name, median(our_times));
    if (theirs)
        printf(" %9.1f %6.2f", median(their_times), median(our_times) / median(their_times));
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
        rsa_end();
    }
    return 0;
}

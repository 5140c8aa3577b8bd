/* SPDX-License-Identifier: Apache-2.0 */
/* New keys of hr_rsa_key_generate as OpenSSL sees them: its check of a pair, its test of primes, d
 * modulo the least common multiple, and primes that no two keys share.
 *
 *   evp_rsa_generate [--quick]
 *   evp_rsa_generate --time BITS KEYS     prints the median times of both libraries
 */
#include "evp.h"
#include <headrace/rsa.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { N, E, D, P, Q, PARTS = 8 };
static const char *const names[PARTS] = {
    OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
    OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
    OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
    OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
};

static struct hr_rsa_numbers numbers;
static struct hr_rsa_key key;
static BN_CTX *bn;
static unsigned tests;

/* ---- one key ---- */

static void make(BIGNUM *part[PARTS], uint32_t bits, uint64_t e)
{
    const struct hr_number *const from = &numbers.parts.n;
    MUST(!hr_rsa_key_generate(&key, &numbers, bits, e));
    for (size_t i = 0; i < PARTS; i++)
        MUST(part[i] = BN_bin2bn(from[i].bytes, (int)from[i].len, NULL));
}

static void check_pair(BIGNUM *const part[PARTS])
{
    EVP_PKEY *pair = NULL;
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    for (size_t i = 0; i < PARTS; i++)
        MUST(OSSL_PARAM_BLD_push_BN(build, names[i], part[i]));
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    MUST(ctx && EVP_PKEY_fromdata_init(ctx) > 0);
    MUST(EVP_PKEY_fromdata(ctx, &pair, EVP_PKEY_KEYPAIR, params) > 0);
    EVP_PKEY_CTX_free(ctx);
    MUST(ctx = EVP_PKEY_CTX_new_from_pkey(NULL, pair, NULL));
    MUST(EVP_PKEY_check(ctx) == 1);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(pair);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
}

static void check_numbers(BIGNUM *const part[PARTS], int bits)
{
    BIGNUM *p = BN_dup(part[P]), *q = BN_dup(part[Q]), *gcd = BN_new(), *multiple = BN_new();
    MUST(BN_check_prime(p, bn, NULL) == 1 && BN_check_prime(q, bn, NULL) == 1);
    MUST(BN_num_bits(part[N]) == bits && BN_num_bits(part[D]) > bits / 2);
    MUST(BN_sub(gcd, p, q) && BN_num_bits(gcd) > bits / 2 - 100);
    MUST(BN_sub_word(p, 1) && BN_sub_word(q, 1) && BN_gcd(gcd, p, q, bn));
    MUST(BN_mul(multiple, p, q, bn) && BN_div(multiple, NULL, multiple, gcd, bn));
    MUST(BN_mod_inverse(gcd, part[E], multiple, bn) && !BN_cmp(gcd, part[D]));
    BN_clear_free(p);
    BN_clear_free(q);
    BN_clear_free(gcd);
    BN_clear_free(multiple);
}

static void drop(BIGNUM *part[PARTS])
{
    for (size_t i = 0; i < PARTS; i++)
        BN_clear_free(part[i]);
}

/* ---- many keys ---- */

enum { MOST_KEYS = 64 };

static void check_keys(uint32_t bits, uint64_t e, int keys)
{
    BIGNUM *primes[2 * MOST_KEYS];
    for (int i = 0; i < keys; i++) {
        BIGNUM *part[PARTS];
        make(part, bits, e);
        check_pair(part);
        check_numbers(part, (int)bits);
        MUST(primes[2 * i] = BN_dup(part[P]));
        MUST(primes[2 * i + 1] = BN_dup(part[Q]));
        drop(part);
    }
    for (int i = 0; i < 2 * keys; i++) {
        for (int j = 0; j < i; j++)
            MUST(BN_cmp(primes[i], primes[j]));
    }
    for (int i = 0; i < 2 * keys; i++)
        BN_clear_free(primes[i]);
    printf("ok %u - %d keys of %u bits, e %llu\n", ++tests, keys, (unsigned)bits,
           (unsigned long long)e);
}

/* ---- times ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void make_ours(uint32_t bits)
{
    MUST(!hr_rsa_key_generate(&key, &numbers, bits, 0));
}

static void make_theirs(uint32_t bits)
{
    EVP_PKEY *pair = EVP_PKEY_Q_keygen(NULL, "provider=default", "RSA", (size_t)bits);
    MUST(pair);
    EVP_PKEY_free(pair);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Keys of both libraries alternate, so that both see the same machine. */
static void time_keys(uint32_t bits, size_t keys)
{
    double *const times[] = { calloc(keys, sizeof(double)), calloc(keys, sizeof(double)) };
    void (*const make_key[])(uint32_t) = { make_ours, make_theirs };
    for (size_t i = 0; i < 2 * keys; i++) {
        const double start = now();
        make_key[i % 2](bits);
        times[i % 2][i / 2] = now() - start;
    }
    for (int i = 0; i < 2; i++)
        qsort(times[i], keys, sizeof(double), compare);
    const double ours = times[0][keys / 2], theirs = times[1][keys / 2];
    printf("RSA-%u, median of %zu keys: Headrace %.2f ms, %s %.2f ms, ratio %.3f\n", (unsigned)bits,
           keys, ours, OpenSSL_version(OPENSSL_VERSION), theirs, ours / theirs);
    free(times[0]);
    free(times[1]);
}

int main(int argc, char **argv)
{
    const int quick = argc > 1 && !strcmp(argv[1], "--quick");
    if (argc == 4 && !strcmp(argv[1], "--time")) {
        time_keys((uint32_t)atoi(argv[2]), (size_t)atoi(argv[3]));
        return 0;
    }
    MUST(bn = BN_CTX_new());
    check_keys(1024, 0, quick ? 4 : MOST_KEYS);
    check_keys(1024, 3, quick ? 2 : 8);
    check_keys(1048, UINT64_MAX, quick ? 2 : 8);
    check_keys(2048, 0, quick ? 1 : 16);
    check_keys(3072, 65537, quick ? 0 : 2);
    check_keys(4096, 17, quick ? 0 : 1);
    BN_CTX_free(bn);
    hr_rsa_key_wipe(&key);
    hr_rsa_numbers_wipe(&numbers);
    printf("1..%u\n", tests);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Benches of hr_sign_many and hr_verify_many measure in turns: our operations, many at once, and
 * libcrypto's, one by one. */
#ifndef BENCH_SIGN_MANY_H
#define BENCH_SIGN_MANY_H

#include "median.h"
#include <headrace/queue.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_JOBS = 16, MOST_TURNS = 1001, MOST_BYTES = 512, DIGEST = 32 };

/* One kind of keys, and what libcrypto does with its own of them: one operation each. */
struct bench_key {
    hr_alg alg;
    const void *key, *options; /* of jobs */
    int (*openssl_sign)(EVP_PKEY_CTX *ctx);
    int (*openssl_verify)(EVP_PKEY_CTX *ctx);
    int calls[2]; /* of libcrypto in a turn, to sign and to verify */
};

static uint8_t digests[MOST_JOBS][DIGEST], signatures[MOST_JOBS][MOST_BYTES];

static inline void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s failed\n", what);
        exit(1);
    }
}

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static inline double ours(const struct bench_key *k, int verifies, int num)
{
    struct hr_job jobs[MOST_JOBS];
    for (int i = 0; i < num; i++) {
        digests[i][0] += !verifies; /* what was signed last is verified */
        jobs[i] = (struct hr_job){ .alg = (uint16_t)k->alg,
                                   .op = verifies ? HR_JOB_VERIFY : HR_JOB_SIGN,
                                   .key_form = HR_KEY_OBJECT,
                                   .key = k->key,
                                   .in = digests[i],
                                   .len = DIGEST,
                                   .tag = signatures[i],
                                   .options = k->options };
    }
    const double before = now();
    must(!(verifies ? hr_verify_many : hr_sign_many)(jobs, (size_t)num), "an operation");
    return (now() - before) / num;
}

static inline double theirs(const struct bench_key *k, int verifies, EVP_PKEY_CTX *ctx)
{
    const double before = now();
    for (int i = 0; i < k->calls[verifies]; i++)
        must((verifies ? k->openssl_verify : k->openssl_sign)(ctx) > 0, "libcrypto");
    return (now() - before) / k->calls[verifies];
}

/* Prints a line; `check` runs between the two sides of a turn. */
static inline void bench_line(const struct bench_key *k, int verifies, EVP_PKEY_CTX *ctx, int num,
                              int turns, void (*check)(const struct bench_key *k))
{
    static double a[MOST_TURNS], b[MOST_TURNS], ratio[MOST_TURNS];
    for (int t = 0; t < turns; t++) {
        a[t] = ours(k, verifies, num);
        check(k);
        b[t] = theirs(k, verifies, ctx);
        ratio[t] = b[t] / a[t];
    }
    printf("%10s %6s %3d %9.1f %9.1f %7.2f\n", hr_algorithm(k->alg)->name,
           verifies ? "verify" : "sign", num, median(a, (size_t)turns), median(b, (size_t)turns),
           median(ratio, (size_t)turns));
    fflush(stdout);
}

/* `init` is called with a context that is ready to sign, or to verify. */
static inline void bench_lines(const struct bench_key *k, EVP_PKEY *pkey, int turns,
                               int (*init)(EVP_PKEY_CTX *ctx),
                               void (*check)(const struct bench_key *k))
{
    static const int fills[] = { 1, 2, 3, 4, 5, 8, 16 };
    for (int verifies = 0; verifies < 2; verifies++) {
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pkey, NULL);
        must(ctx && (verifies ? EVP_PKEY_verify_init : EVP_PKEY_sign_init)(ctx) > 0 &&
                 (!init || init(ctx) > 0),
             "a context");
        for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
            bench_line(k, verifies, ctx, fills[i], turns, check);
        EVP_PKEY_CTX_free(ctx);
    }
}

/* Reads the number of turns, and prints the head of the table. */
static inline int bench_head(int argc, char **argv)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 15;
    printf("%s\n%21s %9s %9s %7s\n", OpenSSL_version(OPENSSL_VERSION), "at", "ours", "theirs",
           "ratio");
    return asked < 1 ? 1 : asked > MOST_TURNS ? MOST_TURNS : asked;
}

#endif

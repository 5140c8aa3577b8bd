/* SPDX-License-Identifier: Apache-2.0 */
/* rsa_lanes [TURNS]: signatures and verifications of RSA by hr_sign_many and hr_verify_many, and
 * those of libcrypto one by one, in turns: us of thread CPU time of one operation, medians over
 * TURNS (15), and the median of their ratios.  LD_LIBRARY_PATH chooses another libcrypto;
 * HEADRACE_CPU and OPENSSL_ia32cap mask features. */
#include "median.h"
#include "rsa_parts.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_JOBS = 16, MOST_TURNS = 1001, MOST_BYTES = 512, DIGEST = 32 };

static struct hr_rsa_key key;
static const struct hr_rsa_options options = { .padding = HR_RSA_PKCS1, .digest = HR_SHA256 };
static uint8_t digests[MOST_JOBS][DIGEST], signatures[MOST_JOBS][MOST_BYTES], theirs[MOST_BYTES];

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "rsa_lanes: %s failed\n", what);
        exit(1);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

typedef int many_fn(struct hr_job *jobs, size_t num);

static double ours(many_fn *many, enum hr_job_op op, hr_alg alg, int num)
{
    struct hr_job jobs[MOST_JOBS];
    for (int i = 0; i < num; i++) {
        digests[i][0] += op == HR_JOB_SIGN; /* what was signed last is verified */
        jobs[i] = (struct hr_job){ .alg = (uint16_t)alg,
                                   .op = (uint8_t)op,
                                   .key_form = HR_KEY_OBJECT,
                                   .key = &key,
                                   .in = digests[i],
                                   .len = DIGEST,
                                   .tag = signatures[i],
                                   .options = &options };
    }
    const double before = now();
    must(!many(jobs, (size_t)num), "an operation");
    return (now() - before) / num;
}

static double openssl_signs(EVP_PKEY_CTX *ctx)
{
    enum { CALLS = 2 };
    size_t len = sizeof theirs;
    const double before = now();
    for (int i = 0; i < CALLS; i++)
        must(EVP_PKEY_sign(ctx, theirs, &len, digests[0], DIGEST) > 0, "libcrypto");
    return (now() - before) / CALLS;
}

static double openssl_verifies(EVP_PKEY_CTX *ctx)
{
    enum { CALLS = 16 };
    const size_t len = hr_rsa_size(&key);
    const double before = now();
    for (int i = 0; i < CALLS; i++)
        must(EVP_PKEY_verify(ctx, signatures[0], len, digests[0], DIGEST) > 0, "libcrypto");
    return (now() - before) / CALLS;
}

static const struct operation {
    const char *name;
    many_fn *many;
    enum hr_job_op op;
    int (*init)(EVP_PKEY_CTX *ctx);
    double (*openssl)(EVP_PKEY_CTX *ctx);
} operations[] = {
    { "sign", hr_sign_many, HR_JOB_SIGN, EVP_PKEY_sign_init, openssl_signs },
    { "verify", hr_verify_many, HR_JOB_VERIFY, EVP_PKEY_verify_init, openssl_verifies },
};

static void measure(const struct operation *o, EVP_PKEY_CTX *ctx, int bits, int num, int turns)
{
    static double a[MOST_TURNS], b[MOST_TURNS], ratio[MOST_TURNS];
    static const hr_alg rows[] = { HR_RSA1024, HR_RSA2048, HR_RSA3072, HR_RSA4096 };
    for (int t = 0; t < turns; t++) {
        a[t] = ours(o->many, o->op, rows[bits / 1024 - 1], num);
        b[t] = o->openssl(ctx);
        ratio[t] = b[t] / a[t];
        must(o->op == HR_JOB_VERIFY || !memcmp(signatures[0], theirs, (size_t)bits / 8),
             "a comparison");
    }
    printf("RSA-%d %6s %3d %9.1f %9.1f %7.2f\n", bits, o->name, num, median(a, (size_t)turns),
           median(b, (size_t)turns), median(ratio, (size_t)turns));
    fflush(stdout);
}

static void measure_key(EVP_PKEY *pkey, int bits, int turns)
{
    static const int fills[] = { 1, 2, 4, 8, 16 };
    must(rsa_parts_key(&key, pkey), "the key");
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const struct operation *const o = &operations[i];
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pkey, NULL);
        must(ctx && o->init(ctx) > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0 &&
                 EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0,
             "a context");
        for (size_t k = 0; k < sizeof fills / sizeof *fills; k++)
            measure(o, ctx, bits, fills[k], turns);
        EVP_PKEY_CTX_free(ctx);
    }
}

int main(int argc, char **argv)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 15;
    const int turns = asked < 1 ? 1 : asked > MOST_TURNS ? MOST_TURNS : asked;
    printf("%s\n%15s %3s %9s %9s %7s\n", OpenSSL_version(OPENSSL_VERSION), "", "at", "ours",
           "theirs", "ratio");
    for (int bits = 1024; bits <= 4096; bits += 1024) {
        EVP_PKEY *pkey = EVP_RSA_gen((unsigned)bits);
        must(pkey != NULL, "a key");
        measure_key(pkey, bits, turns);
        EVP_PKEY_free(pkey);
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ec_lanes [TURNS]: signatures and verifications of P-256 and P-384 by hr_sign_many and
 * hr_verify_many, and those of libcrypto one by one, in turns, as rsa_lanes does it for RSA: us of
 * thread CPU time of one operation, medians over TURNS (15), and the median of their ratios. */
#include "median.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <stdio.h>
#include <time.h>

enum { MOST_JOBS = 16, MOST_TURNS = 1001, MOST_BYTES = 96, DIGEST = 32, CALLS = 8 };

static struct hr_sign_key key;
static uint8_t digests[MOST_JOBS][DIGEST], signatures[MOST_JOBS][MOST_BYTES], der[160];
static size_t der_len;

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "ec_lanes: %s failed\n", what);
        exit(1);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

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
                                   .tag = signatures[i] };
    }
    const double before = now();
    must(!many(jobs, (size_t)num), "an operation");
    return (now() - before) / num;
}

static double openssl_signs(EVP_PKEY_CTX *ctx)
{
    uint8_t sig[160];
    const double before = now();
    for (int i = 0; i < CALLS; i++) {
        size_t len = sizeof sig;
        must(EVP_PKEY_sign(ctx, sig, &len, digests[0], DIGEST) > 0, "libcrypto");
    }
    return (now() - before) / CALLS;
}

static double openssl_verifies(EVP_PKEY_CTX *ctx)
{
    const double before = now();
    for (int i = 0; i < CALLS; i++)
        must(EVP_PKEY_verify(ctx, der, der_len, digests[0], DIGEST) > 0, "libcrypto");
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

static void measure(const struct operation *o, EVP_PKEY_CTX *ctx, hr_alg alg, int num, int turns)
{
    static double a[MOST_TURNS], b[MOST_TURNS], ratio[MOST_TURNS];
    for (int t = 0; t < turns; t++) {
        a[t] = ours(o->many, o->op, alg, num);
        der_len = sizeof der;
        must(!hr_ecdsa_to_der(der, &der_len, signatures[0], hr_algorithm(alg)->out_len), "DER");
        b[t] = o->openssl(ctx);
        ratio[t] = b[t] / a[t];
    }
    printf("%s %6s %3d %9.1f %9.1f %7.2f\n", hr_algorithm(alg)->name, o->name, num,
           median(a, (size_t)turns), median(b, (size_t)turns), median(ratio, (size_t)turns));
    fflush(stdout);
}

static void measure_key(hr_alg alg, const char *group, int turns)
{
    static const int fills[] = { 1, 2, 3, 4, 5, 8, 16 };
    must(!hr_sign_key_generate(&key, alg, NULL), "a key");
    EVP_PKEY *pkey = their_key(group);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pkey, NULL);
        must(ctx && operations[i].init(ctx) > 0, "a context");
        for (size_t k = 0; k < sizeof fills / sizeof *fills; k++)
            measure(&operations[i], ctx, alg, fills[k], turns);
        EVP_PKEY_CTX_free(ctx);
    }
    EVP_PKEY_free(pkey);
}

int main(int argc, char **argv)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 15;
    const int turns = asked < 1 ? 1 : asked > MOST_TURNS ? MOST_TURNS : asked;
    printf("%s\n%17s %3s %9s %9s %7s\n", OpenSSL_version(OPENSSL_VERSION), "", "at", "ours",
           "theirs", "ratio");
    measure_key(HR_ECDSA_P256, "P-256", turns);
    measure_key(HR_ECDSA_P384, "P-384", turns);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* rsa_lanes [TURNS]: private operations of RSA side by side, blinded and checked, and those of
 * libcrypto one by one, in turns: us of thread CPU time of one operation, medians over TURNS (15),
 * and the median of their ratios.  LD_LIBRARY_PATH chooses another libcrypto; HEADRACE_CPU and
 * OPENSSL_ia32cap mask features. */
#include "rsa/rsa.h"
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_JOBS = 16, MOST_TURNS = 1001 };

static struct hr_rsa_key key;
static uint8_t numbers[MOST_JOBS][RSA_PRIVATE_BYTES], theirs[RSA_PRIVATE_BYTES];

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

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int num)
{
    qsort(values, (size_t)num, sizeof *values, by_value);
    return values[num / 2];
}

static void take_key(const EVP_PKEY *pkey)
{
    static const char *const names[] = { "n",
                                         "e",
                                         "d",
                                         "rsa-factor1",
                                         "rsa-factor2",
                                         "rsa-exponent1",
                                         "rsa-exponent2",
                                         "rsa-coefficient1" };
    static uint8_t room[8][RSA_PRIVATE_BYTES];
    struct hr_rsa_parts parts;
    struct hr_rsa_number *const part = &parts.n;
    for (size_t i = 0; i < 8; i++) {
        BIGNUM *number = NULL;
        must(EVP_PKEY_get_bn_param(pkey, names[i], &number), names[i]);
        part[i] = (struct hr_rsa_number){ room[i], (size_t)BN_bn2bin(number, room[i]) };
        BN_free(number);
    }
    must(!hr_rsa_key_init(&key, &parts), "the key");
}

static double ours(int num, size_t size, int turn)
{
    struct rsa_private_job jobs[MOST_JOBS];
    for (int i = 0; i < num; i++) {
        memset(numbers[i], turn + 1, size);
        numbers[i][0] = 0;
        jobs[i] = (struct rsa_private_job){ numbers[i], (const struct rsa_key *)&key, 0 };
    }
    const double before = now();
    rsa_private_many(jobs, (size_t)num);
    const double after = now();
    for (int i = 0; i < num; i++)
        must(!jobs[i].error, "an operation");
    return (after - before) / num;
}

static double openssl(EVP_PKEY_CTX *ctx, size_t size, int turn)
{
    const int calls = size < 384 ? 4 : 1;
    uint8_t in[RSA_PRIVATE_BYTES];
    size_t len = sizeof theirs;
    memset(in, turn + 1, size);
    in[0] = 0;
    const double before = now();
    for (int i = 0; i < calls; i++)
        must(EVP_PKEY_sign(ctx, theirs, &len, in, size) > 0, "libcrypto");
    return (now() - before) / calls;
}

static void measure(EVP_PKEY_CTX *ctx, int bits, int num, int turns)
{
    static double a[MOST_TURNS], b[MOST_TURNS], ratio[MOST_TURNS];
    const size_t size = (size_t)bits / 8;
    for (int t = 0; t < turns; t++) {
        a[t] = ours(num, size, t);
        b[t] = openssl(ctx, size, t);
        ratio[t] = b[t] / a[t];
        must(!memcmp(numbers[num - 1], theirs, size), "a comparison");
    }
    printf("RSA-%d %3d %9.1f %9.1f %7.2f\n", bits, num, median(a, turns), median(b, turns),
           median(ratio, turns));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const int fills[] = { 1, 2, 3, 4, 8, 16 };
    const int asked = argc > 1 ? atoi(argv[1]) : 15;
    const int turns = asked < 1 ? 1 : asked > MOST_TURNS ? MOST_TURNS : asked;
    printf("%s\n%8s %3s %9s %9s %7s\n", OpenSSL_version(OPENSSL_VERSION), "", "at", "ours",
           "theirs", "ratio");
    for (int bits = 1024; bits <= 4096; bits += 1024) {
        EVP_PKEY *pkey = EVP_RSA_gen((unsigned)bits);
        must(pkey != NULL, "a key");
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pkey, NULL);
        must(ctx && EVP_PKEY_sign_init(ctx) > 0 &&
                 EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) > 0,
             "a context");
        take_key(pkey);
        for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
            measure(ctx, bits, fills[i], turns);
        EVP_PKEY_CTX_free(ctx);
        EVP_PKEY_free(pkey);
    }
    return 0;
}

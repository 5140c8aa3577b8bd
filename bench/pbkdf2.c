/* SPDX-License-Identifier: Apache-2.0 */
/* pbkdf2 [LIBCRYPTO [ROUNDS]]: times PBKDF2 of one and of sixteen passwords, with OpenSSL one after
 * the other and with hr_pbkdf2_many, alternately in one process, so that both run under the same
 * conditions.  Prints medians of iterations a second, counted over all passwords, and the median of
 * the rounds' ratios, where more than 1 means that Headrace is faster.  Outputs are compared; if
 * one differs, the run fails. */
#include "median.h"
#include <dlfcn.h>
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PASSWORDS = 16, KEY_LEN = 16, ITERATIONS = 10000, MAX_ROUNDS = 1001 };

static const struct {
    const char *openssl;
    hr_alg alg;
} rows[] = { { "SHA1", HR_HMAC_SHA1 }, { "SHA256", HR_HMAC_SHA256 }, { "SHA512", HR_HMAC_SHA512 } };

static const void *(*get_digest)(const char *name);
static int (*openssl_pbkdf2)(const char *pass, int pass_len, const unsigned char *salt,
                             int salt_len, int iterations, const void *md, int out_len,
                             unsigned char *out);

struct passwords {
    char text[PASSWORDS][32];
    uint8_t ours[PASSWORDS][KEY_LEN], theirs[PASSWORDS][KEY_LEN];
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* does not count the time of other programs */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int failed(const char *who)
{
    fprintf(stderr, "pbkdf2: %s failed\n", who);
    exit(1);
}

static double time_theirs(struct passwords *p, size_t num, const void *md)
{
    const double begin = seconds();
    for (size_t i = 0; i < num; i++)
        if (!openssl_pbkdf2(p->text[i], (int)strlen(p->text[i]), (const uint8_t *)"salt", 4,
                            ITERATIONS, md, KEY_LEN, p->theirs[i]))
            failed("OpenSSL");
    return seconds() - begin;
}

static double time_ours(struct passwords *p, size_t num, hr_alg alg)
{
    struct hr_pbkdf2_job jobs[PASSWORDS];
    const double begin = seconds();
    for (size_t i = 0; i < num; i++)
        jobs[i] = (struct hr_pbkdf2_job){
            p->ours[i], KEY_LEN, p->text[i], strlen(p->text[i]), "salt", 4,
        };
    if (hr_pbkdf2_many(jobs, num, alg, ITERATIONS))
        failed("hr_pbkdf2_many");
    return seconds() - begin;
}

static void measure(size_t row, size_t num, size_t rounds)
{
    static double ours[MAX_ROUNDS], theirs[MAX_ROUNDS], ratios[MAX_ROUNDS];
    struct passwords p;
    const void *md = get_digest(rows[row].openssl);
    if (!md)
        failed(rows[row].openssl);
    for (size_t i = 0; i < num; i++)
        snprintf(p.text[i], sizeof p.text[i], "password %zu", i);
    for (size_t i = 0; i < rounds; i++) {
        theirs[i] = time_theirs(&p, num, md);
        ours[i] = time_ours(&p, num, rows[row].alg);
        ratios[i] = theirs[i] / ours[i];
    }
    if (memcmp(p.ours, p.theirs, num * KEY_LEN))
        failed("comparison");
    const double work = (double)num * ITERATIONS;
    const double a = median(theirs, rounds), b = median(ours, rounds);
    printf("%-8s %9zu %14.0f %14.0f %8.1f %8.2f\n", rows[row].openssl, num, work / a, work / b,
           1e9 * b / work, median(ratios, rounds));
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "libcrypto.so.3";
    const size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 21;
    void *library = dlopen(path, RTLD_NOW);
    if (!library || rounds < 1 || rounds > MAX_ROUNDS) {
        fprintf(stderr, "usage: pbkdf2 [LIBCRYPTO [ROUNDS]], 1 to %d rounds\n", MAX_ROUNDS);
        return 2;
    }
    *(void **)&get_digest = dlsym(library, "EVP_get_digestbyname");
    *(void **)&openssl_pbkdf2 = dlsym(library, "PKCS5_PBKDF2_HMAC");
    if (!get_digest || !openssl_pbkdf2)
        failed(path);
    printf("%-8s %9s %14s %14s %8s %8s\n", "digest", "passwords", "OpenSSL it/s", "Headrace it/s",
           "ns/it", "ratio");
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        measure(row, 1, rounds);
        measure(row, PASSWORDS, rounds);
    }
    return 0;
}

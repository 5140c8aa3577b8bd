/* SPDX-License-Identifier: Apache-2.0 */
/* timing [SAMPLES]: whether the time of private operations depends on secrets, by statistics, in
 * the way of dudect (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?", 2017).  Each
 * of SAMPLES (20,000) calls is of one of two classes, by chance: a fixed secret, or a random one.
 * Welch's t compares their times: all, and those below some percentiles, as interruptions make a
 * long tail.  A |t| above 4.5 asks for another run with more samples; where it grows with their
 * number, time depends on the class.  The last line is a control that does leak. */
#include "bignum/mont_lanes.h"
#include "bignum/mont_power.h"
#include "ec/ec_lanes.h"
#include "rsa/rsa.h"
#include "rsa_parts.h"
#include <math.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LIMBS = 16, POOL = 16, RSA_BITS = 1024 };

static const struct mont_lanes_kernel *kernel;
static struct {
    uint64_t m[LIMBS], r2[LIMBS], x[LIMBS], e[LIMBS], z[LIMBS];
} number[MONT_LANES_MOST];
static struct mont_lane lane[MONT_LANES_MOST];
static uint64_t moduli[POOL][LIMBS];
static struct rsa_key pool[POOL], key;
static uint8_t bytes[RSA_MANY][RSA_PRIVATE_BYTES];

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "timing: %s failed\n", what);
        exit(1);
    }
}

static uint64_t any_word(void)
{
    static uint64_t state = UINT64_C(0x243f6a8885a308d3);
    state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    uint64_t z = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---- what is timed ---- */

/* Each writes the secret of a class into memory that both share: 0 is the fixed one. */
static void fill(uint64_t *to, int class, uint64_t low)
{
    for (size_t j = 0; j < LIMBS; j++)
        to[j] = class ? any_word() : j ? 0 : low;
}

static void exponents(int class)
{
    for (size_t l = 0; l < MONT_LANES_MOST; l++)
        fill(number[l].e, class, 1);
}

static void bases(int class)
{
    for (size_t l = 0; l < MONT_LANES_MOST; l++) {
        fill(number[l].x, class, 1);
        number[l].x[LIMBS - 1] >>= 1; /* below m */
    }
}

static void primes(int class)
{
    for (size_t l = 0; l < MONT_LANES_MOST; l++) {
        memcpy(number[l].m, moduli[class ? any_word() % POOL : 0], sizeof number[l].m);
        mont_init(&lane[l].m, number[l].m, LIMBS, number[l].r2);
    }
}

static void messages(int class)
{
    for (size_t i = 0; i < RSA_MANY; i++)
        for (size_t j = 0; j < key.bytes; j++)
            bytes[i][j] = class && j ? (uint8_t)any_word() : 0; /* below n */
}

static void keys(int class)
{
    memcpy(&key, &pool[class ? any_word() % POOL : 0], sizeof key);
    messages(1);
}

static void run_lanes(void)
{
    mont_lanes_run(kernel, lane, kernel->lanes);
}

static void run_rsa(void)
{
    must(!rsa_private(bytes[0], &key, 0), "an operation");
}

static void run_rsa_many(void)
{
    struct rsa_job jobs[RSA_MANY];
    for (size_t i = 0; i < RSA_MANY; i++)
        jobs[i] = (struct rsa_job){ .bytes = bytes[i], .key = &key };
    rsa_private_many(jobs, RSA_MANY);
    must(!jobs[0].error, "an operation");
}

static void run_vartime(void)
{
    mont_power_vartime(number[0].z, number[0].x, number[0].e, LIMBS, &lane[0].m);
}

/* ---- curves in lanes ---- */

static const struct ec_lanes_curve *curve;
static const struct ec_lanes_kernel *curve_kernel;
static const struct ec_domain *domain;
static struct ec_lanes_sign signing;
static struct ec_lanes_agree agreeing;

static void scalar(uint64_t *k, int class)
{
    memset(k, 0, EC_LIMBS * sizeof *k);
    for (size_t j = 0; j < domain->num; j++)
        k[j] = class ? any_word() : !j;
    k[domain->num - 1] >>= 1; /* below n */
}

static void nonces(int class)
{
    for (size_t l = 0; l < EC_LANES; l++) {
        uint64_t k[EC_LIMBS];
        scalar(k, class);
        ec_lanes_put(&signing.k, l, k, domain->num);
        (void)ec_lanes_windows(&signing.comb, l, k, curve->comb_width, domain);
        scalar(k, 1);
        ec_lanes_put(&signing.blind, l, k, domain->num);
    }
}

static void curve_keys(int class)
{
    for (size_t l = 0; l < EC_LANES; l++) {
        uint64_t k[EC_LIMBS];
        scalar(k, class);
        ec_lanes_put(&signing.key, l, k, domain->num);
        (void)ec_lanes_windows(&agreeing.windows, l, k, EC_LANES_WIDTH, domain);
    }
}

static void run_curve_sign(void)
{
    curve_kernel->sign(&signing);
}

static void run_curve_agree(void)
{
    curve_kernel->agree(&agreeing);
}

/* ---- statistics ---- */

struct sample {
    double ns;
    int class;
};

static int by_time(const void *a, const void *b)
{
    const double x = ((const struct sample *)a)->ns, y = ((const struct sample *)b)->ns;
    return (x > y) - (x < y);
}

/* Welch's t of the first num samples. */
static double welch(const struct sample *s, size_t num)
{
    double n[2] = { 0 }, mean[2] = { 0 }, square[2] = { 0 };
    for (size_t i = 0; i < num; i++) { /* Welford's mean and variance */
        const int c = s[i].class;
        const double delta = s[i].ns - mean[c];
        mean[c] += delta / ++n[c];
        square[c] += delta * (s[i].ns - mean[c]);
    }
    if (n[0] < 2 || n[1] < 2)
        return 0;
    return (mean[0] - mean[1]) /
           sqrt(square[0] / (n[0] - 1) / n[0] + square[1] / (n[1] - 1) / n[1] + 1e-12);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void test(const char *name, const char *what, void secret(int class), void run(void),
                 size_t num)
{
    static const int percents[] = { 100, 99, 95, 90, 75, 50 };
    struct sample *s = malloc(num * sizeof *s);
    must(s != NULL, "memory");
    for (size_t i = 0; i < num; i++) {
        s[i].class = (int)(any_word() >> 63);
        secret(s[i].class);
        const double before = now();
        run();
        s[i].ns = now() - before;
    }
    qsort(s, num, sizeof *s, by_time);
    printf("%-10s %-10s %9.1f", name, what, s[num / 2].ns / 1e3);
    for (size_t k = 0; k < sizeof percents / sizeof *percents; k++)
        printf(" %7.2f", welch(s, num * (size_t)percents[k] / 100));
    printf("\n");
    fflush(stdout);
    free(s);
}

static void test_curve(const struct ec_lanes_curve *of, const struct ec_domain *its, size_t num)
{
    curve = of;
    domain = its;
    for (size_t l = 0; l < EC_LANES; l++) {
        ec_lanes_put(&agreeing.x, l, its == &p256_domain ? p256_comb : p384_comb, its->num);
        ec_lanes_put(&agreeing.y, l, (its == &p256_domain ? p256_comb : p384_comb) + its->num,
                     its->num);
    }
    for (size_t i = 0; i < of->num_kernels; i++) {
        curve_kernel = &of->kernels[i];
        if (!curve_kernel->sign || curve_kernel->info.needs & ~hr_cpu_features())
            continue;
        printf("P-%d\n", its->bits);
        nonces(1), curve_keys(1);
        test(curve_kernel->info.name, "nonces", nonces, run_curve_sign, num);
        test(curve_kernel->info.name, "keys", curve_keys, run_curve_sign, num);
        test(curve_kernel->info.name, "scalars", curve_keys, run_curve_agree, num);
    }
}

/* ---- keys ---- */

static void take_key(struct rsa_key *to)
{
    static struct hr_rsa_key made;
    EVP_PKEY *pkey = EVP_RSA_gen(RSA_BITS);
    must(pkey && rsa_parts_key(&made, pkey), "a key");
    memcpy(to, &made, sizeof *to);
    EVP_PKEY_free(pkey);
}

int main(int argc, char **argv)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 20000;
    const size_t num = asked < 100 ? 100 : (size_t)asked;
    for (size_t i = 0; i < POOL; i++) {
        fill(moduli[i], 1, 0);
        moduli[i][0] |= 1;
        moduli[i][LIMBS - 1] |= UINT64_C(1) << 63;
        take_key(&pool[i]);
    }
    for (size_t l = 0; l < MONT_LANES_MOST; l++)
        lane[l] = (struct mont_lane){
            .z = number[l].z, .x = number[l].x, .e = number[l].e, .e_bits = 64 * LIMBS
        };
    exponents(1), bases(1), primes(0), keys(0);
    printf("%zu samples; t of all, and of the fastest 99, 95, 90, 75 and 50 %%\n", num);
    for (size_t i = 0; i < mont_lanes_num_kernels; i++) {
        kernel = &mont_lanes_kernels[i];
        if (kernel->info.needs & ~hr_cpu_features())
            continue;
        test(kernel->info.name, "exponents", exponents, run_lanes, num);
        test(kernel->info.name, "bases", bases, run_lanes, num);
        test(kernel->info.name, "primes", primes, run_lanes, num);
    }
    test("rsa", "messages", messages, run_rsa, num);
    test("rsa", "keys", keys, run_rsa, num);
    test("rsa, 8", "messages", messages, run_rsa_many, num);
    test("rsa, 8", "keys", keys, run_rsa_many, num);
    test_curve(&p256_lanes, &p256_domain, num);
    test_curve(&p384_lanes, &p384_domain, num);
    test("control", "exponents", exponents, run_vartime, num);
    return 0;
}

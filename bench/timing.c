/* SPDX-License-Identifier: Apache-2.0 */
/* timing [SAMPLES]: whether the time of private operations depends on secrets, by statistics, in
 * the way of dudect (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?", 2017).  Each
 * of SAMPLES (20,000) calls is of one of two classes, by chance: a fixed secret, or a random one.
 * Welch's t compares their times: all, and those below some percentiles, as interruptions make a
 * long tail.  A |t| above 4.5 asks for another run with more samples; where it grows with their
 * number, time depends on the class.  The last line is a control that does leak. */
#include "bignum/mont_lanes.h"
#include "bignum/mont_power.h"
#include "curve25519/lanes25519.h"
#include "dh/dh.h"
#include "dsa/dsa.h"
#include "ec/ec_lanes.h"
#include "pk/many.h"
#include "rsa/rsa.h"
#include "rsa_parts.h"
#include <headrace/algorithms.h>
#include <math.h>
#include <openssl/dsa.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_LIMBS = 32, POOL = 16, RSA_BITS = 1024 };

static const struct mont_lanes_kernel *kernel;
static size_t limbs, e_limbs; /* of moduli and exponents */
static struct {
    uint64_t m[MOST_LIMBS], r2[MOST_LIMBS], x[MOST_LIMBS], e[MOST_LIMBS], z[MOST_LIMBS];
} number[MONT_LANES_MOST];
static struct mont_lane lane[MONT_LANES_MOST];
static uint64_t moduli[POOL][MOST_LIMBS];
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

/* ---- what is timed ---- */

/* Each writes the secret of a class into memory that both share: 0 is the fixed one. */
static void fill(uint64_t *to, size_t num, int class, uint64_t low)
{
    for (size_t j = 0; j < num; j++)
        to[j] = class ? any_word() : j ? 0 : low;
}

static void exponents(int class)
{
    for (size_t l = 0; l < MONT_LANES_MOST; l++)
        fill(number[l].e, e_limbs, class, 1);
}

static void bases(int class)
{
    for (size_t l = 0; l < MONT_LANES_MOST; l++) {
        fill(number[l].x, limbs, class, 1);
        number[l].x[limbs - 1] >>= 1; /* below m */
    }
}

static void primes(int class)
{
    for (size_t l = 0; l < MONT_LANES_MOST; l++) {
        memcpy(number[l].m, moduli[class ? any_word() % POOL : 0], sizeof number[l].m);
        mont_init(&lane[l].m, number[l].m, limbs, number[l].r2);
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
    mont_power_vartime(number[0].z, number[0].x, number[0].e, limbs, &lane[0].m);
}

/* ---- DSA and DH in lanes: jobs under one key ---- */

static struct hr_dsa_key dsa;
static struct hr_dh_key dh, dh_peer;
static struct hr_job dsa_jobs[PK_MANY], dh_jobs[PK_MANY];
static uint8_t tags[PK_MANY][MOST_LIMBS * 8], digest[32], peer[MOST_LIMBS * 8];
static _Alignas(8) uint8_t fresh[32]; /* of nonces */

static void dsa_secrets(int class)
{
    struct dsa_key *const inner = (struct dsa_key *)&dsa;
    fill(inner->x, inner->q_num, class, 5);
    inner->x[inner->q_num - 1] >>= 1; /* below q */
    /* Nonces change in both classes, as how many are drawn until one is below q shows in times. */
    fill((uint64_t *)fresh, sizeof fresh / 8, 1, 0);
}

static void dh_secrets(int class)
{
    struct dh_key *const inner = (struct dh_key *)&dh;
    fill(inner->x, inner->x_bits / 64, class, 5);
}

static void run_jobs(struct hr_job *jobs)
{
    struct hr_job *list[PK_MANY];
    for (size_t i = 0; i < PK_MANY; i++)
        list[i] = &jobs[i];
    const unsigned kind = pk_kind(jobs);
    must(kind != 0, "sharing lanes");
    pk_run_kind(kind, list, PK_MANY);
    must(!jobs->result, "a job");
}

static void run_dsa(void)
{
    run_jobs(dsa_jobs);
}

static void run_dh(void)
{
    run_jobs(dh_jobs);
}

/* The group of DSA is libcrypto's. */
static void make_dsa_key(void)
{
    static const char *const names[] = { "p", "q", "g" };
    static uint8_t room[3][MOST_LIMBS * 8];
    struct hr_dsa_parts parts = { .p = { room[0], 0 } };
    struct hr_number *const part = &parts.p;
    EVP_PKEY *group = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DSA", NULL);
    must(ctx && EVP_PKEY_paramgen_init(ctx) > 0 &&
             EVP_PKEY_CTX_set_dsa_paramgen_bits(ctx, 64 * MOST_LIMBS) > 0 &&
             EVP_PKEY_CTX_set_dsa_paramgen_q_bits(ctx, 256) > 0 &&
             EVP_PKEY_paramgen(ctx, &group) > 0,
         "a group");
    for (size_t i = 0; i < 3; i++) {
        BIGNUM *value = NULL;
        must(EVP_PKEY_get_bn_param(group, names[i], &value), names[i]);
        part[i] = (struct hr_number){ room[i], (size_t)BN_bn2bin(value, room[i]) };
        BN_free(value);
    }
    must(!hr_dsa_key_generate(&dsa, &parts), "a key");
    EVP_PKEY_free(group);
    EVP_PKEY_CTX_free(ctx);
}

static void test_ffc(size_t num)
{
    static const struct hr_sign_options options = { .random = fresh };
    const struct hr_dh_params params = { .group = HR_DH_FFDHE2048, .private_bits = 256 };
    size_t len = sizeof peer;
    make_dsa_key();
    must(!hr_dh_key_generate(&dh, &params) && !hr_dh_key_generate(&dh_peer, &params) &&
             !hr_dh_public(peer, &len, &dh_peer),
         "a key");
    for (size_t i = 0; i < PK_MANY; i++) {
        dsa_jobs[i] = (struct hr_job){ .alg = HR_DSA2048,
                                       .op = HR_JOB_SIGN,
                                       .key_form = HR_KEY_OBJECT,
                                       .key = &dsa,
                                       .in = digest,
                                       .len = sizeof digest,
                                       .tag = tags[i],
                                       .options = &options };
        dh_jobs[i] = (struct hr_job){ .alg = HR_DH2048,
                                      .op = HR_JOB_DERIVE,
                                      .key_form = HR_KEY_OBJECT,
                                      .key = &dh,
                                      .in = peer,
                                      .len = len,
                                      .tag = tags[i] };
    }
    test("dsa, 8", "keys", dsa_secrets, run_dsa, num);
    test("dh, 8", "keys", dh_secrets, run_dh, num);
}

/* ---- X25519 in lanes ---- */

static const struct x25519_lanes_kernel *x25519_kernel;
static struct x25519_lanes x25519_work;

static void x25519_scalars(int class)
{
    for (size_t l = 0; l < LANES25519; l++)
        for (size_t i = 0; i < 4; i++)
            x25519_work.scalar[i][l] =
                (class ? any_word() & ~(uint64_t)(i ? 0 : 7) : 0) | (uint64_t)(i == 3) << 62;
}

static void x25519_points(int class)
{
    for (size_t l = 0; l < LANES25519; l++)
        for (size_t i = 0; i < DIGITS25519; i++)
            x25519_work.u.digit[i][l] = class ? any_word() >> 13 : !i * 9;
}

static void run_x25519(void)
{
    x25519_kernel->multiply(&x25519_work);
}

static void test_x25519(size_t num)
{
    for (size_t i = 0; i < x25519_lanes_num_kernels; i++) {
        x25519_kernel = &x25519_lanes_kernels[i];
        if (!x25519_kernel->multiply || x25519_kernel->info.needs & ~hr_cpu_features())
            continue;
        printf("X25519\n");
        x25519_points(1), x25519_scalars(1);
        test(x25519_kernel->info.name, "scalars", x25519_scalars, run_x25519, num);
        test(x25519_kernel->info.name, "points", x25519_points, run_x25519, num);
    }
}

/* ---- Ed25519 in lanes ---- */

static const struct ed25519_lanes_kernel *ed25519_kernel;
static struct ed25519_lanes ed25519_work;

/* Digits of a nonce, from -16 to 16. */
static void ed25519_nonces(int class)
{
    for (size_t l = 0; l < LANES25519; l++)
        for (size_t i = 0; i < ED25519_WINDOWS; i++) {
            const uint64_t any = any_word() % 33; /* in both classes, to take as long */
            ed25519_work.base.window[i][l] = class ? any : i ? 0 : 2;
        }
}

static void run_ed25519(void)
{
    ed25519_kernel->multiply(&ed25519_work);
}

static void run_ed25519_compare(void)
{
    ed25519_kernel->compare(&ed25519_work);
}

static void test_ed25519(size_t num)
{
    for (size_t i = 0; i < ed25519_lanes_num_kernels; i++) {
        ed25519_kernel = &ed25519_lanes_kernels[i];
        if (!ed25519_kernel->multiply || ed25519_kernel->info.needs & ~hr_cpu_features())
            continue;
        printf("Ed25519\n");
        test(ed25519_kernel->info.name, "nonces", ed25519_nonces, run_ed25519, num);
        test(ed25519_kernel->info.name, "compared", ed25519_nonces, run_ed25519_compare, num);
    }
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

/* Powers of numbers of so many limbs, by each kernel. */
static void test_powers(size_t num_limbs, size_t num_e_limbs, size_t num)
{
    limbs = num_limbs;
    e_limbs = num_e_limbs;
    for (size_t i = 0; i < POOL; i++) {
        fill(moduli[i], limbs, 1, 0);
        moduli[i][0] |= 1;
        moduli[i][limbs - 1] |= UINT64_C(1) << 63;
    }
    for (size_t l = 0; l < MONT_LANES_MOST; l++)
        lane[l] = (struct mont_lane){
            .z = number[l].z, .x = number[l].x, .e = number[l].e, .e_bits = 64 * e_limbs
        };
    exponents(1), bases(1), primes(0);
    printf("%zu bits, exponents of %zu\n", 64 * limbs, 64 * e_limbs);
    for (size_t i = 0; i < mont_lanes_num_kernels; i++) {
        kernel = &mont_lanes_kernels[i];
        if (kernel->info.needs & ~hr_cpu_features())
            continue;
        test(kernel->info.name, "exponents", exponents, run_lanes, num);
        test(kernel->info.name, "bases", bases, run_lanes, num);
        test(kernel->info.name, "primes", primes, run_lanes, num);
    }
}

int main(int argc, char **argv)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 20000;
    const size_t num = asked < 100 ? 100 : (size_t)asked;
    for (size_t i = 0; i < POOL; i++)
        take_key(&pool[i]);
    keys(0);
    printf("%zu samples; t of all, and of the fastest 99, 95, 90, 75 and 50 %%\n", num);
    test_powers(MOST_LIMBS, 4, num); /* as of DSA and DH */
    test_powers(16, 16, num);        /* as of RSA-2048 */
    test_ffc(num);
    test_x25519(num);
    test_ed25519(num);
    test("rsa", "messages", messages, run_rsa, num);
    test("rsa", "keys", keys, run_rsa, num);
    test("rsa, 8", "messages", messages, run_rsa_many, num);
    test("rsa, 8", "keys", keys, run_rsa_many, num);
    test_curve(&p256_lanes, &p256_domain, num);
    test_curve(&p384_lanes, &p384_domain, num);
    test("control", "exponents", exponents, run_vartime, num);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Powers in lanes, and RSA. */
#include "../rsa_parts.h"
#include "bignum/mont_lanes.h"
#include "bignum/mont_power.h"
#include "rsa/rsa.h"
#include "timing.h"
#include <openssl/rsa.h>
#include <stdio.h>
#include <string.h>

enum { POOL = 16, RSA_BITS = 1024 };

static const struct mont_lanes_kernel *kernel;
static size_t limbs, e_limbs; /* of moduli and exponents */
static struct {
    uint64_t m[MOST_LIMBS], r2[MOST_LIMBS], x[MOST_LIMBS], e[MOST_LIMBS], z[MOST_LIMBS];
} number[MONT_LANES_MOST];
static struct mont_lane lane[MONT_LANES_MOST];
static uint64_t moduli[POOL][MOST_LIMBS];
static struct rsa_key pool[POOL], key;
static uint8_t bytes[RSA_MANY][RSA_PRIVATE_BYTES];

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

static void take_key(struct rsa_key *to)
{
    static struct hr_rsa_key made;
    EVP_PKEY *pkey = EVP_RSA_gen(RSA_BITS);
    must(pkey && rsa_parts_key(&made, pkey), "a key");
    memcpy(to, &made, sizeof *to);
    EVP_PKEY_free(pkey);
}

/* Powers of numbers of so many limbs, by each kernel. */
static void test_size(size_t num_limbs, size_t num_e_limbs, size_t num)
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

void test_powers(size_t num)
{
    test_size(MOST_LIMBS, 4, num); /* as of DSA and DH */
    test_size(16, 16, num);        /* as of RSA-2048 */
}

void test_rsa(size_t num)
{
    for (size_t i = 0; i < POOL; i++)
        take_key(&pool[i]);
    keys(0);
    test("rsa", "messages", messages, run_rsa, num);
    test("rsa", "keys", keys, run_rsa, num);
    test("rsa, 8", "messages", messages, run_rsa_many, num);
    test("rsa, 8", "keys", keys, run_rsa_many, num);
}

/* The powers of numbers that test_powers has left. */
void test_control(size_t num)
{
    test("control", "exponents", exponents, run_vartime, num);
}

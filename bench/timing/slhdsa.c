/* SPDX-License-Identifier: Apache-2.0 */
/* The hashes of SLH-DSA in lanes: chains of F, and H, of secret values. */
#include "cpu.h"
#include "pk/sign.h"
#include "slhdsa/slh_lanes.h"
#include "timing.h"
#include <headrace/algorithms.h>
#include <stdio.h>

static struct slh_lanes lanes;
static const struct slh_kernel *kernel;
static union {
    uint64_t words[SLH_MAX_LANES][sizeof(slh_value) / 8];
    slh_value bytes[SLH_MAX_LANES];
} values;

static void secrets(int class)
{
    fill(values.words[0], sizeof values.words / 8, class, 1);
}

/* A call is shorter than a clock can tell well, so some follow each other. */
static void run(void)
{
    for (int i = 0; i < 8; i++) {
        memcpy(lanes.value, values.bytes, sizeof lanes.value);
        kernel->run(&lanes);
    }
}

/* The kernels of a row for inputs of a length. */
static void test_row(hr_alg alg, const char *what, size_t in_len, unsigned steps, size_t num)
{
    static struct hr_sign_key key;
    const uint64_t have = hr_cpu_features();
    uint8_t seed[HR_KEY_RANDOM] = { 0 };
    struct hr_kernel one = { .needs = 1 };
    must(!hr_sign_key_init(&key, alg, seed, hr_algorithm(alg)->key_len * 3u / 4), "a key");
    slh_begin(&lanes, (const struct slh_key *)((struct sign_key *)&key)->part, in_len);
    printf("%s\n", hr_algorithm(alg)->name);
    for (size_t i = 0; one.needs && !hr_kernel_at(&one, alg, HR_OP_PK, i); i++) {
        if (one.needs & ~have)
            continue;
        cpu_override(one.needs);
        const struct slh_kernel *before = kernel;
        kernel = slh_kernel_for(&lanes, SLH_MAX_LANES);
        if (kernel == before)
            continue;
        lanes.steps = steps;
        test(kernel->info.name, what, secrets, run, num);
    }
    cpu_override(have);
}

void test_slhdsa(size_t num)
{
    test_row(HR_SLHDSA_SHA2_128F, "chains", 16, 15, num);
    test_row(HR_SLHDSA_SHA2_256F, "nodes", 64, 1, num);
    test_row(HR_SLHDSA_SHAKE_128F, "chains", 16, 15, num);
}

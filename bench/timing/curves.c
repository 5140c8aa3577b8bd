/* SPDX-License-Identifier: Apache-2.0 */
/* P-256 and P-384 in lanes. */
#include "ec/ec_lanes.h"
#include "timing.h"
#include <stdio.h>
#include <string.h>

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

void test_curves(size_t num)
{
    test_curve(&p256_lanes, &p256_domain, num);
    test_curve(&p384_lanes, &p384_domain, num);
}

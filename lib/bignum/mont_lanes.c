/* SPDX-License-Identifier: Apache-2.0 */
#include "mont_lanes.h"
#include "../internal.h"
#include "mont_power.h"

#define IFMA512 (CPU(AVX512IFMA) | CPU(BMI2))
#define IFMA256 (CPU(AVX512IFMA) | CPU(AVX512VL) | CPU(BMI2))
#define FMA512 (CPU(AVX512F) | CPU(BMI2))
#define FMA256 (CPU(AVX2) | CPU(FMA) | CPU(BMI2))

/* The numbers of lanes from which on a kernel is the best were measured on an Emerald Rapids: a
 * call takes as long as 1.1 powers by s2n-bignum (ifma256), 1.2 (ifma512), 2.2 to 2.9 (fma256),
 * and 2.7 to 3.5 (fma512). */
/* clang-format off */
const struct mont_lanes_kernel mont_lanes_kernels[] = { /* best first; portable C last */
    KERNEL_X86("ifma256", IFMA256 | CPU(HALVES512), mont_lanes_ifma256, .lanes = 4, .least = 2)
    KERNEL_X86("ifma512", IFMA512, mont_lanes_ifma512, .lanes = 8, .least = 5)
    KERNEL_X86("ifma256", IFMA256, mont_lanes_ifma256, .lanes = 4, .least = 2)
    KERNEL_X86("fma512", FMA512, mont_lanes_fma512, .lanes = 8, .least = 5, .doubles = 1)
    KERNEL_X86("fma256", FMA256, mont_lanes_fma256, .lanes = 4, .least = 3, .doubles = 1)
    KERNEL_C(NULL, .lanes = 1, .least = 1)
};
/* clang-format on */
const size_t mont_lanes_num_kernels = COUNT(mont_lanes_kernels);

const struct mont_lanes_kernel *mont_lanes_kernel(size_t limbs, size_t num)
{
    const uint64_t have = hr_cpu_features();
    const struct mont_lanes_kernel *kernel = mont_lanes_kernels;
    while (kernel->info.needs & ~have || (kernel->steps && limbs > MONT_LANES_PUBLIC_LIMBS) ||
           num < kernel->least)
        kernel++;
    return kernel;
}

/* Returns whether m is an odd number that is not 1. */
static int is_modulus(const struct modulus *m, size_t most)
{
    uint64_t high = 0;
    if (m->num < 1 || m->num > most)
        return 0;
    for (size_t i = 1; i < m->num; i++)
        high |= m->m[i];
    uint64_t good = bn_mask(m->m[0] & 1) & ~(bn_word_is_zero(high) & bn_word_is_zero(m->m[0] ^ 1));
    CT_PUBLIC(&good, sizeof good);
    return good != 0;
}

typedef void run_fn(const struct mont_lanes_kernel *kernel, const struct mont_lane *lane,
                    size_t num);

/* Runs lanes in groups as they come; longer moduli than `in_lanes` are left to the portable
 * kernel. */
static int run_groups(run_fn *run, size_t most, size_t in_lanes, const struct mont_lane *lane,
                      size_t num)
{
    size_t limbs = 0;
    for (size_t i = 0; i < num; i++) {
        if (!is_modulus(&lane[i].m, most) || !lane[i].e_num)
            return HR_EINVAL;
        limbs = lane[i].m.num > limbs ? lane[i].m.num : limbs;
    }
    while (num) {
        const struct mont_lanes_kernel *const kernel =
            limbs > in_lanes ? &mont_lanes_kernels[COUNT(mont_lanes_kernels) - 1]
                             : mont_lanes_kernel(limbs, num);
        const size_t now = num < kernel->lanes ? num : kernel->lanes;
        run(kernel, lane, now);
        lane += now;
        num -= now;
    }
    return 0;
}

int mont_lanes_power(const struct mont_lane *lane, size_t num)
{
    return run_groups(mont_lanes_run, MONT_POWER_LIMBS, MONT_LANES_LIMBS, lane, num);
}

int mont_lanes_power_vartime(const struct mont_lane *lane, size_t num)
{
    return run_groups(mont_lanes_run_vartime, MONT_MAX_LIMBS, MONT_LANES_PUBLIC_LIMBS, lane, num);
}

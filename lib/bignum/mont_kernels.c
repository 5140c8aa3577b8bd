/* SPDX-License-Identifier: Apache-2.0 */
#include "mont_kernels.h"
#include "../internal.h"

/* An entry of the table; the macros of other architectures are empty, as in internal.h. */
#define MONT_ROW(kernel_name, kernel_needs, min, max, mul_fn, steps_fn, power_fn) \
    { .min_limbs = min,                                                           \
      .max_limbs = max,                                                           \
      .mul = mul_fn,                                                              \
      .steps = steps_fn,                                                          \
      .power = power_fn,                                                          \
      .needs = kernel_needs,                                                      \
      .name = kernel_name },

#if defined(__sparc__) && defined(__arch64__)
#define MONT_ROW_T4(limbs) \
    MONT_ROW("t4", CPU(SPARC_MONT), limbs, limbs, mont_mul_t4, mont_steps_t4, mont_power_t4)
#define MONT_ROW_VIS3 \
    MONT_ROW("vis3", CPU(SPARC_VIS3), 1, MONT_MAX_LIMBS, mont_mul_vis3, mont_steps_vis3, NULL)
#else
#define MONT_ROW_T4(limbs)
#define MONT_ROW_VIS3
#endif

#if defined(HR_PROVEN) && defined(__x86_64__)
#define MONT_ROW_PROVEN(limbs)                                                   \
    MONT_ROW("adx", CPU(BMI2) | CPU(ADX), limbs, limbs, mont_mul_proven_##limbs, \
             mont_steps_proven_##limbs, NULL)
#elif defined(HR_PROVEN) && defined(__aarch64__)
#define MONT_ROW_PROVEN(limbs) \
    MONT_ROW("mul", 0, limbs, limbs, mont_mul_proven_##limbs, mont_steps_proven_##limbs, NULL)
#else
#define MONT_ROW_PROVEN(limbs)
#endif

/* clang-format off */
const struct mont_kernel mont_kernels[] = { /* best first; portable C last */
    MONT_ROW_T4(8) MONT_ROW_T4(16) MONT_ROW_T4(24) MONT_ROW_T4(32) MONT_ROW_VIS3
    MONT_PROVEN_LENGTHS(MONT_ROW_PROVEN)
    MONT_ROW("c", 0, 1, MONT_MAX_LIMBS, mont_mul, mont_steps_c, NULL)
};
/* clang-format on */
const size_t mont_num_kernels = COUNT(mont_kernels);

const struct mont_kernel *mont_kernel(size_t num)
{
    const uint64_t have = hr_cpu_features();
    const struct mont_kernel *kernel = mont_kernels;
    while (num < kernel->min_limbs || num > kernel->max_limbs || kernel->needs & ~have)
        kernel++;
    return kernel;
}

void mont_steps_c(uint64_t *z, const uint64_t *x, unsigned squarings, const uint64_t *y,
                  const struct modulus *m)
{
    mont_steps_by(mont_mul, z, x, squarings, y, m);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* P-384: its kernels. */
#include "ec_c.h"
#include "ec_proven.h"

/* clang-format off */
static const struct ec_kernel kernels[] = { /* best first; portable C last */
    KERNEL_PROVEN_X86("adx_avx2", CPU(BMI2) | CPU(ADX) | CPU(AVX2), EC_PROVEN_MONT(p384, ),
                      ec_look_up_avx2)
    KERNEL_PROVEN_X86("adx", CPU(BMI2) | CPU(ADX), EC_PROVEN_MONT(p384, ))
    KERNEL_PROVEN_X86("mul", 0, EC_PROVEN_MONT(p384, _alt))
    /* On aarch64 _alt is for cores that multiply fast; which those are cannot be asked. */
    KERNEL_PROVEN_ARM64("mul", 0, EC_PROVEN_MONT(p384, ))
    KERNEL_PROVEN_ARM64("mul_alt", 0, EC_PROVEN_MONT(p384, _alt))
    EC_KERNEL_C(p384)
};
/* clang-format on */

const struct ec_curve p384_curve = {
    .domain = &p384_domain, .comb = p384_comb, .kernels = kernels, .num_kernels = COUNT(kernels)
};

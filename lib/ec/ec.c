/* SPDX-License-Identifier: Apache-2.0 */
#include "ec.h"

/* The choice is not remembered: it takes no time compared with what follows. */
const struct ec_kernel *ec_choose(const struct ec_curve *curve)
{
    const struct ec_kernel *kernel = curve->kernels;
    const uint64_t have = hr_cpu_features();
    while (kernel->info.needs & ~have)
        kernel++;
    return kernel;
}

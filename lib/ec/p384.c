/* SPDX-License-Identifier: Apache-2.0 */
/* P-384: its kernels. */
#include "ec_c.h"
#include "ec_proven.h"

/* clang-format off */
static const struct ec_kernel kernels[] = { /* best first; portable C last */
    EC_KERNELS_PROVEN(p384, EC_PROVEN_MONT)
    EC_KERNEL_C(p384)
};
/* clang-format on */

const struct ec_curve p384_curve = {
    .domain = &p384_domain, .comb = p384_comb, .kernels = kernels, .num_kernels = COUNT(kernels)
};

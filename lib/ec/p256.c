/* SPDX-License-Identifier: Apache-2.0 */
/* P-256: its kernels. */
#include "ec_c.h"
#include "ec_proven.h"

/* clang-format off */
static const struct ec_kernel kernels[] = { /* best first; portable C last */
    EC_KERNELS_PROVEN(p256, EC_PROVEN_MONT)
    EC_KERNEL_C(p256)
};
/* clang-format on */

const struct ec_curve p256_curve = {
    .domain = &p256_domain, .comb = p256_comb, .kernels = kernels, .num_kernels = COUNT(kernels)
};

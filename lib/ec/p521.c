/* SPDX-License-Identifier: Apache-2.0 */
/* P-521: its kernels. */
#include "ec_c.h"
#include "ec_proven.h"

/* clang-format off */
static const struct ec_kernel kernels[] = { /* best first; portable C last */
    EC_KERNELS_PROVEN(p521, EC_PROVEN_PLAIN)
    EC_KERNEL_C(p521)
};
/* clang-format on */

const struct ec_curve p521_curve = {
    .domain = &p521_domain, .comb = p521_comb, .kernels = kernels, .num_kernels = COUNT(kernels)
};

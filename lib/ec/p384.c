/* SPDX-License-Identifier: Apache-2.0 */
/* P-384: its kernels. */
#include "ec_c.h"

static const struct ec_kernel kernels[] = {
    /* best first; portable C last */
    EC_KERNEL_C(p384)
};

const struct ec_curve p384_curve = {
    .domain = &p384_domain, .comb = p384_comb, .kernels = kernels, .num_kernels = COUNT(kernels)
};

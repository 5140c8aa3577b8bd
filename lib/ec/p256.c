/* SPDX-License-Identifier: Apache-2.0 */
/* P-256: its kernels. */
#include "ec_c.h"

static const struct ec_kernel kernels[] = {
    /* best first; portable C last */
    EC_KERNEL_C(p256)
};

const struct ec_curve p256_curve = {
    .domain = &p256_domain, .comb = p256_comb, .kernels = kernels, .num_kernels = COUNT(kernels)
};

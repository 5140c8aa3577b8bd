/* SPDX-License-Identifier: Apache-2.0 */
/* check_masked runs a check of lanes with the features of a mask, unless that leaves the kernel of
 * the call before; `first` is 1 in its first run.  Kernels are those for `limbs` and `num`. */
#ifndef HR_TEST_MASKS_H
#define HR_TEST_MASKS_H

#include "bignum/mont_lanes.h"
#include "cpu.h"
#include "internal.h"
#include "memcheck.h"
#include "test.h"

#define IFMA CPU(AVX512IFMA)

static inline void check_masked(uint64_t features, const char *name, size_t limbs, size_t num,
                                void (*check)(const struct mont_lanes_kernel *kernel, int first))
{
    static const struct mont_lanes_kernel *before;
    const uint64_t have = hr_cpu_features();
    cpu_override(have & features);
    const struct mont_lanes_kernel *const kernel = mont_lanes_kernel(limbs, num, 0);
    if (kernel != before)
        check(kernel, !before);
    cpu_override(have);
    if (CT_ERRORS())
        complain("%u branches or addresses depend on a secret", CT_ERRORS());
    if (kernel == before)
        tap_skip("the same kernel again", "%s", name);
    else
        tap(1, "%s: %s", name, kernel->info.name);
    before = kernel;
}

#endif

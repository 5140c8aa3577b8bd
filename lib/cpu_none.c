/* SPDX-License-Identifier: Apache-2.0 */
/* For CPUs without kernels of their own: portable C computes everything. */
#include "cpu.h"

const uint64_t cpu_arch_mask = 0;

uint64_t cpu_detect(void)
{
    return 0;
}

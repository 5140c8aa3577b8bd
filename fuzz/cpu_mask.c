/* SPDX-License-Identifier: Apache-2.0 */
/* Any value of HEADRACE_CPU: it takes features away, never adds any, and applying it twice is the
 * same as once. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t all = cpu_apply_mask(cpu_arch_mask, "");
    char *mask = malloc(size + 1);
    memcpy(mask, data, size);
    mask[size] = '\0';
    const uint64_t left = cpu_apply_mask(all, mask);
    CHECK(!(left & ~all));
    CHECK(cpu_apply_mask(left, mask) == left);
    CHECK(cpu_apply_mask(left, "") == left);
    CHECK(cpu_apply_mask(0, mask) == 0);
    free(mask);
    return 0;
}

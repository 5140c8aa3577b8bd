/* SPDX-License-Identifier: Apache-2.0 */
#include "stack.h"
#include "../internal.h"

__attribute__((noinline)) void pk_wipe_stack(void)
{
    uint8_t below[8 << 10];
    WIPE(&below);
}

__attribute__((noinline)) void pk_wipe_deep_stack(void)
{
    uint8_t below[64 << 10];
    WIPE(&below);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "stack.h"
#include "../internal.h"

__attribute__((noinline)) void pk_wipe_stack(void)
{
    uint8_t below[8192];
    WIPE(&below);
}

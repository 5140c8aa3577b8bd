/* SPDX-License-Identifier: Apache-2.0 */
/* On a CPU for which there are no assembled kernels, the compiler answers for the registers. */
#include "checked_call.h"

unsigned call_and_compare(void (*fn)(void), const uintptr_t args[6])
{
    ((void (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t))fn)(
        args[0], args[1], args[2], args[3], args[4], args[5]);
    return 0;
}

int upper_halves_tracked(void)
{
    return 0;
}
int upper_halves_dirty(void)
{
    return 0;
}
void upper_halves_clean(void) {}
const char *const registers_checked = "registers: by the compiler (no assembly here)";
const unsigned num_clobbered = 0;
void clobber_three(void) {}

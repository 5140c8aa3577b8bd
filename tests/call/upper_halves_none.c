/* SPDX-License-Identifier: Apache-2.0 */
/* Vector registers have no upper halves whose state costs anything here. */
#include "checked_call.h"

const char *const registers_checked = "registers: x19-x28, d8-d15";
const unsigned num_clobbered = 3;
int upper_halves_tracked(void)
{
    return 0;
}
int upper_halves_dirty(void)
{
    return 0;
}
void upper_halves_clean(void) {}

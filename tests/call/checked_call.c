/* SPDX-License-Identifier: Apache-2.0 */
#include "checked_call.h"
#include "../test.h"

int checked_call(void (*fn)(void), const uintptr_t args[6])
{
    const int tracked = upper_halves_tracked();
    if (tracked)
        upper_halves_clean();
    int changed = (int)call_and_compare(fn, args);
    if (tracked && upper_halves_dirty())
        changed++;
    return changed;
}

const char *checked_call_scope(void)
{
    static char text[200];
    snprintf(text, sizeof text, "%s; vector upper halves: %s", registers_checked,
             upper_halves_tracked() ? "checked (XINUSE)" : "not checked: not told by this CPU");
    return text;
}

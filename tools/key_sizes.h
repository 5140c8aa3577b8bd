/* SPDX-License-Identifier: Apache-2.0
 *
 * The table that Solaris's encrypt -l and mac -l print.
 */
#ifndef KEY_SIZES_H
#define KEY_SIZES_H

#include "../cli/tool.h"
#include <stdio.h>

static inline void key_sizes_head(void)
{
    puts("Algorithm       Keysize:  Min   Max\n"
         "-----------------------------------");
}

/* The lengths are in bits. */
static inline void key_sizes_row(const char *name, int least, int most)
{
    tool_say("%-23s %5d %5d\n", name, least, most);
}

#endif

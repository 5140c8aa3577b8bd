/* SPDX-License-Identifier: Apache-2.0 */
/* Names of long-term keys, and what they may consist of: for the service, its administrator's
 * program, and clients, which believe nothing that a service sends. */
#ifndef HR_KEY_NAME_H
#define HR_KEY_NAME_H

#include "control.h"
#include <stdbool.h>
#include <string.h>

/* key_name_is_fine accepts letters, digits, dots, underscores and hyphens, with no dot at the
 * beginning, and less than CONTROL_NAME bytes. */
static inline bool key_name_is_fine(const char *name)
{
    const size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789._-");
    return len && len < CONTROL_NAME && !name[len] && name[0] != '.';
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "providers.h"
#include <stdlib.h>
#include <string.h>

bool has_providers(const char *name)
{
    static const char stem[] = "libcrypto.so.";
    return !strncmp(name, stem, sizeof stem - 1) && atoi(name + sizeof stem - 1) >= 3;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The row that a name on the command line means. */
#include "algorithm.h"
#include "near.h"
#include "tool.h"
#include <string.h>

bool tool_in_provider(const struct hr_algorithm *row)
{
    return row->cls != HR_CLASS_MAC && row->cls <= HR_CLASS_KDF &&
           !(row->flags & HR_CHECKSUM_ONLY);
}

static void offer_list(struct near *near, const char *name, const char *list)
{
    while (*list) {
        const size_t item = strcspn(list, ":");
        near_offer(near, name, list, item);
        list += item + (list[item] == ':');
    }
}

/* A symbol with hyphens instead of underscores: "hmac-sha256", as protocols spell it. */
static const struct hr_algorithm *hyphened(const char *name)
{
    char symbol[64];
    if (strlen(name) >= sizeof symbol)
        return NULL;
    strcpy(symbol, name);
    for (char *c = symbol; *c; c++)
        if (*c == '-')
            *c = '_';
    return hr_algorithm_by_name(symbol);
}

const struct hr_algorithm *tool_algorithm(const char *name)
{
    const struct hr_algorithm *row = hr_algorithm_by_name(name);
    if (!row)
        row = hyphened(name);
    if (row)
        return row;
    struct near near = near_begin(name);
    char names[256];
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        offer_list(&near, row->name, row->name);
        offer_list(&near, row->name, row->openssl_names);
    }
    near_text(&near, names, sizeof names);
    tool_usage("unknown algorithm %s%s", name, names);
    return NULL;
}

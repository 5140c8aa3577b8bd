/* SPDX-License-Identifier: Apache-2.0 */
#include "families.h"
#include <stddef.h>
#include <string.h>

static const struct family_info families[] = {
    [FAMILY_NONE] = { "", "", KIND_NONE, "", "", "", "" },
#define FAMILY(id, name, option, kind, x86, arm64, x86_set, arm64_set) \
    [FAMILY_##id] = { name, option, KIND_##kind, x86, arm64, x86_set, arm64_set },
#include "families.def"
#undef FAMILY
};

const struct family_info *family_info(enum family family)
{
    return &families[(unsigned)family < NUM_FAMILIES ? family : FAMILY_NONE];
}

enum family family_by_option(const char *name)
{
    for (unsigned i = FAMILY_NONE + 1; i < NUM_FAMILIES; i++)
        if (!strcmp(families[i].option, name))
            return (enum family)i;
    return FAMILY_NONE;
}

static const char *const how_names[NUM_HOWS] = {
    [HOW_NONE] = "none",
    [HOW_HARDWARE] = "hardware",
    [HOW_VECTOR] = "vector software",
    [HOW_SOFTWARE] = "software",
    [HOW_ARITHMETIC] = "accelerated arithmetic",
    [HOW_CHECKSUM] = "checksum",
    [HOW_HASHING] = "hashing",
    [HOW_UNCLASSIFIED] = "unclassified",
};

const char *family_how_name(enum how how)
{
    return how_names[(unsigned)how < NUM_HOWS ? how : HOW_NONE];
}

int family_is_crypto(enum family family)
{
    const enum kind kind = family_info(family)->kind;
    return kind == KIND_CIPHER || kind == KIND_DIGEST || kind == KIND_MAC;
}

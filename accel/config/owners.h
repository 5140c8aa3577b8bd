/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns a user id.  A user has ids for containers besides the own one, which subuid(5) lists;
 * they count as one user where shares and limits of users are concerned. */
#ifndef HR_OWNERS_H
#define HR_OWNERS_H

#include "lines.h"
#include <stddef.h>
#include <stdint.h>

enum { OWNERS_MAX = 1024 };

struct owners {
    unsigned num;
    struct owned {
        uint32_t from, to, owner;
    } at[OWNERS_MAX];
};

/* owners_parse reads the text of a subuid(5) file.  Lines that are none, and those of names that
 * `lookup` does not know, are left out, as are the ranges of root, whose containers belong to
 * different people, and all after OWNERS_MAX ranges. */
void owners_parse(struct owners *o, const char *text, size_t text_len, who_lookup *lookup);
/* owners_find returns the owner of a user id, or the id itself if nobody owns it. */
uint32_t owners_find(const struct owners *o, uint32_t uid);

#endif

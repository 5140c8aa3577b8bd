/* SPDX-License-Identifier: Apache-2.0 */
#include "owners.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 256 };

/* number_of returns the number of a user who is given by name or by number, or -1. */
static int64_t number_of(const char *user, who_lookup *lookup)
{
    int64_t number;
    int end = 0;
    if (sscanf(user, "%10" SCNd64 "%n", &number, &end) == 1 && !user[end])
        return number;
    return lookup(user, false);
}

/* add adds the range of a line, USER:FROM:LENGTH. */
static void add(struct owners *o, const char *line, who_lookup *lookup)
{
    char user[LINE];
    int64_t from, len;
    int end = 0;
    if (sscanf(line, "%255[^:]:%10" SCNd64 ":%10" SCNd64 "%n", user, &from, &len, &end) != 3 ||
        line[end] || from < 0 || len <= 0 || from + len > UINT32_MAX)
        return;
    const int64_t owner = number_of(user, lookup);
    if (owner > 0 && owner < UINT32_MAX && o->num < OWNERS_MAX)
        o->at[o->num++] =
            (struct owned){ (uint32_t)from, (uint32_t)(from + len - 1), (uint32_t)owner };
}

void owners_parse(struct owners *o, const char *text, size_t text_len, who_lookup *lookup)
{
    char line[LINE];
    o->num = 0;
    for (const char *const end = text + text_len; text < end;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const size_t len = (size_t)((newline ? newline : end) - text);
        if (len < sizeof line) {
            memcpy(line, text, len);
            line[len] = '\0';
            add(o, line, lookup);
        }
        text += len + 1;
    }
}

uint32_t owners_find(const struct owners *o, uint32_t uid)
{
    for (unsigned i = 0; i < o->num; i++)
        if (uid >= o->at[i].from && uid <= o->at[i].to)
            return o->at[i].owner;
    return uid;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons why cases are skipped, each with how many. */
#ifndef HR_TEST_P11_SKIPPED_H
#define HR_TEST_P11_SKIPPED_H

#include <stdio.h>
#include <string.h>

static struct reason {
    const char *text;
    unsigned times;
} reasons[16];

/* skip counts a case with this reason, and returns 0, as run_lines has it. */
static inline int skip(const char *text)
{
    struct reason *r = reasons;
    while (r->text && strcmp(r->text, text))
        r++;
    r->text = text;
    r->times++;
    return 0;
}

static inline void print_skipped(void)
{
    for (const struct reason *r = reasons; r->text; r++)
        printf("# skipped %u: %s\n", r->times, r->text);
}

#endif

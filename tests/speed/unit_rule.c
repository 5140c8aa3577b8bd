/* SPDX-License-Identifier: Apache-2.0 */
/* Which rule for public key `headrace accel calibrate` writes, from made-up figures. */
#include "unit_rule.h"
#include <stdio.h>

static const struct {
    const char *name;
    size_t num;
    unsigned rule;
    struct unit_load loads[UNIT_LOADS];
} cases[] = {
    { "nothing measured", 0, UNIT_NEVER, { { 1, 1, 2, 2 } } },
    { "it never wins", 3, UNIT_NEVER, { { 1, 1, 0.7, 1 }, { 2, 2, 0.9, 1 }, { 4, 4, 1, 1 } } },
    { "it wins alone", 2, 1, { { 1, 1, 1.2, 1.1 }, { 2, 2, 1.3, 1.2 } } },
    { "halfway", 3, 4, { { 1, 1, 0.7, 1 }, { 2, 2.4, 0.9, 1 }, { 4, 6.5, 1.5, 1.2 } } },
    { "above the load at which it loses", 2, 2, { { 1, 1.9, 0.7, 1 }, { 2, 2, 1.2, 1.2 } } },
    { "even if more processes had a smaller one", 2, 6, { { 8, 5, 1, 1 }, { 16, 4, 2, 2 } } },
    { "a gain within noise is none", 2, UNIT_NEVER, { { 1, 1, 1, 1 }, { 2, 2, 1.09, 1.5 } } },
    { "a gain of just 1.1 is one", 2, 2, { { 1, 1, 1, 1 }, { 2, 3, 1.1, 1 } } },
    { "less done is no gain", 2, UNIT_NEVER, { { 1, 1, 1, 1 }, { 2, 2, 2, 0.99 } } },
    { "a loss with more processes counts",
      3,
      4,
      { { 1, 1, 2, 2 }, { 2, 3, 0.9, 2 }, { 4, 5, 2, 2 } } },
    { "a loss with most processes", 2, UNIT_NEVER, { { 1, 1, 2, 2 }, { 2, 2, 1, 2 } } },
    { "255 is never reached", 2, 254, { { 1, 1, 1, 1 }, { 64, 999, 2, 2 } } },
    { "nor is it above a loss", 2, 254, { { 1, 500, 1, 1 }, { 64, 999, 2, 2 } } },
};

int main(void)
{
    const int num = sizeof cases / sizeof *cases;
    int failed = 0;
    for (int i = 0; i < num; i++) {
        const unsigned rule = unit_rule(cases[i].loads, cases[i].num);
        const int good = rule == cases[i].rule;
        printf("%sok %d - %s: %u\n", good ? "" : "not ", i + 1, cases[i].name, rule);
        failed += !good;
    }
    printf("1..%d\n", num);
    return failed != 0;
}

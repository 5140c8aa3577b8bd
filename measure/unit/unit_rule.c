/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_rule.h"
#include <stdbool.h>

/* Programs alone must take 10 % more CPU time, which is more than the ratio differs from turn to
 * turn, and get no more done. */
static const double least_cpu = 1.1, least_rate = 1;

static bool wins(const struct unit_load *at)
{
    return at->cpu >= least_cpu && at->rate >= least_rate;
}

unsigned unit_rule(const struct unit_load *loads, size_t num)
{
    size_t first = num;
    while (first && wins(&loads[first - 1]))
        first--;
    if (first == num)
        return UNIT_NEVER;
    if (!first)
        return 1;
    /* Clients compare the whole part of their mean, which varies by a part of it. So the line is
     * halfway between two measured loads, and not at that of fewer processes. */
    const unsigned loses = (unsigned)loads[first - 1].load;
    const unsigned halfway = (unsigned)((loads[first - 1].load + loads[first].load) / 2);
    const unsigned rule = halfway > loses ? halfway : loses + 1;
    return rule < UNIT_NEVER ? rule : UNIT_NEVER - 1;
}

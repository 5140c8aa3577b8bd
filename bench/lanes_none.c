/* SPDX-License-Identifier: Apache-2.0 */
/* In place of lanes_ipsecmb.c, where that library is not there. */
#include "lanes.h"

bench_run *ipsecmb_cell(const struct bench_cell *cell)
{
    (void)cell;
    return NULL;
}

bench_run *ipsecmb_one_cell(const struct bench_cell *cell)
{
    (void)cell;
    return NULL;
}

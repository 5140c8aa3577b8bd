/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the place of lanes_ipsecmb.c if intel-ipsec-mb is not installed. */
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

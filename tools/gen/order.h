/* SPDX-License-Identifier: Apache-2.0 */
/* An order in which to compute a netlist, so that few signals are wanted at one time and that a
 * gate, where it can, is the last to read one of its inputs: vpternlog overwrites an input. */
#pragma once
#include "netlist.h"

enum { MAX_STEPS = MAX_SIGNALS + OUTPUTS };

struct order {
    int num, step[MAX_STEPS]; /* signals, and outputs as MAX_SIGNALS + their number */
    int most_live;            /* the most signals that are wanted after a step */
    int copies;               /* gates whose inputs are all wanted again */
    long sum_live;            /* signals wanted, over all steps */
};

/* The best of `tries` random orders: fewest live signals, as far as there are more than `enough`,
 * then fewest copies. */
void order_find(const struct netlist *list, int tries, int enough, struct order *best);
/* How many steps read a signal. */
int order_num_uses(const struct netlist *list, int signal);
/* The last step, as a place in the order, that reads a signal. */
int order_last_use(const struct netlist *list, const struct order *order, int signal);

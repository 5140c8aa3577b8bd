/* SPDX-License-Identifier: Apache-2.0 */
/* An order in which to compute a netlist, such that few signals are live at a time, and that if
 * possible a gate is the last to read one of its inputs, because vpternlog overwrites an input. */
#pragma once
#include "netlist.h"

enum { MAX_STEPS = MAX_SIGNALS + OUTPUTS };

struct order {
    int num, step[MAX_STEPS]; /* signals, and outputs as MAX_SIGNALS + their number */
    int most_live;            /* the highest number of live signals after any step */
    int copies;               /* gates whose inputs are all needed later */
    long sum_live;            /* sum of the numbers of live signals after each step */
};

/* Finds the best of `tries` random orders: the one with fewest live signals, as far as they
 * exceed `enough`, and among these the one with fewest copies. */
void order_find(const struct netlist *list, int tries, int enough, struct order *best);
/* The number of steps that read a signal. */
int order_num_uses(const struct netlist *list, int signal);
/* The index in the order of the last step that reads a signal. */
int order_last_use(const struct netlist *list, const struct order *order, int signal);

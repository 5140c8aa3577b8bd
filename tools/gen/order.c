/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include "random.h"

#include <string.h>

/* The state of a walk through a netlist: the steps that are left. */
struct progress {
    const struct netlist *list;
    int uses[MAX_SIGNALS]; /* how many steps to come read the signal */
    int done[MAX_STEPS];
    int live;
};

/* Lists the different inputs of a step. */
static int inputs_of(const struct netlist *list, int step, int *in)
{
    return gate_inputs(step < MAX_SIGNALS ? list->gate[step] : list->out[step - MAX_SIGNALS], in);
}

static int is_step(const struct netlist *list, int step)
{
    return (step >= INPUTS && step < list->num_signals) || step >= MAX_SIGNALS;
}

static void start(struct progress *progress, const struct netlist *list)
{
    memset(progress, 0, sizeof *progress);
    progress->list = list;
    progress->live = INPUTS;
    for (int step = 0; step < MAX_STEPS; step++) {
        int in[3];
        if (is_step(list, step))
            for (int k = inputs_of(list, step, in); k-- > 0;)
                progress->uses[in[k]]++;
    }
    for (int i = 0; i < INPUTS; i++)
        progress->done[i] = 1;
}

static int is_ready(const struct progress *progress, int step)
{
    int in[3];
    int ready = is_step(progress->list, step) && !progress->done[step];
    for (int k = ready ? inputs_of(progress->list, step, in) : 0; k-- > 0;)
        ready &= progress->done[in[k]];
    return ready;
}

/* How many signals are read for the last time in a step. */
static int deaths(const struct progress *progress, int step)
{
    int in[3], num = 0;
    for (int k = inputs_of(progress->list, step, in); k-- > 0;)
        num += progress->uses[in[k]] == 1;
    return num;
}

/* Chooses the next step: outputs and steps that free signals come early; otherwise at random. */
static int choose(const struct progress *progress)
{
    int best = -1, best_rank = -1;
    for (int step = INPUTS; step < MAX_STEPS; step++) {
        if (!is_ready(progress, step))
            continue;
        const int frees = deaths(progress, step) + (step >= MAX_SIGNALS);
        const int rank = frees * 8 + random_below(20);
        if (rank > best_rank) {
            best_rank = rank;
            best = step;
        }
    }
    return best;
}

static void try_order(const struct netlist *list, struct order *order)
{
    struct progress progress;
    start(&progress, list);
    *order = (struct order){ .num = 0 };
    const int total = netlist_gates(list) + OUTPUTS;
    while (order->num < total) {
        const int step = choose(&progress);
        const int dead = deaths(&progress, step), is_gate = step < MAX_SIGNALS;
        int in[3];
        order->copies += is_gate && dead == 0;
        for (int k = inputs_of(list, step, in); k-- > 0;)
            progress.uses[in[k]]--;
        progress.live += is_gate - dead;
        progress.done[step] = 1;
        order->step[order->num++] = step;
        order->sum_live += progress.live;
        if (progress.live > order->most_live)
            order->most_live = progress.live;
    }
}

static long cost(const struct order *order, int enough)
{
    const int excess = order->most_live > enough ? order->most_live - enough : 0;
    return excess * 1000000L + order->copies * 10000L + order->sum_live;
}

void order_find(const struct netlist *list, int tries, int enough, struct order *best)
{
    for (int i = 0; i < tries; i++) {
        struct order order;
        try_order(list, &order);
        if (i == 0 || cost(&order, enough) < cost(best, enough))
            *best = order;
    }
}

int order_num_uses(const struct netlist *list, int signal)
{
    int num = 0, in[3];
    for (int step = 0; step < MAX_STEPS; step++)
        if (is_step(list, step))
            for (int k = inputs_of(list, step, in); k-- > 0;)
                num += in[k] == signal;
    return num;
}

int order_last_use(const struct netlist *list, const struct order *order, int signal)
{
    int last = -1, in[3];
    for (int i = 0; i < order->num; i++)
        for (int k = inputs_of(list, order->step[i], in); k-- > 0;)
            if (in[k] == signal)
                last = i;
    return last;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "random.h"
#include "search.h"

#include <math.h>
#include <string.h>

/* The cost of a netlist: a gate costs 1000, plus 350 log2(n) if n others read it. A change for
 * the worse by HEAT is taken with probability 1/e. One step in ADDS may add a gate, up to SLACK
 * above the best. Costs are integers, so that they are the same with every compiler. */
enum { GATE = 1000, HEAT = 300, ADDS = 20, SLACK = 2, MOST_READERS = 16 };
static const int reading[MOST_READERS + 1] = { 0,    0,    350,  555,  700,  813,  905,  983, 1050,
                                               1109, 1163, 1211, 1255, 1295, 1333, 1367, 1400 };

/* The inputs at which a signal's value affects an output. */
static uint64_t matters(const struct search *search, const struct netlist *list, int v)
{
    uint64_t value[MAX_SIGNALS], care = 0;
    memcpy(value, list->value, sizeof value[0] * (size_t)list->num_signals);
    value[v] = ~value[v];
    for (int i = v + 1; i < list->num_signals; i++)
        value[i] = gate_value(list->gate[i], value);
    for (int o = 0; o < OUTPUTS; o++)
        care |= gate_value(list->out[o], value) ^ search->goal[o];
    return care;
}

/* ---- cones: the removed parts, marked by signal number; outputs come behind MAX_SIGNALS ---- */

static int reads(struct gate gate, int u)
{
    return gate.in[0] == u || gate.in[1] == u || gate.in[2] == u;
}

static int only_for(const struct netlist *list, int u, const uint8_t *cone)
{
    for (int i = u + 1; i < list->num_signals; i++)
        if (!cone[i] && reads(list->gate[i], u))
            return 0;
    for (int o = 0; o < OUTPUTS; o++)
        if (!cone[MAX_SIGNALS + o] && reads(list->out[o], u))
            return 0;
    return 1;
}

/* Adds gates that only the cone needs, until it has `size` gates or there are no more such
 * gates. */
static int grow(const struct netlist *list, uint8_t *cone, int have, int size)
{
    const int num = netlist_gates(list);
    while (have < size) {
        const int first = random_below(num);
        int i = 0;
        for (; i < num; i++) {
            const int u = INPUTS + (first + i) % num;
            if (cone[u] || !only_for(list, u, cone))
                continue;
            cone[u] = 1;
            break;
        }
        if (i == num)
            return have;
        have++;
    }
    return have;
}

static void mark_what_reads(const struct netlist *list, int v, uint8_t *skip)
{
    skip[v] = 1;
    for (int i = v + 1; i < list->num_signals; i++) {
        const uint8_t *in = list->gate[i].in;
        skip[i] |= skip[in[0]] | skip[in[1]] | skip[in[2]];
    }
}

/* ---- steps ---- */

static void redirect(struct netlist *list, int from, int to)
{
    for (int i = INPUTS; i < list->num_signals; i++)
        for (int k = 0; k < 3; k++)
            if (list->gate[i].in[k] == from)
                list->gate[i].in[k] = (uint8_t)to;
    for (int o = 0; o < OUTPUTS; o++)
        for (int k = 0; k < 3; k++)
            if (list->out[o].in[k] == from)
                list->out[o].in[k] = (uint8_t)to;
}

/* Returns how many gates may replace `have` ones: as many, or at random one fewer; plus `more`. */
static int allowance(int have, int more)
{
    return have + more - (have > 1 && random_below(2));
}

static int step_gate(const struct search *search, struct netlist *list, int v, int size, int more)
{
    uint8_t marked[MAX_SIGNALS + OUTPUTS] = { 0 };
    marked[v] = 1;
    const int have = grow(list, marked, 1, size);
    const struct want want = { list->value[v], matters(search, list, v) };
    mark_what_reads(list, v, marked);
    struct pool pool;
    pool_fill(&pool, list, marked);
    const int w = search->basis->find(list, &pool, want, allowance(have, more));
    if (w < 0)
        return 0;
    redirect(list, v, w);
    return 1;
}

static int step_out(const struct search *search, struct netlist *list, int o, int size, int more)
{
    uint8_t cone[MAX_SIGNALS + OUTPUTS] = { 0 };
    cone[MAX_SIGNALS + o] = 1;
    const int have = grow(list, cone, 0, size - 1);
    const struct want want = { search->goal[o], ~(uint64_t)0 };
    struct pool pool;
    pool_fill(&pool, list, cone);
    return search->basis->find_out(list, &pool, want, allowance(have, more), &list->out[o]);
}

/* The size of the next cone: one gate or two in half of the steps, up to nine in the others. */
static int random_size(void)
{
    const int r = random_below(16);
    return r < 5 ? 1 : r < 8 ? 2 : r < 11 ? 3 : 4 + random_below(6);
}

static int step(const struct search *search, struct netlist *list, int may_add)
{
    const int num = netlist_gates(list);
    const int outs = search->basis->outs_move && random_below(2) ? OUTPUTS : 0;
    const int v = random_below(num + outs), size = random_size();
    const int more = may_add && random_below(ADDS) == 0;
    return v < num ? step_gate(search, list, INPUTS + v, size, more)
                   : step_out(search, list, v - num, size, more);
}

/* ---- the walk ---- */

static int cost(const struct netlist *list)
{
    int num_readers[MAX_SIGNALS] = { 0 }, in[3];
    for (int i = INPUTS; i < list->num_signals; i++)
        for (int k = gate_inputs(list->gate[i], in); k-- > 0;)
            num_readers[in[k]]++;
    for (int o = 0; o < OUTPUTS; o++)
        for (int k = gate_inputs(list->out[o], in); k-- > 0;)
            num_readers[in[k]]++;
    int sum = 0;
    for (int i = INPUTS; i < list->num_signals; i++)
        sum += GATE + reading[num_readers[i] < MOST_READERS ? num_readers[i] : MOST_READERS];
    return sum;
}

static int is_taken(int loss)
{
    return loss <= 0 || (double)(random_bits() >> 11) * 0x1p-53 < exp(-(double)loss / HEAT);
}

void walk(const struct search *search, struct netlist *best, long idle)
{
    struct netlist now = *best;
    int now_cost = cost(&now);
    for (long since = 0; since < idle; since++) {
        const int most = netlist_gates(best) + SLACK;
        struct netlist next = now;
        if (!step(search, &next, netlist_gates(&now) < most))
            continue;
        netlist_sweep(&next);
        const int next_cost = cost(&next);
        if (netlist_gates(&next) > most || !is_taken(next_cost - now_cost))
            continue;
        now = next;
        now_cost = next_cost;
        if (netlist_gates(&now) >= netlist_gates(best))
            continue;
        *best = now;
        since = 0;
    }
}

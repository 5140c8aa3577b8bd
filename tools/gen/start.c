/* SPDX-License-Identifier: Apache-2.0 */
/* The netlists from which a walk starts. */
#include "random.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

enum { BUILDS = 20, TRIES = 300, MOST_OF_ONE_GATE = 8 };

/* Builds a wanted function, and returns its signal: by at most two gates, or else as x ? high : low
 * for a random input x that `used` does not have. */
static int build(const struct search *search, struct netlist *list, struct want want, int used)
{
    static const uint8_t none[MAX_SIGNALS];
    struct pool pool;
    pool_fill(&pool, list, none);
    const int found = search->basis->find(list, &pool, want, 2);
    if (found >= 0)
        return found;
    int x = random_below(INPUTS);
    while (used >> x & 1)
        x = random_below(INPUTS);
    used |= 1 << x;
    const uint64_t in = list->value[x];
    const int low = build(search, list, (struct want){ want.value, want.care & ~in }, used);
    const int high = build(search, list, (struct want){ want.value, want.care & in }, used);
    return netlist_add(list, (struct gate){ { (uint8_t)x, (uint8_t)high, (uint8_t)low }, FN_MUX });
}

static void build_output(const struct search *search, struct netlist *list, int o)
{
    struct netlist best;
    best.num_signals = MAX_SIGNALS;
    for (int i = 0; i < BUILDS; i++) {
        struct netlist next = *list;
        const int w = build(search, &next, (struct want){ search->goal[o], ~(uint64_t)0 }, 0);
        next.out[o] = (struct gate){ { (uint8_t)w, (uint8_t)w, (uint8_t)w }, FN_FIRST };
        if (next.num_signals < best.num_signals)
            best = next;
    }
    *list = best;
}

void start_from_nothing(const struct search *search, struct netlist *list)
{
    netlist_init(list);
    const int first = random_below(OUTPUTS), step = random_below(2) ? 1 : OUTPUTS - 1;
    for (int i = 0; i < OUTPUTS; i++)
        build_output(search, list, (first + i * step) % OUTPUTS);
    netlist_sweep(list);
}

/* Translates a gate of another netlist, using its own inputs only. */
static int translate(const struct search *search, struct netlist *list, struct gate gate,
                     uint64_t value, const uint8_t *place)
{
    uint8_t skip[MAX_SIGNALS];
    memset(skip, 1, sizeof skip);
    for (int i = 0; i < 3; i++)
        skip[place[gate.in[i]]] = 0;
    struct pool pool;
    pool_fill(&pool, list, skip);
    const struct want want = { value & 1 ? ~value : value, ~(uint64_t)0 };
    for (int gates = 0; gates <= MOST_OF_ONE_GATE; gates++)
        for (int i = 0; i < TRIES; i++) {
            const int w = search->basis->find(list, &pool, want, gates);
            if (w >= 0)
                return w;
        }
    abort(); /* a function of three signals needs fewer gates */
}

void start_from(const struct search *search, struct netlist *list, const struct netlist *other)
{
    uint8_t place[MAX_SIGNALS];
    netlist_init(list);
    for (int i = 0; i < other->num_signals; i++)
        place[i] =
            (uint8_t)(i < INPUTS ? i
                                 : translate(search, list, other->gate[i], other->value[i], place));
    for (int o = 0; o < OUTPUTS; o++) {
        const int w = translate(search, list, other->out[o], search->goal[o], place);
        list->out[o] = (struct gate){ { (uint8_t)w, (uint8_t)w, (uint8_t)w }, FN_FIRST };
    }
    netlist_sweep(list);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "netlist.h"

#include <string.h>

int gate_inputs(struct gate gate, int *in)
{
    int num = 0;
    for (int k = 0; k < 3; k++) {
        int seen = 0;
        for (int i = 0; i < num; i++)
            seen |= in[i] == gate.in[k];
        if (!seen)
            in[num++] = gate.in[k];
    }
    return num;
}

uint64_t gate_value(struct gate gate, const uint64_t *value)
{
    const uint64_t a = value[gate.in[0]], b = value[gate.in[1]], c = value[gate.in[2]];
    const uint64_t of_c[4] = { 0, ~c, c, ~(uint64_t)0 }; /* by its results for c = 1 and c = 0 */
    const uint64_t low = (b & of_c[gate.fn >> 2 & 3]) | (~b & of_c[gate.fn & 3]);
    const uint64_t high = (b & of_c[gate.fn >> 6]) | (~b & of_c[gate.fn >> 4 & 3]);
    return (a & high) | (~a & low);
}

void netlist_init(struct netlist *list)
{
    memset(list, 0, sizeof *list);
    list->num_signals = INPUTS;
    for (int i = 0; i < INPUTS; i++)
        for (int x = 0; x < 64; x++)
            list->value[i] |= (uint64_t)(x >> (INPUTS - 1 - i) & 1) << x;
}

int netlist_add(struct netlist *list, struct gate gate)
{
    list->gate[list->num_signals] = gate;
    list->value[list->num_signals] = gate_value(gate, list->value);
    return list->num_signals++;
}

static uint8_t copy(struct netlist *to, const struct netlist *from, int signal, uint8_t *place)
{
    if (place[signal] == UINT8_MAX) {
        struct gate gate = from->gate[signal];
        for (int i = 0; i < 3; i++)
            gate.in[i] = copy(to, from, gate.in[i], place);
        place[signal] = (uint8_t)netlist_add(to, gate);
    }
    return place[signal];
}

void netlist_sweep(struct netlist *list)
{
    const struct netlist from = *list;
    uint8_t place[MAX_SIGNALS];
    memset(place, UINT8_MAX, sizeof place);
    for (uint8_t i = 0; i < INPUTS; i++)
        place[i] = i;
    list->num_signals = INPUTS;
    for (int o = 0; o < OUTPUTS; o++)
        for (int i = 0; i < 3; i++)
            list->out[o].in[i] = copy(list, &from, from.out[o].in[i], place);
}

int netlist_gates(const struct netlist *list)
{
    return list->num_signals - INPUTS;
}

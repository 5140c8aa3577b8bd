/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of a netlist: a line `box N` (and, for readers, how it was found), one line for
 * each gate (its number, its inputs, its function in hexadecimal), and one for each output. */
#include "netlist.h"

#include <stdio.h>

static int read_gate(const char *line, const char *format, int *number, struct gate *gate)
{
    unsigned a, b, c, fn;
    if (sscanf(line, format, number, &a, &b, &c, &fn) != 5)
        return 0;
    *gate = (struct gate){ { (uint8_t)a, (uint8_t)b, (uint8_t)c }, (uint8_t)fn };
    return a < MAX_SIGNALS && b < MAX_SIGNALS && c < MAX_SIGNALS && fn < 256;
}

int netlist_read(FILE *file, int box, struct netlist *list)
{
    char line[256];
    int at = 0, outs = 0, number;
    struct gate gate;
    netlist_init(list);
    while (outs < OUTPUTS && fgets(line, sizeof line, file)) {
        if (sscanf(line, "box %d", &number) == 1)
            at = number;
        if (at != box)
            continue;
        if (read_gate(line, "gate %d = %u %u %u %x", &number, &gate) && number == list->num_signals)
            netlist_add(list, gate);
        if (read_gate(line, "out %d = %u %u %u %x", &number, &gate) && number == outs + 1)
            list->out[outs++] = gate;
    }
    return outs == OUTPUTS ? 0 : -1;
}

static void print_gate(FILE *file, const char *what, int number, struct gate gate)
{
    fprintf(file, "%s %d = %d %d %d %02x\n", what, number, gate.in[0], gate.in[1], gate.in[2],
            gate.fn);
}

void netlist_print(FILE *file, const struct netlist *list)
{
    for (int i = INPUTS; i < list->num_signals; i++)
        print_gate(file, "gate", i, list->gate[i]);
    for (int o = 0; o < OUTPUTS; o++)
        print_gate(file, "out", o + 1, list->out[o]);
}

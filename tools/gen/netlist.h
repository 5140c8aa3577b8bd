/* SPDX-License-Identifier: Apache-2.0 */
/* A netlist: a circuit with 6 inputs and 4 outputs. The value of a signal is its truth table:
 * bit x is the value of the signal if the box's input is x. */
#pragma once
#include <stdint.h>
#include <stdio.h>

enum { INPUTS = 6, OUTPUTS = 4, MAX_SIGNALS = 128 };

/* A gate: any function of three signals. Bit (in[0] << 2 | in[1] << 1 | in[2]) of fn is the
 * result, as for x86's vpternlog. A gate with two inputs names the second one twice. */
struct gate {
    uint8_t in[3], fn;
};

enum {
    FN_FIRST = 0xf0, /* in[0] */
    FN_NOT = 0x0f,   /* ~in[0] */
    FN_AND = 0xc0,
    FN_OR = 0xfc,
    FN_XOR = 0x3c,
    FN_ANDN = 0x0c, /* ~in[0] & in[1] */
    FN_MUX = 0xca   /* in[0] ? in[1] : in[2] */
};

/* Signals 0 to 5 are the inputs, the box's most significant bit first. The other signals are
 * gates, whose inputs are earlier signals. An output is a function of at most two signals and is
 * itself no signal: if gates have three inputs, it is the gate that XORs into the block. */
struct netlist {
    int num_signals;
    struct gate gate[MAX_SIGNALS];
    uint64_t value[MAX_SIGNALS];
    struct gate out[OUTPUTS];
};

/* Lists the different signals that a gate reads. Returns how many. */
int gate_inputs(struct gate gate, int *in);
uint64_t gate_value(struct gate gate, const uint64_t *value);
/* Makes a netlist without gates. */
void netlist_init(struct netlist *list);
int netlist_add(struct netlist *list, struct gate gate);
/* Removes gates that no output needs, and sorts the others so that inputs come first. */
void netlist_sweep(struct netlist *list);
int netlist_gates(const struct netlist *list);

/* Reads or prints a netlist as text. netlist_read returns 0, or -1 if the file has no such box. */
int netlist_read(FILE *file, int box, struct netlist *list);
void netlist_print(FILE *file, const struct netlist *list);

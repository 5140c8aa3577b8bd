/* SPDX-License-Identifier: Apache-2.0 */
/* A netlist from 6 inputs to 4 outputs. A signal's value is its truth table: bit x is what it holds
 * when the box's input is x. */
#pragma once
#include <stdint.h>
#include <stdio.h>

enum { INPUTS = 6, OUTPUTS = 4, MAX_SIGNALS = 128 };

/* Any function of three signals. Bit (in[0] << 2 | in[1] << 1 | in[2]) of fn is what it answers, as
 * in x86's vpternlog. A gate of two inputs names the second one twice. */
struct gate {
    uint8_t in[3], fn;
};

enum {
    FN_FIRST = 0xf0, /* in[0] itself */
    FN_NOT = 0x0f,   /* its complement */
    FN_AND = 0xc0,
    FN_OR = 0xfc,
    FN_XOR = 0x3c,
    FN_ANDN = 0x0c, /* ~in[0] & in[1] */
    FN_MUX = 0xca   /* in[0] ? in[1] : in[2] */
};

/* Signals 0 to 5 are the inputs, the box's most significant bit first; the others are gates, each
 * of signals before it. An output is a function of at most two signals, and no signal: where gates
 * have three inputs it is the gate that XORs into the block. */
struct netlist {
    int num_signals;
    struct gate gate[MAX_SIGNALS];
    uint64_t value[MAX_SIGNALS];
    struct gate out[OUTPUTS];
};

/* The different signals that a gate reads; their number. */
int gate_inputs(struct gate gate, int *in);
uint64_t gate_value(struct gate gate, const uint64_t *value);
/* The netlist of no gates. */
void netlist_init(struct netlist *list);
int netlist_add(struct netlist *list, struct gate gate);
/* Drops the gates that no output needs, and puts the others in an order of dependence. */
void netlist_sweep(struct netlist *list);
int netlist_gates(const struct netlist *list);

/* A netlist as text. netlist_read answers 0, or -1 where the file has no such box. */
int netlist_read(FILE *file, int box, struct netlist *list);
void netlist_print(FILE *file, const struct netlist *list);

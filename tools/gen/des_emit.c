/* SPDX-License-Identifier: Apache-2.0 */
/* des_emit BASIS FILE: prints the header of the netlists in FILE. */
#include "order.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

/* The differences between the two headers. */
struct form {
    const char *name, *head;
    int enough; /* signals that can be live at a time in registers */
    void (*print_step)(const struct netlist *, const struct order *, int at);
};

static const char *name_of(int signal, char *text)
{
    sprintf(text, signal < INPUTS ? "a%d" : "t%d",
            signal < INPUTS ? signal + 1 : signal - INPUTS + 1);
    return text;
}

/* ---- ternary ---- */

/* Returns a gate of the same function with its inputs in another order: gate.in[from[i]]. */
static struct gate permute(struct gate gate, const int *from)
{
    struct gate to = { { gate.in[from[0]], gate.in[from[1]], gate.in[from[2]] }, 0 };
    for (int x = 0; x < 8; x++) {
        int y = 0;
        for (int i = 0; i < 3; i++)
            y |= (x >> (2 - i) & 1) << (2 - from[i]);
        to.fn |= (uint8_t)((gate.fn >> y & 1) << x);
    }
    return to;
}

static void print_ternary(const struct netlist *list, const struct order *order, int at)
{
    const int step = order->step[at];
    char a[8], b[8], c[8], t[8];
    if (step >= MAX_SIGNALS) {
        const struct gate out = list->out[step - MAX_SIGNALS];
        int xor = 0;
        for (int x = 0; x < 8; x++)
            xor |= ((x >> 2) ^ (out.fn >> ((x >> 1 & 1) << 2 | (x & 1) << 1 | (x & 1)) & 1)) << x;
        printf("    *o%d = T3(*o%d, %s, %s, 0x%02x);\n", step - MAX_SIGNALS + 1,
               step - MAX_SIGNALS + 1, name_of(out.in[0], a), name_of(out.in[1], b), xor);
        return;
    }
    static const int rotations[3][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 } };
    struct gate gate = list->gate[step];
    for (int i = 2; i >= 0; i--) /* the input that is overwritten comes first */
        if (order_last_use(list, order, list->gate[step].in[i]) == at)
            gate = permute(list->gate[step], rotations[i]);
    printf("    const V %s = T3(%s, %s, %s, 0x%02x);\n", name_of(step, t), name_of(gate.in[0], a),
           name_of(gate.in[1], b), name_of(gate.in[2], c), gate.fn);
}

static const char head_ternary[] =
    "/* The S-boxes of DES as netlists of ternary gates, each proved in tests/des_sboxes.c.\n"
    " * Who includes this has defined TARGET, attributes of functions, V, a type of vectors, and\n"
    " * T3(a, b, c, imm), which is bit a << 2 | b << 1 | c of imm (x86's vpternlog). What a box\n"
    " * answers is XORed into *o1 to *o4.\n";

/* ---- logic ---- */

/* Whether a gate is read by the next step only, and so is written inside of it. */
static int is_within_next(const struct netlist *list, const struct order *order, int at)
{
    const int step = order->step[at], next = order->step[at + 1];
    return step < MAX_SIGNALS && next < MAX_SIGNALS && order_num_uses(list, step) == 1 &&
           order_last_use(list, order, step) == at + 1 &&
           !(at > 0 && is_within_next(list, order, at - 1));
}

static void print_expression(const struct netlist *list, int signal, int within)
{
    const struct gate gate = list->gate[signal];
    const char *op = gate.fn == FN_AND   ? "AND"
                     : gate.fn == FN_OR  ? "OR"
                     : gate.fn == FN_XOR ? "XOR"
                                         : "ANDN";
    char text[8];
    printf("%s(", op);
    for (int i = 0; i < 2; i++) {
        if (gate.in[i] == within)
            print_expression(list, within, -1);
        else
            printf("%s", name_of(gate.in[i], text));
        printf("%s", i == 0 ? ", " : ")");
    }
}

static void print_logic(const struct netlist *list, const struct order *order, int at)
{
    const int step = order->step[at];
    char text[8];
    if (step >= MAX_SIGNALS) {
        const int o = step - MAX_SIGNALS;
        const char *format = list->out[o].fn == FN_FIRST ? "    *o%d = XOR(*o%d, %s);\n"
                                                         : "    *o%d = XOR(*o%d, NOT(%s));\n";
        printf(format, o + 1, o + 1, name_of(list->out[o].in[0], text));
        return;
    }
    if (is_within_next(list, order, at))
        return;
    printf("    const V %s = ", name_of(step, text));
    print_expression(list, step,
                     at > 0 && is_within_next(list, order, at - 1) ? order->step[at - 1] : -1);
    printf(";\n");
}

static const char head_logic[] =
    "/* The S-boxes of DES as netlists of gates of two inputs, each proved in tests/des_sboxes.c.\n"
    " * Who includes this has defined TARGET, attributes of functions, V, a type of vectors, and\n"
    " * on it AND(a, b), OR(a, b), XOR(a, b), ANDN(a, b), which is ~a & b, and NOT(a). What a box\n"
    " * answers is XORed into *o1 to *o4. Only outputs are complemented, those that are 1 at\n"
    " * input 0: where NOT(a) is a, a box answers what it answers XOR that at input 0.\n";

static const struct form forms[] = {
    { "ternary", head_ternary, 20, print_ternary },
    { "logic", head_logic, 12, print_logic },
};

static void print_box(const struct form *form, int box, const struct netlist *list)
{
    struct order order;
    random_start((uint64_t)box);
    order_find(list, 4000, form->enough, &order);
    printf("\n/* %d gates before the outputs; at most %d signals are wanted at one time. */\n",
           netlist_gates(list), order.most_live);
    printf("static inline __attribute__((always_inline)) TARGET void\n"
           "des_s%d(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)\n{\n",
           box);
    for (int i = 0; i < order.num; i++)
        form->print_step(list, &order, i);
    printf("}\n");
    fprintf(stderr, "s%d: %d gates, %d live, %d copies\n", box, netlist_gates(list),
            order.most_live, order.copies);
}

int main(int argc, char **argv)
{
    const struct form *form = NULL;
    for (int i = 0; argc == 3 && i < 2; i++)
        if (strcmp(argv[1], forms[i].name) == 0)
            form = &forms[i];
    FILE *file = form ? fopen(argv[2], "r") : NULL;
    if (!file) {
        fprintf(stderr, "usage: des_emit ternary|logic FILE\n");
        return 2;
    }
    printf("/* SPDX-License-Identifier: Apache-2.0 */\n%s * Written by tools/gen/des_emit from "
           "tools/gen/des_%s.txt. */\n"
           "#pragma once\n\n/* clang-format off */\n",
           form->head, form->name);
    for (int box = 1; box <= 8; box++) {
        struct netlist list;
        rewind(file);
        if (netlist_read(file, box, &list)) {
            fprintf(stderr, "des_emit: no box %d in %s\n", box, argv[2]);
            return 1;
        }
        print_box(form, box, &list);
    }
    fclose(file);
    return 0;
}

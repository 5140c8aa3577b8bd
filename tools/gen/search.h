/* SPDX-License-Identifier: Apache-2.0 */
/* A search for small netlists of the S-boxes of DES, in two kinds of gates ("bases"): ternary, any
 * function of three signals (vpternlog), and logic, AND, OR, XOR and ANDN of two.
 *
 * The search is a random walk over netlists (walk.c). A step removes a gate, or a gate and others
 * that only it needs, and looks for a replacement that uses signals that do not depend on the
 * removed gate, and has as many gates or fewer. The replacement must have the gate's value only at
 * those of the 64 inputs where an output would change with it. Most steps change a netlist without
 * making it smaller; they bring the walk to netlists where a gate can be saved. Among netlists of
 * one size, those whose gates are read seldom are preferred, because a gate that is read once
 * disappears with its reader. A step to a worse netlist is taken with a probability that falls with
 * its cost (Metropolis).
 *
 * A replacement is found (ternary.c, logic.c) as in Matthew Kwan's "Reducing the Gate Count of
 * Bitslice DES" (2000): an existing signal; or one gate of any existing signals; or a gate of an
 * existing signal and a new one, which is then wanted at fewer inputs; or a signal that selects one
 * of two functions, each of which is wanted at half the inputs. Kwan searches these cases
 * exhaustively; here a few are tried at random, since the walk repeats the search anyway.
 *
 * The size that a walk reaches varies widely (S4: 14 to 34), and most of the reduction happens
 * within a second, so many short walks do better than a long one. Logic netlists start from ternary
 * ones, each of whose gates becomes one to four gates. That gives 33 to 50 gates, while walks from
 * nothing end above 60.
 *
 * Results, in gates without the four that XOR the outputs into the block:
 *
 *             S1  S2  S3  S4  S5  S6  S7  S8  average
 *   ternary   22  22  23  14  24  22  21  20  21.0
 *   logic     50  47  47  33  49  46  45  42  44.9
 *
 * They were found by 50 to 200 walks of half a second for each box (Granite Rapids class,
 * AVX-512; three times that without). A random search had given 31.0 ternary gates. Published
 * averages: ternary 22.1 (Sovyn, in John the Ripper), where an output is a gate and its XOR
 * another; logic 51 to 56 (Kwan), 44.1 (Rusakov, 2011), complements counted. Here 2.4 outputs of
 * a box are complements of the found functions; code that computes boxes folds them into the
 * round keys, where they cost nothing. */
#pragma once
#include "pool.h"

struct basis {
    const char *name;
    /* Appends at most `gates` gates that read the pool's signals, so that a signal is the wanted
     * function. Returns that signal, or -1. */
    int (*find)(struct netlist *, struct pool *, struct want, int gates);
    /* Like `find`, but for an output, whose own gate is not counted. Returns 1 if it was found. */
    int (*find_out)(struct netlist *, struct pool *, struct want, int gates, struct gate *out);
    int outs_move; /* outputs are functions of two signals, and the walk changes them as it changes
                      gates */
    int no_complement; /* except for outputs, all signals are 0 at input 0 */
};
extern const struct basis basis_ternary, basis_logic;

/* The task of a search: the outputs, in the form that the basis needs. */
struct search {
    const struct basis *basis;
    uint64_t goal[OUTPUTS];
};

/* Makes a first netlist: a tree of selections by inputs for each output, the best of several. */
void start_from_nothing(const struct search *search, struct netlist *list);
/* Makes a first netlist of another netlist's gates, each translated into this basis. */
void start_from(const struct search *search, struct netlist *list, const struct netlist *other);
/* Walks from *best until `idle` steps in a row have found no better netlist. */
void walk(const struct search *search, struct netlist *best, long idle);

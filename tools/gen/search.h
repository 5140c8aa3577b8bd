/* SPDX-License-Identifier: Apache-2.0 */
/* A search for small netlists of the S-boxes of DES, in two kinds of gates ("bases"): ternary, any
 * function of three signals (vpternlog), and logic, AND, OR, XOR and ANDN of two.
 *
 * A walk over netlists (walk.c): a gate, or a gate and others that it alone needs, is taken out and
 * what is wanted in its place is found again, of the signals that do not depend on it and with as
 * many gates or fewer. Wanted is its value, but only at those of the 64 inputs where an output
 * would change with it. Most steps change a netlist and not its size; that is what brings the walk
 * to places where a gate less will do. Among netlists of one size those are preferred whose gates
 * are read seldom, since a gate that is read once goes with its reader; like any loss, a step to
 * the worse is taken with a probability that falls with what it costs (Metropolis).
 *
 * What is wanted is found (ternary.c, logic.c) as in Matthew Kwan's "Reducing the Gate Count of
 * Bitslice DES" (2000): a signal that is there; else one gate of such signals, of all that there
 * are; else a gate of signals at hand and one more that is wanted in its turn, at fewer inputs, or
 * a signal that chooses between two functions, each wanted at half the inputs. Where Kwan searches
 * these exhaustively, here a few are tried at random, the walk being what repeats.
 *
 * How small a walk's netlist becomes varies widely (S4: 14 to 34), most of it within a second; many
 * short walks do better than one that is long. Logic netlists start from ternary ones, each of
 * whose gates becomes one to four gates: 33 to 50 gates, where walks from nothing end above 60.
 *
 * Found, in gates before the four that XOR the outputs into the block:
 *
 *             S1  S2  S3  S4  S5  S6  S7  S8  average
 *   ternary   22  22  23  14  24  22  21  20  21.0
 *   logic     50  47  47  33  49  46  45  42  44.9
 *
 * Of 50 to 200 walks a box of half a second each (Granite Rapids class, AVX-512; three times that
 * without). A random search had given 31.0 ternary gates. Published averages: ternary 22.1 (Sovyn,
 * in John the Ripper), where an output is a gate and its XOR another; logic 51 to 56 (Kwan), 44.1
 * (Rusakov, 2011), complements counted. Here 2.4 outputs a box are complements of what is found;
 * who computes boxes folds them into round keys, where they cost nothing. */
#pragma once
#include "pool.h"

struct basis {
    const char *name;
    /* Appends at most `gates` gates for what is wanted, of the pool's signals: the signal, or -1.
     */
    int (*find)(struct netlist *, struct pool *, struct want, int gates);
    /* The same for an output, whose own function is beside what is counted; 1 where it is found. */
    int (*find_out)(struct netlist *, struct pool *, struct want, int gates, struct gate *out);
    int outs_move;     /* outputs are functions of two signals, and are walked over as gates are */
    int no_complement; /* but of outputs: signals hold 0 at input 0 */
};
extern const struct basis basis_ternary, basis_logic;

/* What is searched: outputs as the basis wants them. */
struct search {
    const struct basis *basis;
    uint64_t goal[OUTPUTS];
};

/* A first netlist: each output a tree of choices by inputs, the best of some. */
void start_from_nothing(const struct search *search, struct netlist *list);
/* Another netlist's gates, each in this basis. */
void start_from(const struct search *search, struct netlist *list, const struct netlist *other);
/* Walks on from *best until `idle` steps in a row have brought nothing better. */
void walk(const struct search *search, struct netlist *best, long idle);

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints lib/kasumi/kasumi_sboxes.h: S7 and S9 of KASUMI as netlists of gates of at most three inputs.

The tables of 3GPP TS 35.202 (section 4.5, of lib/kasumi/kasumi_tables.h) give the equations there by a
Moebius transformation.  An equation is then factored: a variable that many products share, times
what is left of them, plus the rest, and so on; what was computed once is used again.  Which
variable where is drawn at random, and the smallest netlist of all draws is printed; the seeds that
found the two are below.   kasumi_sboxes.py TABLES.H [DRAWS]: draws anew, and says what it found.
"""
import random
import re
import sys

BEST = {7: 4939, 9: 1046}  # of 30,000 draws


def read_tables(path):
    """The two tables, by how many bits go in."""
    text = open(path).read()
    rows = {n: re.search(r"kasumi_s%d_table\[\d+\] = \{([^}]*)" % n, text).group(1) for n in (7, 9)}
    return {n: [int(x) for x in re.findall(r"\d+", row)] for n, row in rows.items()}


def equation(table, n, k):
    """The products whose sum is bit k of the box; a product is a mask of variables."""
    a = [t >> k & 1 for t in table]
    for i in range(n):
        for j in range(1 << n):
            if j >> i & 1:
                a[j] ^= a[j ^ 1 << i]
    return frozenset(m for m in range(1 << n) if a[m])


class Netlist:
    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.rnd.choice([0.0, 0.5, 1, 2])
        self.gates, self.known, self.sums, self.done = [], {}, {}, {}

    def gate(self, op, *args):
        if op != "ADDMUL":
            args = tuple(sorted(args))
        key = (op,) + args
        if key not in self.known:
            self.known[key] = "t%d" % len(self.gates)
            self.gates.append(key)
        return self.known[key]

    def linear(self, terms):
        """A sum of variables, from the nearest sum that is there."""
        if len(terms) == 1:
            return "x%d" % (next(iter(terms)).bit_length() - 1)
        if terms in self.sums:
            return self.sums[terms]
        near = None
        for known, wire in self.sums.items():
            if len(terms ^ known) <= 2 and (near is None or len(terms ^ known) < len(near[1])):
                near = (wire, terms ^ known)
        if len(terms) > 3 and near:
            wires = [near[0]] + [self.linear(frozenset([t])) for t in near[1]]
        elif len(terms) <= 3:
            wires = [self.linear(frozenset([t])) for t in terms]
        else:
            order = list(terms)
            self.rnd.shuffle(order)
            wires = [self.linear(frozenset(order[:-2]))]
            wires += [self.linear(frozenset([t])) for t in order[-2:]]
        self.sums[terms] = self.gate("XOR%d" % len(wires), *wires)
        return self.sums[terms]

    def value(self, terms):
        if terms in self.done:
            return self.done[terms]
        products = [t for t in terms if t & t - 1]
        if not products:
            return self.linear(terms)
        counts = {}
        for t in products:
            for i in range(9):
                if t >> i & 1:
                    counts[i] = counts.get(i, 0) + 1
        counts = [counts.get(i, 0) for i in range(max(counts) + 1)]
        least = max(1, max(counts) - (self.rnd.random() < 0.3))
        at = self.rnd.choice([i for i, c in enumerate(counts) if c >= least])
        shared = frozenset(t ^ 1 << at for t in products if t >> at & 1)
        rest = frozenset(t for t in terms if not (t & t - 1 and t >> at & 1))
        pair = ["x%d" % at, self.value(shared)]
        if rest:
            self.done[terms] = self.gate("ADDMUL", self.value(rest), *sorted(pair))
        else:
            self.done[terms] = self.gate("MUL", *pair)
        return self.done[terms]


def draw(table, n, seed):
    net = Netlist(seed)
    order = list(range(n))
    net.rnd.shuffle(order)
    outs = {k: net.value(equation(table, n, k) - {0}) for k in order}
    return net.gates, [outs[k] for k in range(n)]


def show(table, n, seed):
    gates, outs = draw(table, n, seed)
    names = ["x[%d]" % i for i in range(n)] + ["t%d" % i for i in range(len(gates))]
    written = {("x%d" % i): names[i] for i in range(n)}
    print("\n/* %d gates; S%d(0) = %d is left to the caller. */" % (len(gates), n, table[0]))
    print("INLINE TARGET void kasumi_s%d(V y[%d], const V x[%d])\n{" % (n, n, n))
    for i, (op, *args) in enumerate(gates):
        args = ", ".join(written.get(a, a) for a in args)
        print("    const V t%d = %s(%s);" % (i, op, args))
    for k, wire in enumerate(outs):
        print("    y[%d] = %s;" % (k, wire))
    print("}")


def main():
    tables = read_tables(sys.argv[1])
    if len(sys.argv) > 2:
        for n in (7, 9):
            draws = [(len(draw(tables[n], n, seed)[0]), seed) for seed in range(int(sys.argv[2]))]
            print("S%d: %d gates, seed %d" % (n, *min(draws)))
        return
    print("""/* SPDX-License-Identifier: Apache-2.0 */
/* S7 and S9 of KASUMI (3GPP TS 35.202 section 4.5) over planes of bits, without their constants;
 * proved against the tables in tests/kasumi.c.  Who includes this has defined V, a type of words,
 * INLINE and TARGET, attributes of functions, and XOR2(a, b), XOR3(a, b, c), MUL(a, b): a & b,
 * ADDMUL(c, a, b): c ^ (a & b).
 * Written by tools/gen/kasumi_sboxes.py. */
#pragma once""")
    for n in (7, 9):
        show(tables[n], n, BEST[n])


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kasumi_quadratic.py TABLES.H: prints S9 of KASUMI as lib/kasumi/x86/kasumi_gfni.c wants it.

Bit k is u . (Q_k u ^ h m_k) ^ h c_k ^ S9(0): u are eight of its bits, h the ninth.  Linear terms of u are in
the diagonal of Q_k.  Matrices are as GF2P8AFFINEQB has them: row i is byte 7 - i."""
import re
import sys


def equation(table, k):
    a = [t >> k & 1 for t in table]
    for i in range(9):
        for j in range(512):
            if j >> i & 1:
                a[j] ^= a[j ^ 1 << i]
    return [m for m in range(1, 512) if a[m]]


def forms(table, u, h):
    for k in range(9):
        rows, m, c = [0] * 8, 0, 0
        for term in equation(table, k):
            bits = [i for i in range(9) if term >> i & 1]
            others = [u.index(i) for i in bits if i != h]
            if not others:
                c = 1
            elif h in bits:
                m |= 1 << others[0]
            else:
                rows[others[0]] |= 1 << others[-1]
        yield sum(row << 8 * (7 - i) for i, row in enumerate(rows)), m, c


text = open(sys.argv[1]).read()
s9 = [int(x) for x in re.findall(r"\d+", re.search(r"kasumi_s9_table\[512\] = \{([^}]*)", text).group(1))]
for u, h in ([1, 2, 3, 4, 5, 6, 7, 8], 0), ([0, 1, 2, 3, 4, 5, 6, 7], 8):
    all_forms = list(forms(s9, u, h))
    print("q", *("0x%016x" % q for q, _, _ in all_forms))
    print("m 0x%016x" % sum(m << 8 * (7 - k) for k, (_, m, _) in enumerate(all_forms[:8])))
    print("m8 0x%02x c 0x%02x c8 %d" % (all_forms[8][1], sum(c << k for k, (_, _, c) in enumerate(all_forms[:8])),
                                        all_forms[8][2]))

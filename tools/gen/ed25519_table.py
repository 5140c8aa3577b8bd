#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Multiples of Ed25519's base point (RFC 8032 section 5.1), for lib/curve25519/ed25519_comb.h: j 32^i B at [i][j - 1], each as
y - x, x + y and 2 d x y in words of 64 bits, the least significant first."""

P = 2**255 - 19
D = -121665 * pow(121666, P - 2, P) % P
WINDOWS, ENTRIES = 52, 16


def add(p, q):
    """The sum in projective coordinates (Bernstein and others, "Twisted Edwards Curves", section 6)."""
    a, c, d = p[2] * q[2] % P, p[0] * q[0] % P, p[1] * q[1] % P
    e, b = D * c * d % P, a * a % P
    f, g = (b - e) % P, (b + e) % P
    return (a * f * ((p[0] + p[1]) * (q[0] + q[1]) - c - d) % P, a * g * (d + c) % P, f * g % P)


def base():
    y = 4 * pow(5, P - 2, P) % P
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if x * x % P != x2:
        x = x * pow(2, (P - 1) // 4, P) % P
    return (x if x % 2 == 0 else P - x, y, 1)


def words(number):
    return "".join(f"0x{number >> 64 * k & (1 << 64) - 1:016x}, " for k in range(4))


print("/* Written by tools/gen/ed25519_table.py. */\n#include \"curve25519/ed25519_comb.h\"\n")
print(f"const uint64_t ed25519_comb_table[{WINDOWS}][{ENTRIES}][12] = {{")
power = base()
for _ in range(WINDOWS):
    print("{")
    point = power
    for _ in range(ENTRIES):
        inverse = pow(point[2], P - 2, P)
        x, y = point[0] * inverse % P, point[1] * inverse % P
        print("{ " + words((y - x) % P) + words((x + y) % P) + words(2 * D * x * y % P) + "},")
        point = add(point, power)
    print("},")
    for _ in range(5):
        power = add(power, power)
print("};")

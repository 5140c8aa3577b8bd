#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ed25519_table.py [lanes]: multiples of Ed25519's base point (RFC 8032 section 5.1), for lib/curve25519/ed25519_comb.h:
j 32^i B at [i][j - 1], each as y - x, x + y and 2 d x y in words of 64 bits, the least significant first.  For lanes the
digits have 51 bits, and those of one place, of all j, stand beside each other."""
import sys

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


def digits(number):
    return [number >> 51 * k & (1 << 51) - 1 for k in range(5)]


def windows():
    """For each i, the entries of all j: y - x, x + y and 2 d x y."""
    power = base()
    for _ in range(WINDOWS):
        point, entries = power, []
        for _ in range(ENTRIES):
            inverse = pow(point[2], P - 2, P)
            x, y = point[0] * inverse % P, point[1] * inverse % P
            entries.append(((y - x) % P, (x + y) % P, 2 * D * x * y % P))
            point = add(point, power)
        yield entries
        for _ in range(5):
            power = add(power, power)


def row(numbers):
    return "{ " + ", ".join(f"0x{number:013x}" for number in numbers) + " },"


print("/* Written by tools/gen/ed25519_table.py. */")
if sys.argv[1:] == ["lanes"]:
    print("#include \"curve25519/lanes25519.h\"\n")
    print("const uint64_t ed25519_curve_table[DIGITS25519] = " + row(digits(2 * D % P))[:-1] + ";")
    print(f"const uint64_t ed25519_lanes_table[{WINDOWS}][3 * DIGITS25519][{ENTRIES}] = {{")
    for window in windows():
        places = zip(*(digits(a) + digits(b) + digits(c) for a, b, c in window))
        print("{", *map(row, places), "},", sep="\n")
else:
    print("#include \"curve25519/ed25519_comb.h\"\n")
    print(f"const uint64_t ed25519_comb_table[{WINDOWS}][{ENTRIES}][12] = {{")
    for window in windows():
        print("{", *("{ " + "".join(map(words, entry)) + "}," for entry in window), "},", sep="\n")
print("};")

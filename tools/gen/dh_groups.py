#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints lib/dh's primes in C. RFC 7919 appendix A and RFC 3526 define them by a formula: the bits of e or pi between 64
ones at both ends, plus the smallest number that makes p and (p - 1) / 2 prime."""

# (name, bits, number of the appendix)
FFDHE = [(2048, 560316), (3072, 2625351), (4096, 5736041), (6144, 15705020), (8192, 10965728)]
MODP = [(1536, 741804), (2048, 124476), (3072, 1690314), (4096, 240904), (6144, 929484), (8192, 4743158)]
GUARD = 64


def floor_e(bits):
    """e 2^bits, rounded down."""
    term = total = 1 << (bits + GUARD)
    n = 1
    while term:
        term //= n
        total += term
        n += 1
    return total >> GUARD


def arctan_inverse(n, one):
    """one * arctan(1/n)"""
    power = total = one // n
    k, sign = 3, -1
    while power:
        power //= n * n
        total += sign * (power // k)
        k, sign = k + 2, -sign
    return total


def floor_pi(bits):
    """pi 2^bits, rounded down, by Machin's formula."""
    one = 1 << (bits + GUARD)
    return 4 * (4 * arctan_inverse(5, one) - arctan_inverse(239, one)) >> GUARD


def prime(bits, constant, number):
    return (1 << bits) - (1 << (bits - 64)) + ((constant(bits - 130) + number) << 64) - 1


def print_prime(name, p, bits):
    print(f"extern const uint64_t dh_{name}{bits}[{bits // 64}];\nconst uint64_t dh_{name}{bits}[{bits // 64}] = {{")
    limbs = [f"0x{p >> 64 * i & (1 << 64) - 1:016x}" for i in range(bits // 64)]
    for i in range(0, len(limbs), 4):
        print("    " + ", ".join(limbs[i:i + 4]) + ",")
    print("};")


def main():
    print('/* Made by tools/gen/dh_groups.py. */\n#include <stdint.h>\n')
    for name, constant, rows in (("ffdhe", floor_e, FFDHE), ("modp", floor_pi, MODP)):
        for bits, number in rows:
            print_prime(name, prime(bits, constant, number), bits)


if __name__ == "__main__":
    main()

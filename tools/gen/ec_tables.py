#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ec_tables.py CURVE [lanes]: prints the C file that has a curve's struct ec_domain and the multiples of its base point
# (lib/ec/ec.h), or those for its lanes (lib/ec/ec_lanes.h). The build runs it; the test `ec` checks every point against the portable formulas.
import sys

# SP 800-186 section 3.2.1: p, n, b and the base point; then the width of a window of base-point multiplication, and
# of how many windows one has a row: the others are reached by doublings.
P256 = 2**256 - 2**224 + 2**192 + 2**96 - 1
P384 = 2**384 - 2**128 - 2**96 + 2**32 - 1
P521 = 2**521 - 1
CURVES = {
    "p256": (P256, 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551,
             0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b,
             0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296,
             0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5, 6, 2),
    "p384": (P384, 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973,
             0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef,
             0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7,
             0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f, 5, 2),
    "p521": (P521, int("01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
                       "51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409", 16),
             int("0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e1"
                 "56193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00", 16),
             int("00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dba"
                 "a14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66", 16),
             int("011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c"
                 "97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650", 16), 6, 4),
}


def add(p, one, other):
    """Adds two points of the curve, neither at infinity nor opposite."""
    (x1, y1), (x2, y2) = one, other
    if one == other:
        slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, p)
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, p)
    x = (slope * slope - x1 - x2) % p
    return x, (slope * (x1 - x) - y1) % p


def words(x, num):
    return ", ".join(f"{x >> 64 * i & 2**64 - 1:#018x}" for i in range(num))


# How wide the windows of lanes are: all of them have a row.
LANES_WIDTHS = {"p256": 6, "p384": 5}


def digits(x, num):
    return ", ".join(f"{x >> 52 * i & 2**52 - 1:#015x}" for i in range(num))


def lanes(name):
    p, n, _, x, y, _, _ = CURVES[name]
    width = LANES_WIDTHS[name]
    bits = p.bit_length()
    num = -(-bits // 52)
    r = 2**(52 * num)
    numbers = {"n": n, "one": r % p, "enter": r * r % p, "change": r * r * pow(2**bits, -1, p) % p,
               "n_r2": r * r % n}
    print("/* Written by tools/gen/ec_tables.py. */")
    print('#include "ec/ec_lanes.h"')
    print(f"const struct ec_lanes_domain {name}_lanes_table = {{")
    for member, value in numbers.items():
        print(f"    .{member} = {{ {digits(value, num)} }},")
    print(f"    .n_m0 = {-pow(n, -1, 2**52) % 2**52:#x},")
    print("};")
    print(f"alignas(64) const uint64_t {name}_comb_table[] = {{")
    point = (x, y)
    for _ in range(-(-bits // width)):
        row = [point]
        for _ in range(2**(width - 1) - 1):
            row.append(add(p, row[-1], point))
        for coordinate in range(2):
            for i in range(num):
                print("    " + " ".join(f"{(entry[coordinate] * r % p) >> 52 * i & 2**52 - 1:#015x}," for entry in row))
        for _ in range(width):
            point = add(p, point, point)
    print("};")


def main():
    name = sys.argv[1]
    if sys.argv[2:] == ["lanes"]:
        lanes(name)
        return
    p, n, b, x, y, width, step = CURVES[name]
    assert (y * y - x**3 + 3 * x - b) % p == 0
    bits = p.bit_length()
    num = (bits + 63) // 64
    r = 2**(64 * num)
    form = 1 if name == "p521" else r  # the factor of the kernels' form
    numbers = {"p": p, "n": n, "b": b * form % p, "one": form % p, "enter": form * form % p, "n_half": (n - 1) // 2,
               "p_minus_n": p - n, "n_r2": r * r % n, "n_one": r % n}
    print("/* Written by tools/gen/ec_tables.py. */")
    print('#include "ec/ec.h"')
    print(f"const struct ec_domain {name}_domain = {{")
    for member, value in numbers.items():
        print(f"    .{member} = {{ {words(value, num)} }},")
    print(f"    .p_m0 = {-pow(p, -1, 2**64) % 2**64:#x}, .n_m0 = {-pow(n, -1, 2**64) % 2**64:#x},")
    print(f"    .bits = {bits}, .num = {num}, .bytes = {(bits + 7) // 8}, .width = {width}, .step = {step},")
    print("};")
    print(f"const uint64_t {name}_comb[] = {{")
    windows = -(-bits // width)
    point = (x, y)
    for _ in range(-(-windows // step)):
        multiple = point
        for j in range(2**(width - 1)):
            if j:
                multiple = add(p, multiple, point)
            print(f"    {words(multiple[0] * form % p, num)}, {words(multiple[1] * form % p, num)},")
        for _ in range(width * step):
            point = add(p, point, point)
    print("};")


main()

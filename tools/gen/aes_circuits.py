#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""aes_circuits.py: the S-boxes of FIPS 197 section 5.1.1 and 5.3.2 as circuits of few gates.

A byte a is written a = g1 Y^16 + g0 Y over the subfield GF(16), with Y + Y^16 = 1 and v = Y^17.
Then (Itoh and Tsujii, 1988; Canright, CHES 2005)

    t = g1 g0 + v (g1 + g0)^2,   1/a = (g0/t) Y^16 + (g1/t) Y.

The three products in GF(16) have nine ANDs each, by Karatsuba's method at two levels: the products
of nine linear forms of both factors.  A form of GF(16) is x -> Tr(c x); nine of them are the three
nonzero multiples by GF(4) of three values c.  GF(16)'s inversion does the same over GF(4):

    f = t^5 = t1 t0 + ...,   1/t = (t0/f) Z^4 + (t1/f) Z.

- The forms of g1 and g0 are linear maps of the byte's eight bits, and the result's bits are linear
  maps of the last 18 products; the affine map of the S-box and all changes of basis are contained
  in them.  Each of the two maps is one network of XORs, found by the heuristic of Boyar, Matthews
  and Peralta (Journal of Cryptology, 2013), the second one by way of its transpose.
- Gates a | b = ab + a + b and a & ~b = ab + a cost no more than a & b; choosing them removes most of
  the linear terms that v (g1 + g0)^2 and its like add.

The bases (Y, the forms' multipliers) are those for which a loop over all of them found the fewest
gates.  The S-box's constant 0x63 is left out, on both
sides.  Each circuit is checked on all 256 bytes.
"""
import itertools

BYTES = range(256)


# ---- GF(2^8) of FIPS 197 ----

def mul(x, y):
    product = 0
    while y:
        product ^= x * (y & 1)
        x = x << 1 ^ 0x11b * (x >> 7)
        y >>= 1
    return product


def power(x, n):
    y = 1
    for _ in range(n):
        y = mul(y, x)
    return y


def affine(x):
    """The matrix of FIPS 197 equation 5.2, without the constant."""
    x *= 0x101
    return (x ^ x >> 4 ^ x >> 5 ^ x >> 6 ^ x >> 7) & 255


INVERSE = [power(x, 254) for x in BYTES]
AFFINE = [affine(x) for x in BYTES]
UNAFFINE = [AFFINE.index(x) for x in BYTES]
GF4 = [x for x in BYTES if x and power(x, 4) == x]


def trace16(x):
    return x ^ power(x, 2) ^ power(x, 4) ^ power(x, 8)


def parity(x):
    return bin(x).count("1") & 1


# ---- networks of XORs ----

def network(num_inputs, targets):
    """XORs [(a, b), ...] of vectors, each a subset of the inputs as bits, that make all targets."""
    base = [1 << i for i in range(num_inputs)]
    distance = [bin(x).count("1") for x in range(1 << num_inputs)]
    left = sorted({t for t in targets if distance[t] > 1})
    steps = []
    while left:
        best = None
        for x, y in itertools.combinations(base, 2):
            after = [min(distance[t], distance[t ^ x ^ y] + 1) for t in left]
            rank = 1 not in after, sum(after), -sum(d * d for d in after)
            if x ^ y not in base and (best is None or rank < best[0]):
                best = rank, x, y
        _, x, y = best
        z = x ^ y
        steps.append((x, y))
        base.append(z)
        distance = [min(d, distance[x ^ z] + 1) for x, d in enumerate(distance)]
        left = [t for t in left if distance[t] > 1]
    return steps


# ---- linear algebra ----

def combination(columns, target):
    """The columns, as bits of an integer, whose sum is the target; None if there are none."""
    rows = []  # reduced columns with their origin
    for i, column in enumerate(columns):
        origin = 1 << i
        for value, made in rows:
            if column ^ value < column:
                column, origin = column ^ value, origin ^ made
        if column:
            rows.append((column, origin))
            rows.sort(reverse=True)
    chosen = 0
    for value, made in rows:
        if target ^ value < target:
            target, chosen = target ^ value, chosen ^ made
    return None if target else chosen


def table(values):
    return sum(bit << i for i, bit in enumerate(values))


# ---- circuits ----

class Circuit:
    def __init__(self):
        self.gates = []

    def gate(self, text, *operands):
        self.gates.append(text % operands)
        return "t%d" % (len(self.gates) - 1)

    def xor(self, a, b):
        return self.gate("%s ^ %s", a, b)

    def sum(self, terms):
        total = None
        for term in terms:
            total = term if total is None else self.xor(total, term)
        return total

    def product(self, a, b, with_a, with_b):
        """a b, plus a, plus b."""
        if with_a and with_b:
            return self.gate("%s | %s", a, b)
        if with_a or with_b:
            return self.gate("%s & ~%s", *((a, b) if with_a else (b, a)))
        return self.gate("%s & %s", a, b)

    def network(self, inputs, targets):
        """Names of the targets, which are sums of the inputs."""
        names = {1 << i: name for i, name in enumerate(inputs)}
        for x, y in network(len(inputs), targets):
            names[x ^ y] = self.xor(names[x], names[y])
        return [names[t] for t in targets]

    def transposed(self, inputs, columns, num_outputs):
        """Output k is the sum of the inputs whose column has bit k."""
        steps = network(num_outputs, columns)
        sums = {}

        def add(node, name):
            sums[node] = self.xor(sums[node], name) if node in sums else name

        for column, name in zip(columns, inputs):
            add(column, name)
        for x, y in reversed(steps):
            add(x, sums[x ^ y])
            add(y, sums[x ^ y])
        return [sums[1 << k] for k in range(num_outputs)]


def invert16(circuit, t1, t0, groups):
    """Forms of 1/t from the forms of t for the multipliers in groups[0] and groups[1]."""
    field = [x for x in BYTES if power(x, 16) == x]

    def form(c, x):
        return trace16(mul(c, x))

    bits = [table(form(c, x) for x in field) for group in groups[:2] for c in group]
    names = t1 + t0
    # the forms of f = t^5
    wanted = [table(mul(w, power(x, 5)) in (GF4[1], GF4[2]) for x in field) for w in GF4]
    best = None
    for order in itertools.permutations(range(3)):
        for options in itertools.product(range(4), repeat=3):
            products = []
            for i, option in enumerate(options):
                a, b = bits[i], bits[3 + order[i]]
                products.append(a & b ^ (a if option & 1 else 0) ^ (b if option & 2 else 0))
            found = [combination(products + bits, x) for x in wanted]
            if None in found:
                continue
            cost = sorted((bin(x).count("1"), k) for k, x in enumerate(found))[:2]
            if best is None or sum(c for c, _ in cost) < best[0]:
                best = sum(c for c, _ in cost), order, options, found, [k for _, k in cost]
    _, order, options, found, two = best
    terms = [circuit.product(names[i], names[3 + order[i]], option & 1, option & 2)
             for i, option in enumerate(options)] + names
    f = [None] * 3
    for k in two:
        f[k] = circuit.sum(term for i, term in enumerate(terms) if found[k] >> i & 1)
    third = 3 - sum(two)
    f[third] = circuit.xor(f[two[0]], f[two[1]])
    # the forms of 1/f = f^2, then those of 1/t
    f_bits = [table(mul(w, power(x, 10)) in (GF4[1], GF4[2]) for x in field) for w in GF4]
    squared = [f_bits.index(x) for x in wanted]
    of_f = [f_bits[k] for k in squared]
    made = []
    for group in groups[:2]:
        wanted = [table(form(c, INVERSE[x]) for x in field) for c in group]
        for half, order in itertools.product((3, 0), itertools.permutations(range(3))):
            products = [of_f[i] & bits[half + order[i]] for i in range(3)]
            found = [combination(products, x) for x in wanted]
            if None not in found:
                break
        else:
            raise AssertionError("no products")
        terms = [circuit.gate("%s & %s", f[i], names[half + order[i]]) for i in range(3)]
        made.append([circuit.sum(t for i, t in enumerate(terms) if x >> i & 1) for x in found])
    made.append([circuit.xor(a, b) for a, b in zip(*made)])
    return made


def build(y, z, rel, r, s, decrypt):
    """The circuit of the S-box, or of its inverse; r and s scale the forms' multipliers."""
    y16, v = power(y, 16), power(y, 17)
    field = [x for x in BYTES if power(x, 16) == x]
    parts = {mul(a, y16) ^ mul(b, y): (a, b) for a in field for b in field}
    enter = UNAFFINE if decrypt else list(BYTES)
    leave = list(BYTES) if decrypt else AFFINE

    def norm(x):
        g1, g0 = parts[x]
        return mul(g1, g0) ^ mul(v, power(g1 ^ g0, 2))

    def form(half, c):
        return sum(trace16(mul(c, parts[enter[1 << i]][half])) << i for i in range(8))

    z4 = power(z, 4)

    def dual(on, off):
        return next(d for d in field if d and mul(d, on) ^ power(mul(d, on), 4) == 1 and
                    mul(d, off) == power(mul(d, off), 4))

    first = dual(z4, z)
    second = mul(dual(z, z4), rel)
    groups = [[mul(d, w) for w in GF4] for d in (first, second, first ^ second)]
    multipliers = [mul(c, INVERSE[r]) for group in groups for c in group]
    forms1 = [form(0, c) for c in multipliers]
    forms0 = [form(1, mul(s, c)) for c in multipliers]

    # t's forms: sums of products, and linear terms, which the choice of gates removes where it can
    columns = [table(parity(a & x) & parity(b & x) for x in BYTES) for a, b in zip(forms1, forms0)]
    columns += [table(x >> i & 1 for x in BYTES) for i in range(8)]
    of_t = [combination(columns, table(trace16(mul(c, norm(enter[x]))) for x in BYTES))
            for group in groups[:2] for c in group]
    sums = [x & 511 for x in of_t]
    linear = [x >> 9 for x in of_t]
    four = [0, 1, 3, 4]
    for keep in sorted(range(16), key=lambda x: bin(x).count("1")):
        gone = [k for i, k in enumerate(four) if not keep >> i & 1]
        unknowns = [sum((f[i] if sums[k] >> i & 1 else 0) << 8 * n for n, k in enumerate(gone))
                    for f in (forms1, forms0) for i in range(9)]
        options = combination(unknowns, sum(linear[k] << 8 * n for n, k in enumerate(gone)))
        if options is not None:
            break
    left = {}
    for k in four:
        rest = linear[k]
        for i in range(9):
            if sums[k] >> i & 1:
                rest ^= forms1[i] * (options >> i & 1) ^ forms0[i] * (options >> 9 + i & 1)
        if rest:
            left[k] = rest

    circuit = Circuit()
    inputs = ["q[%d]" % i for i in range(8)]
    names = circuit.network(inputs, forms1 + forms0 + list(left.values()))
    g1, g0, rest = names[:9], names[9:18], dict(zip(left, names[18:]))
    products = [circuit.product(a, b, options >> i & 1, options >> 9 + i & 1)
                for i, (a, b) in enumerate(zip(g1, g0))]
    t = circuit.network(products, [sums[k] for k in four])
    t = [circuit.xor(name, rest[k]) if k in rest else name for k, name in zip(four, t)]
    inverse = invert16(circuit, [t[0], t[1], circuit.xor(t[0], t[1])],
                       [t[2], t[3], circuit.xor(t[2], t[3])], groups)
    flat = [name for group in inverse for name in group]

    # the result's bits: sums of the forms of 1/t times those of g1 and g0
    of_inverse = [table(trace16(mul(c, INVERSE[norm(enter[x])])) for x in BYTES)
                  for group in groups for c in group]
    columns = [bits & table(parity(f & x) for x in BYTES)
               for forms in (forms1, forms0) for bits, f in zip(of_inverse, forms)]
    rows = [combination(columns, table(leave[INVERSE[enter[x]]] >> k & 1 for x in BYTES))
            for k in range(8)]
    columns = [sum((row >> i & 1) << k for k, row in enumerate(rows)) for i in range(18)]
    last = [circuit.gate("%s & %s", a, b) for half in (g1, g0) for a, b in zip(flat, half)]
    outputs = circuit.transposed(last, columns, 8)
    check(circuit, outputs, [leave[INVERSE[enter[x]]] for x in BYTES])
    return circuit, outputs


def check(circuit, outputs, box):
    every = (1 << 256) - 1
    values = {"q": [table(x >> i & 1 for x in BYTES) for i in range(8)]}
    for i, gate in enumerate(circuit.gates):
        values["t%d" % i] = eval(gate, {}, values) & every
    assert [values[o] for o in outputs] == [table(x >> k & 1 for x in box) for k in range(8)]


def wrapped(prefix, terms, end):
    lines, line = [], prefix
    for i, term in enumerate(terms):
        term += end if i == len(terms) - 1 else ","
        if len(line) + 1 + len(term) > 96:
            lines.append(line)
            line = "       "
        line += " " + term
    return lines + [line]


def emit(name, comment, circuit, outputs):
    print("\n/* %s: %d gates. */" % (comment, len(circuit.gates)))
    print("INLINE TARGET void %s(vec q[8])\n{" % name)
    for line in wrapped("    const vec", ["t%d = %s" % x for x in enumerate(circuit.gates)], ";"):
        print(line)
    for line in wrapped("   ", ["q[%d] = %s" % x for x in enumerate(outputs)], ";"):
        print(line)
    print("}")


if __name__ == "__main__":
    print("""/* SPDX-License-Identifier: Apache-2.0 */
/* Made by tools/gen/aes_circuits.py, which has the derivation: AES's S-box and its inverse, both
 * without the constant 0x63, as circuits on eight planes: q[j] has bit j of many bytes. */
/* clang-format off */""")
    emit("sub_planes", "SubBytes", *build(0x42, 0x5c, 0xbd, 0x0c, 0xbd, 0))
    emit("inv_sub_planes", "InvSubBytes", *build(0x42, 0x5c, 0x01, 0x50, 0xb0, 1))
    print("/* clang-format on */")

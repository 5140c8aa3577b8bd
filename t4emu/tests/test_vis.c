/* SPDX-License-Identifier: Apache-2.0 */
/* VIS: each instruction is checked by a second definition. Elements are integers of any size in
 * arrays, with the first one first, and bytes lie in memory order; edge masks come from the
 * manual's tables. */
#include "../../tests/test.h"
#include "run.h"

enum { ROUNDS = 200 };

/* ---- elements ---- */

/* Splits a value into elements of `bits` bits, signed or not, from the first on. */
static unsigned split(int64_t *e, uint64_t value, unsigned bits, int is_signed)
{
    const unsigned n = 64 / bits;
    for (unsigned i = n; i-- > 0; value = bits < 64 ? value >> bits : 0) {
        e[i] = (int64_t)(value % (UINT64_C(1) << bits));
        if (is_signed && e[i] >= INT64_C(1) << (bits - 1))
            e[i] -= INT64_C(1) << bits;
    }
    return n;
}

static uint64_t join(const int64_t *e, unsigned n, unsigned bits)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n; i++)
        value = value << bits | ((uint64_t)e[i] & ((UINT64_C(1) << bits) - 1));
    return value;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t power(int64_t n)
{
    return n ? 2 * power(n - 1) : 1;
}

static int64_t limit(int64_t x, int64_t least, int64_t most)
{
    if (x < least)
        return least;
    return x > most ? most : x;
}

/* One operation on two elements; capital letters mean saturation. */
static int64_t operate(char what, int64_t x, int64_t y, unsigned bits)
{
    const int64_t least = -power(bits - 1), most = power(bits - 1) - 1;
    const int64_t count = ((y % bits) + bits) % bits;
    switch (what) {
    case '+':
        return x + y;
    case '-':
        return x - y;
    case 'A':
        return limit(x + y, least, most);
    case 'S':
        return limit(x - y, least, most);
    case '<':
        return x * power(count);
    case 'L':
        return limit(x * power(count), least, most);
    case '>':
        return floor_div(x, power(count));
    case 'm':
        return floor_div(x + y + 1, 2);
    case 'c':
        return x + y > 0xffff ? x + y - 0xffff : x + y;
    case 'u': /* by the upper byte, signed; rounded to the nearest, halves up */
        return floor_div(floor_div(x, 256) * y + 128, 256);
    default:
        return floor_div((x & 255) * y + 32768, 65536);
    }
}

static const struct {
    enum t4_op op;
    uint8_t bits, is_signed, single;
    char what;
} partitioned[] = {
    { T4_FPADD16, 16, 0, 0, '+' },    { T4_FPADD16S, 16, 0, 1, '+' },
    { T4_FPADD32, 32, 0, 0, '+' },    { T4_FPADD32S, 32, 0, 1, '+' },
    { T4_FPSUB16, 16, 0, 0, '-' },    { T4_FPSUB16S, 16, 0, 1, '-' },
    { T4_FPSUB32, 32, 0, 0, '-' },    { T4_FPSUB32S, 32, 0, 1, '-' },
    { T4_FPADDS16, 16, 1, 0, 'A' },   { T4_FPADDS16S, 16, 1, 1, 'A' },
    { T4_FPADDS32, 32, 1, 0, 'A' },   { T4_FPADDS32S, 32, 1, 1, 'A' },
    { T4_FPSUBS16, 16, 1, 0, 'S' },   { T4_FPSUBS16S, 16, 1, 1, 'S' },
    { T4_FPSUBS32, 32, 1, 0, 'S' },   { T4_FPSUBS32S, 32, 1, 1, 'S' },
    { T4_FSLL16, 16, 0, 0, '<' },     { T4_FSLL32, 32, 0, 0, '<' },
    { T4_FSRL16, 16, 0, 0, '>' },     { T4_FSRL32, 32, 0, 0, '>' },
    { T4_FSRA16, 16, 1, 0, '>' },     { T4_FSRA32, 32, 1, 0, '>' },
    { T4_FSLAS16, 16, 1, 0, 'L' },    { T4_FSLAS32, 32, 1, 0, 'L' },
    { T4_FMEAN16, 16, 1, 0, 'm' },    { T4_FCHKSM16, 16, 0, 0, 'c' },
    { T4_FMUL8SUX16, 16, 1, 0, 'u' }, { T4_FMUL8ULX16, 16, 1, 0, 'l' },
};

static uint64_t reference(unsigned row, uint64_t a, uint64_t b)
{
    const unsigned bits = partitioned[row].bits;
    int64_t x[8], y[8];
    const unsigned n = split(x, a, bits, partitioned[row].is_signed);
    split(y, b, bits, partitioned[row].is_signed);
    for (unsigned i = 0; i < n; i++)
        x[i] = operate(partitioned[row].what, x[i], y[i], bits);
    return join(x, n, bits);
}

static void arithmetic(void)
{
    for (unsigned row = 0; row < COUNT_OF(partitioned); row++)
        for (unsigned i = 0; i < ROUNDS; i++) {
            reset();
            const uint64_t before = D(2);
            const uint64_t a = partitioned[row].single ? D(4) >> 32 : D(4);
            const uint64_t b = partitioned[row].single ? D(6) & UINT32_MAX : D(6);
            const uint64_t out = reference(row, a, b);
            run(partitioned[row].op, partitioned[row].single ? 3 : F(2), 4,
                partitioned[row].single ? 7 : 6, 0);
            expect(D(2), partitioned[row].single ? before >> 32 << 32 | (uint32_t)out : out,
                   t4_opcodes[partitioned[row].op].name);
        }
}

static void sums64(void)
{
    reset();
    D(2) = UINT64_MAX;
    D(4) = 2;
    run(T4_FPADD64, F(40), F(2), F(4), 0);
    expect(D(40), 1, "fpadd64");
    run(T4_FPSUB64, F(40), F(4), F(2), 0);
    expect(D(40), 3, "fpsub64");
}

/* ---- comparisons: a digit for each element, from the first on ---- */

static void comparisons(void)
{
    static const struct {
        enum t4_op op;
        uint8_t bits, is_signed;
        char less, equal, greater;
    } rows[] = {
        { T4_FUCMPLE8, 8, 0, 1, 1, 0 },  { T4_FUCMPNE8, 8, 0, 1, 0, 1 },
        { T4_FUCMPGT8, 8, 0, 0, 0, 1 },  { T4_FUCMPEQ8, 8, 0, 0, 1, 0 },
        { T4_FCMPLE16, 16, 1, 1, 1, 0 }, { T4_FCMPNE16, 16, 1, 1, 0, 1 },
        { T4_FCMPGT16, 16, 1, 0, 0, 1 }, { T4_FCMPEQ16, 16, 1, 0, 1, 0 },
        { T4_FCMPLE32, 32, 1, 1, 1, 0 }, { T4_FCMPNE32, 32, 1, 1, 0, 1 },
        { T4_FCMPGT32, 32, 1, 0, 0, 1 }, { T4_FCMPEQ32, 32, 1, 0, 1, 0 },
    };
    for (unsigned row = 0; row < COUNT_OF(rows); row++)
        for (unsigned i = 0; i < ROUNDS; i++) {
            int64_t x[8], y[8];
            uint64_t keep;
            reset();
            random_bytes(&keep, 8);
            D(4) = D(2) ^ (D(4) & (i & 1 ? keep & keep << 8 & keep << 16 : UINT64_MAX));
            const unsigned n = split(x, D(2), rows[row].bits, rows[row].is_signed);
            split(y, D(4), rows[row].bits, rows[row].is_signed);
            uint64_t out = 0;
            for (unsigned j = 0; j < n; j++)
                out = 2 * out + (uint64_t)(x[j] < y[j]    ? rows[row].less
                                           : x[j] == y[j] ? rows[row].equal
                                                          : rows[row].greater);
            run(rows[row].op, 9, F(2), F(4), 0);
            expect(t4.o[1], out, t4_opcodes[rows[row].op].name);
        }
}

/* ---- logic: the middle four bits of opf are the truth table of a + 2 b ---- */

static void logic(void)
{
    for (unsigned op = T4_FZERO; op <= T4_FONES; op++) {
        reset();
        t4_model.die_on_undefined = 0;
        const unsigned table = t4_opcodes[op].match >> 6 & 15,
                       single = t4_opcodes[op].match >> 5 & 1;
        const uint64_t before = D(6);
        uint64_t out = 0;
        for (unsigned i = 0; i < 64; i++)
            out |= (uint64_t)(table >> ((D(2) >> i & 1) + 2 * (D(4) >> i & 1)) & 1) << i;
        run((enum t4_op)op, 6, 2, 4, 0);
        const uint64_t high = UINT64_MAX << 32;
        expect(D(6), single ? (out & high) | (before & ~high) : out, t4_opcodes[op].name);
    }
}

/* ---- permutations, in bytes ---- */

static void bytes_of(uint8_t out[8], uint64_t value)
{
    for (unsigned i = 8; i-- > 0; value >>= 8)
        out[i] = (uint8_t)value;
}

static uint64_t value_of(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value = value * 256 + bytes[i];
    return value;
}

static void alignment(void)
{
    for (unsigned offset = 0; offset < 8; offset++) {
        uint8_t bytes[16];
        reset();
        t4.o[1] = 0x7fff00 + offset;
        t4.o[2] = 0x1000;
        const uint64_t gsr = t4.gsr;
        run(T4_ALIGNADDR, 11, 9, 10, 0);
        expect(t4.o[3], 0x800f00, "alignaddr");
        expect(t4.gsr, (gsr & ~UINT64_C(7)) + offset, "alignaddr's GSR");
        bytes_of(bytes, D(2));
        bytes_of(bytes + 8, D(4));
        run(T4_FALIGNDATA, 6, 2, 4, 0);
        expect(D(6), value_of(bytes + offset), "faligndata");
        run(T4_ALIGNADDRL, 11, 9, 10, 0);
        expect(t4.o[3], 0x800f00, "alignaddrl");
        expect(t4.gsr, (gsr & ~UINT64_C(7)) + (8 - offset) % 8, "alignaddrl's GSR");
    }
}

static void shuffle(void)
{
    reset();
    D(2) = 0x0001020304050607;
    D(4) = 0x08090a0b0c0d0e0f;
    t4.o[1] = 0x1200000000;
    t4.o[2] = 0x0f1e2d3c;
    const uint32_t low = (uint32_t)t4.gsr;
    run(T4_BMASK, 11, 9, 10, 0);
    expect(t4.o[3], 0x120f1e2d3c, "bmask");
    expect(t4.gsr, UINT64_C(0x0f1e2d3c00000000) | low, "bmask's GSR");
    run(T4_BSHUFFLE, 6, 2, 4, 0);
    expect(D(6), 0x000f010e020d030c, "bshuffle");
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint8_t from[16], out[8];
        reset();
        bytes_of(from, D(2));
        bytes_of(from + 8, D(4));
        for (unsigned j = 0; j < 8; j++)
            out[j] = from[t4.gsr >> 32 >> 4 * (7 - j) & 15];
        run(T4_BSHUFFLE, 6, 2, 4, 0);
        expect(D(6), value_of(out), "bshuffle");
    }
}

/* bshuffle after cmask takes an element of rs1 if the comparison was true. */
static void cmask(void)
{
    static const struct {
        enum t4_op op;
        uint32_t bits, mask;
    } rows[] = {
        { T4_CMASK8, 0xff, 0x01234567 }, { T4_CMASK8, 0x00, 0x89abcdef },
        { T4_CMASK8, 0x81, 0x09abcde7 }, { T4_CMASK8, 0x12, 0x89a3cd6f },
        { T4_CMASK16, 0xf, 0x01234567 }, { T4_CMASK16, 0x8, 0x01abcdef },
        { T4_CMASK16, 0x1, 0x89abcd67 }, { T4_CMASK32, 0x2, 0x0123cdef },
        { T4_CMASK32, 0x1, 0x89ab4567 }, { T4_CMASK32, 0xfc, 0x89abcdef },
    };
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        reset();
        t4.o[1] = rows[i].bits;
        const uint32_t low = (uint32_t)t4.gsr;
        run(rows[i].op, 0, 0, 9, 0);
        expect(t4.gsr, (uint64_t)rows[i].mask << 32 | low, t4_opcodes[rows[i].op].name);
    }
}

static void merge_and_expand(void)
{
    reset();
    D(2) = 0x11223344aabbccdd;
    D(4) = 0x55667788ddeeff01;
    run(T4_FPMERGE, 6, 2, 4, 0);
    expect(D(6), 0x1155226633774488, "fpmerge");
    run(T4_FEXPAND, 6, 0, 5, 0);
    expect(D(6), 0x0dd00ee00ff00010, "fexpand");
}

/* ---- edges ---- */

static void edges(void)
{
    static const struct {
        enum t4_op op;
        uint8_t shift;
        uint8_t left[8], right[8];
    } rows[] = {
        { T4_EDGE8,
          0,
          { 0xff, 0x7f, 0x3f, 0x1f, 15, 7, 3, 1 },
          { 0x80, 0xc0, 0xe0, 0xf0, 0xf8, 0xfc, 0xfe, 0xff } },
        { T4_EDGE8L,
          0,
          { 0xff, 0xfe, 0xfc, 0xf8, 0xf0, 0xe0, 0xc0, 0x80 },
          { 1, 3, 7, 15, 0x1f, 0x3f, 0x7f, 0xff } },
        { T4_EDGE16, 1, { 15, 7, 3, 1 }, { 8, 12, 14, 15 } },
        { T4_EDGE16L, 1, { 15, 14, 12, 8 }, { 1, 3, 7, 15 } },
        { T4_EDGE32, 2, { 3, 1 }, { 2, 3 } },
        { T4_EDGE32L, 2, { 3, 2 }, { 1, 3 } },
    };
    for (unsigned i = 0; i < COUNT_OF(rows) * 64 * 3; i++) {
        const unsigned row = i / 192, a = i / 24 % 8, b = i / 3 % 8;
        reset();
        t4.o[1] = (t4.o[1] & ~UINT64_C(7)) | a;
        t4.o[2] = ((i % 3 ? t4.o[1] + (i % 3 - 1) * 8 : t4.o[2]) & ~UINT64_C(7)) | b;
        const unsigned left = rows[row].left[a >> rows[row].shift];
        const unsigned right = i % 3 == 1 ? rows[row].right[b >> rows[row].shift] : 0xff;
        const uint64_t x = t4.o[1], y = t4.o[2];
        const uint8_t ccr = t4.ccr;
        const enum t4_op n = (enum t4_op)(T4_EDGE8N + (rows[row].op - T4_EDGE8));
        run(n, 11, 9, 10, 0);
        expect(t4.o[3], left & right, t4_opcodes[n].name);
        expect(t4.ccr, ccr, "CCR after an edge that leaves it");
        run(rows[row].op, 11, 9, 10, 0);
        expect(t4.o[3], left & right, t4_opcodes[rows[row].op].name);
        expect(t4.ccr >> 4 & 1, x < y, "xcc.c");
        expect(t4.ccr & 1, (uint32_t)x < (uint32_t)y, "icc.c");
        expect(t4.ccr >> 6 & 1, x == y, "xcc.z");
        expect(t4.ccr >> 2 & 1, (uint32_t)x == (uint32_t)y, "icc.z");
        expect((t4.ccr >> 7 ^ t4.ccr >> 5) & 1, (int64_t)x < (int64_t)y, "xcc.n ^ xcc.v");
        expect((t4.ccr >> 3 ^ t4.ccr >> 1) & 1, (int32_t)x < (int32_t)y, "icc.n ^ icc.v");
        expect(t4.ccr >> 7, (x - y) >> 63, "xcc.n");
    }
}

/* ---- packing, products, distances ---- */

static uint64_t pack(uint64_t value, unsigned bits, unsigned scale, unsigned point, int64_t least,
                     int64_t most, unsigned out_bits)
{
    int64_t e[8];
    const unsigned n = split(e, value, bits, 1);
    for (unsigned i = 0; i < n; i++)
        e[i] = limit(floor_div(e[i] * power(scale), power(point)), least, most);
    return join(e, n, out_bits);
}

static void packing(void)
{
    for (unsigned i = 0; i < 32 * 20; i++) {
        reset();
        const unsigned scale = t4.gsr >> 3 & 31;
        const uint64_t before = D(6), small = i & 1 ? 0x00ff00ff00ff00ff : UINT64_MAX;
        D(4) &= small;
        run(T4_FPACK16, 7, 0, 4, 0);
        expect(D(6), before >> 32 << 32 | pack(D(4), 16, scale & 15, 7, 0, 255, 8), "fpack16");
        run(T4_FPACKFIX, 7, 0, 4, 0);
        expect(D(6), before >> 32 << 32 | pack(D(4), 32, scale, 16, -32768, 32767, 16), "fpackfix");
        const uint64_t packed = pack(D(4), 32, scale, 23, 0, 255, 32);
        run(T4_FPACK32, 6, 2, 4, 0);
        expect(D(6), (D(2) << 8 & 0xffffff00ffffff00) | packed, "fpack32");
    }
}

static void products(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        int64_t x[8], y[4], out[4];
        reset();
        split(x, D(2), 8, 0);
        split(y, D(4), 16, 1);
        for (unsigned kind = 0; kind < 3; kind++) {
            static const enum t4_op ops[] = { T4_FMUL8X16, T4_FMUL8X16AU, T4_FMUL8X16AL };
            for (unsigned j = 0; j < 4; j++)
                out[j] = floor_div(x[j] * y[kind ? kind - 1 : j] + 128, 256);
            run(ops[kind], 6, 2, 4, 0);
            expect(D(6), join(out, 4, 16), t4_opcodes[ops[kind]].name);
        }
        for (unsigned j = 0; j < 2; j++)
            out[j] = (x[2 * j] - (x[2 * j] > 127) * 256) * y[j] * 256;
        run(T4_FMULD8SUX16, 6, 2, 4, 0);
        expect(D(6), join(out, 2, 32), "fmuld8sux16");
        for (unsigned j = 0; j < 2; j++)
            out[j] = x[2 * j + 1] * y[j];
        run(T4_FMULD8ULX16, 6, 2, 4, 0);
        expect(D(6), join(out, 2, 32), "fmuld8ulx16");
        split(x, D(2), 8, 0);
        int64_t z[8], sum = 0;
        split(z, D(4), 8, 0);
        for (unsigned j = 0; j < 8; j++)
            sum += llabs(x[j] - z[j]);
        const uint64_t before = D(6);
        run(T4_PDISTN, 9, 2, 4, 0);
        expect(t4.o[1], (uint64_t)sum, "pdistn");
        run(T4_PDIST, 6, 2, 4, 0);
        expect(D(6), before + (uint64_t)sum, "pdist");
    }
}

const struct check vis_checks[] = {
    { "VIS: partitioned sums, shifts, means, checksums, products", arithmetic },
    { "VIS: fpadd64, fpsub64", sums64 },
    { "VIS: partitioned comparisons", comparisons },
    { "VIS: logic", logic },
    { "VIS: alignaddr, faligndata", alignment },
    { "VIS: bmask, bshuffle", shuffle },
    { "VIS: cmask", cmask },
    { "VIS: fpmerge, fexpand", merge_and_expand },
    { "VIS: edges", edges },
    { "VIS: packing", packing },
    { "VIS: products of pixels, distances", products },
    { 0 },
};

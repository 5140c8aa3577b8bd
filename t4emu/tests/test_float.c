/* SPDX-License-Identifier: Apache-2.0 */
/* VIS 3's floating point, compared with that of this machine in each rounding mode, and
 * hand-picked cases. */
#include "../../tests/test.h"
#include "run.h"
#include <fenv.h>

enum { ROUNDS = 200, NX = 1, UF = 4, OF = 8, NV = 16 };

static const int modes[4] = { FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD };

static double as_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float as_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint32_t of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static unsigned exceptions(void)
{
    const int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_INEXACT ? NX : 0) | (raised & FE_UNDERFLOW ? UF : 0) |
           (raised & FE_OVERFLOW ? OF : 0) | (raised & FE_INVALID ? NV : 0);
}

/* Random operands with close exponents, which, if `middle`, are far from both ends of the range. */
static void random_operands(int middle)
{
    uint64_t r;
    reset();
    random_bytes(&r, sizeof r);
    if (middle || r & 1) {
        D(2) = (D(2) & 0x800fffff807fffff) | (0x3f00000038000000 + (r >> 8 & 0x03f0000003800000));
        D(4) = (D(4) & 0x800fffff807fffff) | (0x3f00000038000000 + (r >> 4 & 0x03f0000003800000));
    }
    t4.gsr &= ~(UINT64_C(1) << 27);
    t4.fsr = 0;
}

static int is_nan(uint64_t d)
{
    return as_double(d) != as_double(d) ||
           as_float((uint32_t)(d >> 32)) != as_float((uint32_t)(d >> 32));
}

/* Sets the rounding mode in FSR.rd, or in GSR.irnd with another mode in FSR. */
static void set_mode(unsigned mode, int by_gsr)
{
    t4.fsr = (uint64_t)(by_gsr ? mode ^ 3 : mode) << 30;
    t4.gsr = (t4.gsr & ~(UINT64_C(7) << 25)) | (by_gsr ? (uint64_t)(4 | mode) << 25 : 0);
}

static void check_result(enum t4_op op, uint64_t expected, unsigned raised, int single)
{
    const uint64_t fsr = t4.fsr;
    fesetround(FE_TONEAREST);
    run(op, 6, 2, 4, 0);
    expect(single ? D(6) >> 32 : D(6), expected, t4_opcodes[op].name);
    expect(t4.fsr, fsr | raised | raised << 5, t4_opcodes[op].name);
}

/* Compares -(a + b) and -(a * b), rounded first, and (a + b) / 2 as a / 2 + b / 2 where halves
 * are exact. */
static void against_this_machine(void)
{
    for (unsigned i = 0; i < ROUNDS * 8; i++) {
        const unsigned mode = i & 3;
        random_operands(0);
        if (is_nan(D(2)) || is_nan(D(4)))
            continue;
        volatile double a = as_double(D(2)), b = as_double(D(4)), r;
        volatile float x = as_float((uint32_t)(D(2) >> 32)), y = as_float((uint32_t)(D(4) >> 32)),
                       s;
#define CHECK(op, result, value, bits, single)        \
    feclearexcept(FE_ALL_EXCEPT);                     \
    fesetround(modes[mode]);                          \
    result = value;                                   \
    set_mode(mode, i & 4);                            \
    if ((result) == (result))                         \
        check_result(op, bits, exceptions(), single); \
    fesetround(FE_TONEAREST)
        CHECK(T4_FNADDD, r, a + b, of_double(-r), 0);
        CHECK(T4_FNMULD, r, a * b, of_double(-r), 0);
        CHECK(T4_FNADDS, s, x + y, of_float(-s), 1);
        CHECK(T4_FNMULS, s, x * y, of_float(-s), 1);
        CHECK(T4_FNSMULD, r, (double)x * y, of_double(-r), 0);
        random_operands(1);
        a = as_double(D(2)) / 2;
        b = as_double(D(4)) / 2;
        x = as_float((uint32_t)(D(2) >> 32)) / 2;
        y = as_float((uint32_t)(D(4) >> 32)) / 2;
        CHECK(T4_FHADDD, r, a + b, of_double(r), 0);
        CHECK(T4_FHSUBD, r, a - b, of_double(r), 0);
        CHECK(T4_FHADDS, s, x + y, of_float(s), 1);
        CHECK(T4_FHSUBS, s, x - y, of_float(s), 1);
        CHECK(T4_FNHADDD, r, -a - b, r == 0 ? of_double(-(a + b)) : of_double(r), 0);
        CHECK(T4_FNHADDS, s, -x - y, s == 0 ? of_float(-(x + y)) : of_float(s), 1);
    }
}

static void by_hand(void)
{
    static const struct {
        enum t4_op op;
        uint64_t a, b, result;
        unsigned exceptions;
    } cases[] = {
        /* the largest number is the mean of itself, without an overflow on the way */
        { T4_FHADDD, 0x7fefffffffffffff, 0x7fefffffffffffff, 0x7fefffffffffffff, 0 },
        { T4_FHSUBD, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7fefffffffffffff, 0 },
        { T4_FNADDD, 0x7fefffffffffffff, 0x7fefffffffffffff, 0xfff0000000000000, OF | NX },
        { T4_FHADDD, 1, 0, 0, UF | NX },
        { T4_FHADDD, 1, 2, 2, UF | NX },
        { T4_FHADDD, 1, 1, 1, 0 },
        { T4_FNHADDD, 0x3ff0000000000000, 0x4008000000000000, 0xc000000000000000, 0 },
        { T4_FNADDD, 0x7ff0000000000000, 0x3ff0000000000000, 0xfff0000000000000, 0 },
        { T4_FNADDD, 0x7ff0000000000000, 0xfff0000000000000, 0x7fffffffffffffff, NV },
        { T4_FNMULD, 0x7ff0000000000000, 0, 0x7fffffffffffffff, NV },
        /* NaNs keep their sign; a signalling one takes precedence over a quiet one, else the
         * second operand counts */
        { T4_FNADDD, 0x7ff8000000000001, 0x3ff0000000000000, 0x7ff8000000000001, 0 },
        { T4_FNADDD, 0x7ff8000000000001, 0xfff8000000000002, 0xfff8000000000002, 0 },
        { T4_FNADDD, 0x7ff0000000000001, 0xfff8000000000002, 0x7ff8000000000001, NV },
        { T4_FNADDD, 0x7ff8000000000001, 0xfff0000000000002, 0xfff8000000000002, NV },
        { T4_FNSMULD, 0x7fc0000100000000, 0x3f80000000000000, 0x7ff8000020000000, 0 },
    };
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        random_operands(1);
        D(2) = cases[i].a;
        D(4) = cases[i].b;
        set_mode(0, 0);
        check_result(cases[i].op, cases[i].result, cases[i].exceptions, 0);
    }
}

static void lexicographic(void)
{
    static const struct {
        double a, b;
        unsigned fcc;
    } cases[] = { { 1, 2, 1 },   { 2, 1, 0 },   { 1, 1, 0 },  { -0.0, 0.0, 1 }, { 0.0, -0.0, 0 },
                  { -1, -2, 0 }, { -2, -1, 1 }, { -1, 1, 1 }, { 1, -1, 0 } };
    static const unsigned shifts[] = { 10, 32, 34, 36 };
    const double nan = as_double(0x7ff8000000000000);
    for (unsigned i = 0; i < COUNT_OF(cases) * 4; i++) {
        const unsigned n = i / 4, shift = shifts[i & 3];
        for (unsigned j = 0; j < 3; j++) {
            const double a = j == 1 ? nan : cases[n].a, b = j == 2 ? nan : cases[n].b;
            const uint64_t fcc = j ? j + 1 : cases[n].fcc;
            reset();
            const uint64_t others = t4.fsr & ~(UINT64_C(3) << shift);
            D(2) = of_double(a);
            D(4) = of_double(b);
            run(T4_FLCMPD, i & 3, 2, 4, 0);
            expect(t4.fsr, others | fcc << shift, "flcmpd");
            D(2) = of_float((float)a);
            D(4) = of_float((float)b);
            run(T4_FLCMPS, i & 3, 3, 5, 0);
            expect(t4.fsr, others | fcc << shift, "flcmps");
        }
    }
}

const struct check float_checks[] = {
    { "VIS 3: negated and halved sums, negated products, four roundings", against_this_machine },
    { "VIS 3: overflow, underflow, NaNs", by_hand },
    { "VIS 3: flcmps, flcmpd", lexicographic },
    { 0 },
};

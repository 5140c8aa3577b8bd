/* SPDX-License-Identifier: Apache-2.0 */
/* VIS 3 (Oracle SPARC Architecture 2011, chapter 7): negated and halved sums, negated products.
 * IEEE 754 arithmetic is done in integers; rounding and exceptions follow FSR (chapter 8) and
 * GSR.im. No exception traps. */
#include "sem_vis.h"

typedef unsigned __int128 wide;

enum { NX = 1, UF = 4, OF = 8, NV = 16 }; /* bits of FSR.cexc */
enum { NEAREST, TO_ZERO, UP, DOWN };      /* values of FSR.rd */
enum { RD_SHIFT = 30, CEXC_MASK = 31, AEXC_SHIFT = 5, GUARD = 64 };

/* A floating-point format: sign, exponent, and digits - 1 bits of fraction. */
struct format {
    int digits, max_exponent; /* max_exponent is the bias, too */
};
static const struct format single = { 24, 127 }, dual = { 53, 1023 };

struct number {
    int negative, exponent; /* the value is digits * 2^exponent */
    wide digits;            /* 0: a zero */
    enum { FINITE, INFINITE, QUIET, SIGNALLING } kind;
    uint64_t bits;
};

static uint64_t fraction_mask(const struct format *f)
{
    return (UINT64_C(1) << (f->digits - 1)) - 1;
}

static uint64_t sign_bit(const struct format *f)
{
    return UINT64_C(1) << (f == &single ? 31 : 63);
}

static uint64_t infinity(const struct format *f)
{
    return (uint64_t)(2 * f->max_exponent + 1) << (f->digits - 1);
}

static struct number unpack(uint64_t bits, const struct format *f)
{
    const uint64_t fraction = bits & fraction_mask(f);
    const int exponent = (int)((bits & infinity(f)) >> (f->digits - 1));
    struct number n = { .negative = (bits & sign_bit(f)) != 0, .bits = bits };
    if (exponent > 2 * f->max_exponent) {
        const int quiet = fraction >> (f->digits - 2) & 1;
        n.kind = !fraction ? INFINITE : quiet ? QUIET : SIGNALLING;
        return n;
    }
    n.digits = exponent ? fraction | (fraction_mask(f) + 1) : fraction;
    n.exponent = (exponent ? exponent : 1) - f->max_exponent - (f->digits - 1);
    return n;
}

static unsigned rounding(const struct sem_vis *s)
{
    return s->gsr >> SEM_GSR_IM_SHIFT & 1 ? s->gsr >> SEM_GSR_IRND_SHIFT & 3
                                          : s->fsr >> RD_SHIFT & 3;
}

static void raise(struct sem_vis *s, unsigned exceptions)
{
    s->fsr = (s->fsr & ~(uint64_t)CEXC_MASK) | exceptions | exceptions << AEXC_SHIFT;
}

/* Whether a magnitude is rounded away from 0. `half`: the part that is cut off is less than half
 * of the last place (-1), exactly half (0), or more (1). `odd`: the kept part is odd. */
static int away(const struct sem_vis *s, int negative, int odd, int half)
{
    switch (rounding(s)) {
    case NEAREST:
        return half > 0 || (half == 0 && odd);
    case TO_ZERO:
        return 0;
    case UP:
        return !negative;
    default:
        return negative;
    }
}

/* Returns digits * 2^exponent, rounded to the format, and sets the exceptions in FSR. */
static uint64_t pack(struct sem_vis *s, const struct format *f, const struct number *n)
{
    int top = 127;
    while (top > 0 && !(n->digits >> top & 1))
        top--;
    const int least = 1 - f->max_exponent - (f->digits - 1); /* exponent of the smallest number */
    const int place = n->exponent + top - (f->digits - 1);
    const int unit = place > least ? place : least, cut = unit - n->exponent;
    wide kept = cut <= 0 ? n->digits << -cut : cut < 128 ? n->digits >> cut : 0;
    const wide rest = cut <= 0 ? 0 : cut < 128 ? n->digits - (kept << cut) : n->digits;
    const wide middle = cut > 0 && cut < 129 ? (wide)1 << (cut - 1) : 0;
    unsigned exceptions = 0;
    if (rest) {
        const int half = !middle || rest < middle ? -1 : rest > middle;
        kept += (wide)away(s, n->negative, (int)(kept & 1), half);
        exceptions = NX | (place < least ? UF : 0);
    }
    uint64_t bits = (uint64_t)kept;
    if (kept > fraction_mask(f)) /* normal; a carry goes into the exponent */
        bits += (uint64_t)(unit - least) << (f->digits - 1);
    if (bits >= infinity(f)) {
        exceptions |= OF | NX;
        bits = infinity(f) - !away(s, n->negative, 0, 1);
    }
    raise(s, exceptions);
    return bits | (n->negative ? sign_bit(f) : 0);
}

static uint64_t not_a_number(struct sem_vis *s, const struct format *f)
{
    raise(s, NV);
    return infinity(f) | fraction_mask(f);
}

/* The NaN that results from the operands (SPARC V9, table 27): b's if both are NaNs, but a
 * signalling one before a quiet one. The result is quiet. `to` may be a wider format. */
static uint64_t nan_of(struct sem_vis *s, const struct format *f, const struct format *to,
                       const struct number *a, const struct number *b)
{
    const struct number *n =
        b->kind == SIGNALLING || (a->kind < QUIET) || (b->kind == QUIET && a->kind == QUIET) ? b
                                                                                             : a;
    raise(s, a->kind == SIGNALLING || b->kind == SIGNALLING ? NV : 0);
    const uint64_t fraction = (n->bits & fraction_mask(f)) | UINT64_C(1) << (f->digits - 2);
    return (n->negative ? sign_bit(to) : 0) | infinity(to) | fraction << (to->digits - f->digits);
}

/* (a + b) / 2^halve, or a - b with `subtract`, negated or not; a NaN is not negated. fnadd rounds
 * before it negates, and fnhadd negates before it rounds, as QEMU interprets the architecture; only
 * the roundings UP and DOWN show a difference. */
enum negate { KEEP, ROUND_AND_NEGATE, NEGATE_AND_ROUND };

static uint64_t sum(struct sem_vis *s, const struct format *f, uint64_t a_bits, uint64_t b_bits,
                    int subtract, enum negate negate, int halve)
{
    struct number a = unpack(a_bits, f), b = unpack(b_bits, f);
    if (a.kind >= QUIET || b.kind >= QUIET)
        return nan_of(s, f, f, &a, &b);
    b.negative ^= subtract;
    if (a.kind == INFINITE && b.kind == INFINITE && a.negative != b.negative)
        return not_a_number(s, f);
    if (a.kind == INFINITE || b.kind == INFINITE) {
        raise(s, 0);
        return infinity(f) |
               ((a.kind == INFINITE ? a : b).negative ^ (negate != KEEP) ? sign_bit(f) : 0);
    }
    struct number big = a.exponent >= b.exponent ? a : b, small = a.exponent >= b.exponent ? b : a;
    const int distance = big.exponent - small.exponent;
    big.digits <<= GUARD;
    big.exponent -= GUARD;
    small.digits <<= GUARD;
    if (distance < 128) {
        const wide cut = small.digits & (((wide)1 << distance) - 1);
        small.digits = small.digits >> distance | (cut != 0);
    } else
        small.digits = small.digits != 0;
    if (big.negative == small.negative)
        big.digits += small.digits;
    else if (big.digits >= small.digits)
        big.digits -= small.digits;
    else {
        big.digits = small.digits - big.digits;
        big.negative = small.negative;
    }
    if (!big.digits) { /* equal zeros keep their sign; otherwise the sum is +0, or -0 when rounding
                          down */
        const int down = rounding(s) == DOWN;
        big.negative = a.negative == b.negative ? a.negative : down;
        raise(s, 0);
        return big.negative ^ (negate != KEEP) ? sign_bit(f) : 0;
    }
    big.exponent -= halve;
    big.negative ^= negate == NEGATE_AND_ROUND;
    return pack(s, f, &big) ^ (negate == ROUND_AND_NEGATE ? sign_bit(f) : 0);
}

/* -(a * b), negated after rounding. */
static uint64_t product(struct sem_vis *s, const struct format *f, const struct format *to,
                        uint64_t a_bits, uint64_t b_bits)
{
    const struct number a = unpack(a_bits, f), b = unpack(b_bits, f);
    if (a.kind >= QUIET || b.kind >= QUIET)
        return nan_of(s, f, to, &a, &b);
    const int negative = a.negative ^ b.negative,
              infinite = a.kind == INFINITE || b.kind == INFINITE;
    const uint64_t sign = negative ? 0 : sign_bit(to);
    if (infinite && ((a.kind == FINITE && !a.digits) || (b.kind == FINITE && !b.digits)))
        return not_a_number(s, to);
    const struct number n = { negative, a.exponent + b.exponent, a.digits * b.digits, FINITE, 0 };
    if (infinite || !n.digits) {
        raise(s, 0);
        return infinite ? infinity(to) | sign : sign;
    }
    return pack(s, to, &n) ^ sign_bit(to);
}

#define SUM(function, format, subtract, negate, halve)                 \
    uint64_t sem_##function(uint64_t a, uint64_t b, struct sem_vis *s) \
    {                                                                  \
        return sum(s, &format, a, b, subtract, negate, halve);         \
    }
#define PRODUCT(function, format, to)                                  \
    uint64_t sem_##function(uint64_t a, uint64_t b, struct sem_vis *s) \
    {                                                                  \
        return product(s, &format, &to, a, b);                         \
    }

SUM(fnadds, single, 0, ROUND_AND_NEGATE, 0)
SUM(fnaddd, dual, 0, ROUND_AND_NEGATE, 0)
SUM(fhadds, single, 0, KEEP, 1)
SUM(fhaddd, dual, 0, KEEP, 1)
SUM(fhsubs, single, 1, KEEP, 1)
SUM(fhsubd, dual, 1, KEEP, 1)
SUM(fnhadds, single, 0, NEGATE_AND_ROUND, 1)
SUM(fnhaddd, dual, 0, NEGATE_AND_ROUND, 1)
PRODUCT(fnmuls, single, single)
PRODUCT(fnmuld, dual, dual)
PRODUCT(fnsmuld, single, dual)

/* Returns 0 for a >= b, 1 for a < b (-0 < +0), 2 if only a is a NaN, 3 if b is a NaN. Raises no
 * exceptions. */
static unsigned lexicographic(const struct format *f, uint64_t a_bits, uint64_t b_bits)
{
    const struct number a = unpack(a_bits, f), b = unpack(b_bits, f);
    if (a.kind >= QUIET || b.kind >= QUIET)
        return b.kind >= QUIET ? 3 : 2;
    if (a.negative != b.negative)
        return (unsigned)a.negative;
    return a.negative ? a_bits > b_bits : a_bits < b_bits;
}

unsigned sem_flcmps(uint32_t a, uint32_t b)
{
    return lexicographic(&single, a, b);
}

unsigned sem_flcmpd(uint64_t a, uint64_t b)
{
    return lexicographic(&dual, a, b);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* VIS 1 to 3 (Oracle SPARC Architecture 2011, chapter 7): partitioned arithmetic, comparisons,
 * logic. A register is a vector of elements, with the first one in the most significant bits. */
#include "sem_vis.h"

/* ---- functions of single elements: x and y are those of a and b, of one type ---- */

#define EACH(function, type, bits, value)                                  \
    uint64_t sem_##function(uint64_t a, uint64_t b, struct sem_vis *s)     \
    {                                                                      \
        uint64_t out = 0;                                                  \
        for (unsigned shift = 0; shift < 64; shift += bits) {              \
            const type x = (type)(a >> shift), y = (type)(b >> shift);     \
            out |= ((uint64_t)(value)&UINT64_MAX >> (64 - bits)) << shift; \
        }                                                                  \
        return out;                                                        \
    }

static int64_t clip(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static int64_t clip16(int64_t value)
{
    return clip(value, INT16_MIN, INT16_MAX);
}

static int64_t clip32(int64_t value)
{
    return clip(value, INT32_MIN, INT32_MAX);
}

EACH(add16, uint16_t, 16, x + y)
EACH(add32, uint32_t, 32, x + y)
EACH(sub16, uint16_t, 16, x - y)
EACH(sub32, uint32_t, 32, x - y)
EACH(adds16, int16_t, 16, clip16(x + y))
EACH(adds32, int32_t, 32, clip32((int64_t)x + y))
EACH(subs16, int16_t, 16, clip16(x - y))
EACH(subs32, int32_t, 32, clip32((int64_t)x - y))
EACH(mean16, int16_t, 16, (x + y + 1) >> 1)
EACH(chksm16, uint16_t, 16, (x + y) + ((x + y) >> 16)) /* the carry is added again */

/* The shift count is y modulo the width; fslas keeps the sign and saturates. */
EACH(sll16, uint16_t, 16, (uint32_t)x << (y & 15))
EACH(sll32, uint32_t, 32, x << (y & 31))
EACH(srl16, uint16_t, 16, x >> (y & 15))
EACH(srl32, uint32_t, 32, x >> (y & 31))
EACH(sra16, int16_t, 16, x >> (y & 15))
EACH(sra32, int32_t, 32, x >> (y & 31))
EACH(slas16, int16_t, 16, clip16(x *(INT64_C(1) << (y & 15))))
EACH(slas32, int32_t, 32, clip32(x *(INT64_C(1) << (y & 31))))

/* Products of 8 by 16 bits: 24 bits, of which fmul8sux16 keeps the upper 16 and fmul8ulx16, whose
 * operand is the low byte of the element, the upper 8; both round. */
EACH(mul8sux16, int16_t, 16, ((x >> 8) * y + 0x80) >> 8)
EACH(mul8ulx16, int16_t, 16, ((x & 0xff) * y + 0x8000) >> 16)

uint64_t sem_add64(uint64_t a, uint64_t b, struct sem_vis *s)
{
    return a + b;
}

uint64_t sem_sub64(uint64_t a, uint64_t b, struct sem_vis *s)
{
    return a - b;
}

/* ---- elements of a word, each extended to twice its width ---- */

#define WIDEN(function, in_bits, value)                                                     \
    uint64_t sem_##function(uint64_t a, uint64_t b, struct sem_vis *s)                      \
    {                                                                                       \
        uint64_t out = 0;                                                                   \
        for (unsigned i = 0; i < 32 / in_bits; i++) {                                       \
            const uint32_t mask = (1u << in_bits) - 1;                                      \
            const uint32_t x = (uint32_t)(a >> i * in_bits) & mask;                         \
            const uint32_t y = (uint32_t)(b >> i * in_bits) & mask;                         \
            out |= ((uint64_t)(value)&UINT64_MAX >> (64 - 2 * in_bits)) << 2 * i * in_bits; \
        }                                                                                   \
        return out;                                                                         \
    }

static int32_t mul8x16(uint32_t x, int32_t y)
{
    return ((int32_t)x * y + 0x80) >> 8;
}

WIDEN(mul8x16, 8, mul8x16(x, (int16_t)(b >> 16 * i)) + (0 & y))
WIDEN(mul8x16au, 8, mul8x16(x, (int16_t)(b >> 16)) + (0 & y))
WIDEN(mul8x16al, 8, mul8x16(x, (int16_t)b) + (0 & y))
WIDEN(muld8sux16, 16, (int64_t)(int8_t)(x >> 8) * (int16_t)y * 256)
WIDEN(muld8ulx16, 16, (int64_t)(uint8_t)x *(int16_t)y)
WIDEN(merge, 8, x << 8 | y)
WIDEN(expand, 8, y << 4 | (0 & x))

/* ---- packing: shifted left by GSR.scale, cut to the integer part, clipped ---- */

static unsigned scale(const struct sem_vis *s, unsigned bits)
{
    return s->gsr >> SEM_GSR_SCALE_SHIFT & ((1u << bits) - 1);
}

static int64_t scaled(int64_t value, unsigned count)
{
    return value * (INT64_C(1) << count);
}

uint64_t sem_pack16(uint64_t a, uint64_t b, struct sem_vis *s)
{
    uint64_t out = 0;
    for (int shift = 48; shift >= 0; shift -= 16)
        out = out << 8 | (uint64_t)clip(scaled((int16_t)(b >> shift), scale(s, 4)) >> 7, 0, 255);
    return out;
}

uint64_t sem_packfix(uint64_t a, uint64_t b, struct sem_vis *s)
{
    uint64_t out = 0;
    for (int shift = 32; shift >= 0; shift -= 32)
        out = out << 16 | (uint16_t)clip16(scaled((int32_t)(b >> shift), scale(s, 5)) >> 16);
    return out;
}

uint64_t sem_pack32(uint64_t a, uint64_t b, struct sem_vis *s)
{
    uint64_t out = 0;
    for (int shift = 32; shift >= 0; shift -= 32)
        out = out << 32 | (uint32_t)(a >> shift) << 8 |
              (uint64_t)clip(scaled((int32_t)(b >> shift), scale(s, 5)) >> 23, 0, 255);
    return out;
}

/* ---- sums of absolute differences of bytes ---- */

uint64_t sem_pdistn(uint64_t a, uint64_t b, struct sem_vis *s)
{
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        const uint8_t x = (uint8_t)(a >> shift), y = (uint8_t)(b >> shift);
        sum += x > y ? x - y : y - x;
    }
    return sum;
}

uint64_t sem_pdist(uint64_t a, uint64_t b, struct sem_vis *s)
{
    return s->rd + sem_pdistn(a, b, s);
}

/* ---- comparisons: one bit for each element; bit 0 is that of the last element ---- */

#define COMPARE(function, type, bits, relation)                                          \
    uint64_t sem_##function(uint64_t a, uint64_t b, struct sem_vis *s)                   \
    {                                                                                    \
        uint64_t out = 0;                                                                \
        for (unsigned i = 0; i < 64 / bits; i++)                                         \
            out |= (uint64_t)((type)(a >> i * bits) relation(type)(b >> i * bits)) << i; \
        return out;                                                                      \
    }

COMPARE(cmple8, uint8_t, 8, <=)
COMPARE(cmpne8, uint8_t, 8, !=)
COMPARE(cmpgt8, uint8_t, 8, >)
COMPARE(cmpeq8, uint8_t, 8, ==)
COMPARE(cmple16, int16_t, 16, <=)
COMPARE(cmpne16, int16_t, 16, !=)
COMPARE(cmpgt16, int16_t, 16, >)
COMPARE(cmpeq16, int16_t, 16, ==)
COMPARE(cmple32, int32_t, 32, <=)
COMPARE(cmpne32, int32_t, 32, !=)
COMPARE(cmpgt32, int32_t, 32, >)
COMPARE(cmpeq32, int32_t, 32, ==)

/* ---- bits ---- */

#define BITS(function, value)                                          \
    uint64_t sem_##function(uint64_t a, uint64_t b, struct sem_vis *s) \
    {                                                                  \
        return value;                                                  \
    }

BITS(zero, 0)
BITS(one, UINT64_MAX)
BITS(src1, a)
BITS(src2, b)
BITS(not1, ~a)
BITS(not2, ~b)
BITS(and, a &b)
BITS(nand, ~(a &b))
BITS(or, a | b)
BITS(nor, ~(a | b))
BITS(xor, a ^ b)
BITS(xnor, ~(a ^ b))
BITS(andnot1, ~a &b)
BITS(andnot2, a & ~b)
BITS(ornot1, ~a | b)
BITS(ornot2, a | ~b)
BITS(signed_word, (uint64_t)(int64_t)(int32_t)b)

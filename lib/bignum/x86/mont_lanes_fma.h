/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels by fused multiply-add of doubles, of any width (Emmart, Zheng and Weems, "Faster
 * modular exponentiation using double precision floating point arithmetic on the GPU", 2018).
 *
 * Numbers x and y are whole and below 2^52.  2^104 + x y, rounded toward zero, is a multiple of
 * 2^52 below 2^105, so that the bits of its fraction are those of x y / 2^52: `high`.  What it
 * leaves of x y is exact: 2^52 + (x y mod 2^52), whose fraction is the low half.  Both are added as
 * integers with their exponents, which UNBIAS takes away.
 *
 * The time of these instructions depends on operands only where one is denormal, or a result is.
 * None is: every double here is a whole number, and the least that is not 0 is 1.  No exception but
 * that of an inexact result occurs. */
#ifdef __FAST_MATH__
#error "these doubles must be computed as they are written"
#endif

#define TWO_52 ALL_DOUBLES(0x1p52)
#define TWO_104 ALL_DOUBLES(0x1p104)
#define TWO_104_52 ALL_DOUBLES(0x1p104 + 0x1p52)
#define BITS_52 (UINT64_C(0x433) << 52)
#define BITS_104 (UINT64_C(0x467) << 52)

#define NUM(x) SUB_DOUBLES(DOUBLES(OR(x, ALL(BITS_52))), TWO_52)

/* A sum stays where it is written: the compiler would gather the additions of a tile, and keep all
 * their operands. */
#define ADD_BITS(column, x) ((column) = ADD(column, BITS(x)), KEEP_SUM(column))
#define ADD_HALF(column, x, y, high) ADD_BITS(column, FMA(x, y, SUB_DOUBLES(TWO_104_52, high)))

#define ADD_HIGH(column, x, y) ADD_BITS(column, FMA(x, y, TWO_104))
#define ADD_LOW(column, x, y)                   \
    do {                                        \
        const digits high = FMA(x, y, TWO_104); \
        ADD_HALF(column, x, y, high);           \
    } while (0)
#define ADD_BOTH(column, next, x, y)            \
    do {                                        \
        const digits high = FMA(x, y, TWO_104); \
        ADD_BITS(next, high);                   \
        ADD_HALF(column, x, y, high);           \
    } while (0)
#define KEEP_SUM(column) ({ __asm__("" : "+v"(column)); })
#define UNBIAS(column, lows, highs) \
    ((column) = ADD(column, ALL(0 - (uint64_t)(lows)*BITS_52 - (uint64_t)(highs)*BITS_104)))

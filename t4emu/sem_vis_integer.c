/* SPDX-License-Identifier: Apache-2.0 */
/* VIS 1 to 3 (Oracle SPARC Architecture 2011, chapter 7): operations on integer registers, and
 * permutations controlled by GSR. */
#include "sem_vis.h"

enum { ALIGN_MASK = 7 };

/* ---- addresses ---- */

static uint64_t set_align(struct sem_vis *s, uint64_t align)
{
    s->gsr = (s->gsr & ~(uint64_t)ALIGN_MASK) | (align & ALIGN_MASK);
    return 0;
}

uint64_t sem_alignaddr(uint64_t a, uint64_t b, struct sem_vis *s)
{
    set_align(s, a + b);
    return (a + b) & ~(uint64_t)ALIGN_MASK;
}

uint64_t sem_alignaddrl(uint64_t a, uint64_t b, struct sem_vis *s)
{
    set_align(s, -(a + b));
    return (a + b) & ~(uint64_t)ALIGN_MASK;
}

/* Eight bytes of a:b from byte GSR.align on. */
uint64_t sem_aligndata(uint64_t a, uint64_t b, struct sem_vis *s)
{
    const unsigned bits = 8 * (s->gsr & ALIGN_MASK);
    return bits ? a << bits | b >> (64 - bits) : a;
}

/* The edge mask: marks the elements of a doubleword from a's address on, and up to b's address
 * if both lie in the same doubleword. There are `n` elements of 8 / n bytes. The first element's
 * bit is the highest, in little-endian order the lowest. */
static uint64_t edge(uint64_t a, uint64_t b, unsigned n, int little)
{
    const unsigned first = (a & ALIGN_MASK) * n / 8;
    const unsigned last = (a ^ b) & ~(uint64_t)ALIGN_MASK ? n - 1 : (b & ALIGN_MASK) * n / 8;
    uint64_t out = 0;
    for (unsigned i = first; i <= last; i++)
        out |= UINT64_C(1) << (little ? i : n - 1 - i);
    return out;
}

#define EDGE(function, n, little)                                          \
    uint64_t sem_##function(uint64_t a, uint64_t b, struct sem_vis *s)     \
    {                                                                      \
        return edge(a, b, n, little);                                      \
    }                                                                      \
    uint64_t sem_##function##cc(uint64_t a, uint64_t b, struct sem_vis *s) \
    {                                                                      \
        s->ccr = sem_subcc(a, b);                                          \
        return edge(a, b, n, little);                                      \
    }

EDGE(edge8, 8, 0)
EDGE(edge8l, 8, 1)
EDGE(edge16, 4, 0)
EDGE(edge16l, 4, 1)
EDGE(edge32, 2, 0)
EDGE(edge32l, 2, 1)

/* ---- permutation: nibble i of GSR.mask, with the first in the highest bits, selects byte i of
 * the result among the sixteen bytes of a:b ---- */

static uint64_t set_mask(struct sem_vis *s, uint32_t mask)
{
    s->gsr = (s->gsr & UINT32_MAX) | (uint64_t)mask << SEM_GSR_MASK_SHIFT;
    return 0;
}

uint64_t sem_bmask(uint64_t a, uint64_t b, struct sem_vis *s)
{
    set_mask(s, (uint32_t)(a + b));
    return a + b;
}

uint64_t sem_bshuffle(uint64_t a, uint64_t b, struct sem_vis *s)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned from = s->gsr >> (60 - 4 * i) & 15;
        out = out << 8 | ((from < 8 ? a : b) >> (56 - 8 * (from & 7)) & 0xff);
    }
    return out;
}

/* Sets the mask for bshuffle from the bits of a comparison: elements of a for 1, of b for 0. */
static uint64_t cmask(struct sem_vis *s, uint64_t bits, unsigned bytes)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < 8; i++)
        mask = mask << 4 | (bits >> (7 - i) / bytes & 1 ? i : i + 8);
    return set_mask(s, mask);
}

uint64_t sem_cmask8(uint64_t a, uint64_t b, struct sem_vis *s)
{
    return cmask(s, b, 1);
}

uint64_t sem_cmask16(uint64_t a, uint64_t b, struct sem_vis *s)
{
    return cmask(s, b, 2);
}

uint64_t sem_cmask32(uint64_t a, uint64_t b, struct sem_vis *s)
{
    return cmask(s, b, 4);
}

/* ---- arithmetic ---- */

static uint8_t nzvc(uint64_t result, int overflow, int carry, unsigned top)
{
    return (uint8_t)((result >> top & 1 ? SEM_N : 0) | (result << (63 - top) ? 0 : SEM_Z) |
                     (overflow ? SEM_V : 0) | (carry ? SEM_C : 0));
}

uint8_t sem_subcc(uint64_t a, uint64_t b)
{
    const uint64_t result = a - b, overflow = (a ^ b) & (a ^ result);
    return (uint8_t)(nzvc(result, overflow >> 63 & 1, a < b, 63) << SEM_XCC_SHIFT |
                     nzvc(result, overflow >> 31 & 1, (uint32_t)a < (uint32_t)b, 31));
}

/* Adds with the carry in xcc.c. */
uint64_t sem_addxc(uint64_t a, uint64_t b, struct sem_vis *s)
{
    return a + b + (s->ccr >> SEM_XCC_SHIFT & SEM_C);
}

uint64_t sem_addxccc(uint64_t a, uint64_t b, struct sem_vis *s)
{
    const uint64_t result = sem_addxc(a, b, s), overflow = ~(a ^ b) & (a ^ result);
    const uint64_t carries = (a & b) | ((a | b) & ~result);
    s->ccr = (uint8_t)(nzvc(result, overflow >> 63 & 1, carries >> 63 & 1, 63) << SEM_XCC_SHIFT |
                       nzvc(result, overflow >> 31 & 1, carries >> 31 & 1, 31));
    return result;
}

uint64_t sem_umulxhi(uint64_t a, uint64_t b, struct sem_vis *s)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

uint64_t sem_lzcnt(uint64_t a, uint64_t b, struct sem_vis *s)
{
    uint64_t n = 0;
    while (n < 64 && !(b << n >> 63))
        n++;
    return n;
}

static unsigned __int128 carryless(uint64_t a, uint64_t b)
{
    unsigned __int128 product = 0;
    for (unsigned i = 0; i < 64; i++)
        product ^= b >> i & 1 ? (unsigned __int128)a << i : 0;
    return product;
}

uint64_t sem_xmulx(uint64_t a, uint64_t b, struct sem_vis *s)
{
    return (uint64_t)carryless(a, b);
}

uint64_t sem_xmulxhi(uint64_t a, uint64_t b, struct sem_vis *s)
{
    return (uint64_t)(carryless(a, b) >> 64);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Byte-sliced Camellia with AVX-512 and GFNI, which has inversion in FIPS 197's field between
 * affine maps.  A file that includes this one defines W, the vector of intrinsics, BYTES, its size,
 * and OP(name), its intrinsics.  A kernel's file then includes camellia_gfni_blocks.h, for blocks
 * under one key, or camellia_lanes.h, for messages that have their own keys. */
#ifndef HR_CAMELLIA_GFNI_SLICE_H
#define HR_CAMELLIA_GFNI_SLICE_H

#include "../camellia_filters.h"
#include "../camellia_program.h"
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
#define TARGET __attribute__((target("gfni,avx512f,avx512bw,avx512vl")))

typedef int V __attribute__((vector_size(BYTES), may_alias));
typedef uint8_t bytes __attribute__((vector_size(BYTES), may_alias));
typedef long long quads __attribute__((vector_size(BYTES), may_alias));
enum { LANES = BYTES };

/* Logic operations on 32-bit words, so that a key word can be broadcast as it is read. */
#define TERNARY(a, b, c, table) ((V)OP(ternarylogic_epi32)((W)(a), (W)(b), (W)(c), table))

INLINE TARGET V add3(V a, V b, V c)
{
    return TERNARY(a, b, c, 0x96);
}

INLINE TARGET V add_or(V x, V a, V b)
{
    return TERNARY(x, a, b, 0x1e);
}

INLINE TARGET V add_and(V x, V a, V b)
{
    return TERNARY(x, a, b, 0x78);
}

#define SPREAD(matrix) ((W)((quads){ 0 } + (long long)(matrix)))
#define AFFINE(x, matrix) ((V)OP(gf2p8affine_epi64_epi8)((W)(x), SPREAD(matrix), 0))
#define INVERT(x, s) \
    ((V)OP(gf2p8affineinv_epi64_epi8)((W)(x), SPREAD(CAMELLIA_S##s), CAMELLIA_S##s##_ADDED))

INLINE TARGET V turned(V x)
{
    return AFFINE(x, CAMELLIA_LEFT);
}

INLINE TARGET V sub(V x, int half, int s)
{
    return s == 1   ? INVERT(x, 1)
           : s == 2 ? INVERT(x, 2)
           : s == 3 ? INVERT(x, 3)
                    : INVERT(AFFINE(x, CAMELLIA_TURN), 1);
}

INLINE TARGET V enter(V x, int half)
{
    return AFFINE(x, CAMELLIA_ENTER);
}

INLINE TARGET V leave(V x, int half)
{
    return AFFINE(x, CAMELLIA_LEAVE);
}

INLINE TARGET V permuted(V x)
{
    return x;
}

INLINE TARGET V restored(V x)
{
    return x;
}

INLINE TARGET V unpack(V a, V b, int high)
{
    return (V)(high ? OP(unpackhi_epi8)((W)a, (W)b) : OP(unpacklo_epi8)((W)a, (W)b));
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* DES in constant time with AVX-512 VBMI and GFNI: a box is a vector of 64 bytes, in which VPERMB
 * looks up, so that no address depends on data.  Each of the 8 bytes of lane j holds the input of
 * box j + 1.  The chain of a round consists of:
 *
 *   arrange   for each output bit, the input of the box it is from      vpermb        3 cycles
 *   look up   in each of the 8 boxes, one a cycle                       vpermb    7 + 3
 *   select    the bit, if the byte is of this box; add it to the sum    vpternlogq    1
 *   gather    the parities of a lane's bytes: its next input, in all    gf2p8affineqb 3
 *
 * That is 17 cycles, 782 for the 46 steps of a block of triple DES (des_modes.h).  OpenSSL 3's
 * table lookups in memory take some 14 a round.  Two alternatives were tried.  With VPSHUFBITQMB, P
 * and E cost nothing and a round has 6 lookups of 8 bits, but the result is in a mask register,
 * from which it takes long to a vector: 20 cycles and more.  The portable kernel's selections take
 * 45.
 *
 * The other half, with its keys, enters the sum as bit b of byte 7 - b, where the parity includes
 * it. */
#include "des_boxes_bytes.h"

#include <immintrin.h>
#include <stddef.h>

#define DES_ISA vbmi
#define DES_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi,gfni")))
enum { DES_WIDE = 4 };

typedef __m512i des_half;

static inline DES_TARGET des_half des_half_of(uint64_t word)
{
    const __m512i lanes = _mm512_set_epi64(
        0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
        0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    return _mm512_shuffle_epi8(_mm512_set1_epi64((long long)word), lanes);
}

static inline DES_TARGET uint64_t des_word_of(des_half half)
{
    return (uint64_t)_mm_cvtsi128_si64(_mm512_cvtepi64_epi8(half));
}

static inline __attribute__((always_inline)) DES_TARGET des_half des_f(des_half acc, des_half x)
{
    const __m512i arranged = _mm512_permutexvar_epi8(_mm512_loadu_si512(des_arrange), x);
    acc &= _mm512_set1_epi64(0x0102040810204080);
#pragma GCC unroll 8
    for (size_t box = 0; box < 8; box++) {
        const __m512i answers =
            _mm512_permutexvar_epi8(arranged, _mm512_loadu_si512(des_answers[box]));
        acc = _mm512_ternarylogic_epi64(acc, answers, _mm512_loadu_si512(des_select[box]), 0x78);
    }
    return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi8(-1), acc, 0);
}

#include "../des_modes.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* DES in constant time with AVX-512 VBMI and GFNI: a box is a vector of 64 bytes, and vpermb looks
 * up in it, by register and not by address. Lane j, of 8 bytes, has in all of them what goes into
 * box j + 1. A round of which nothing else is on the chain:
 *
 *   arrange   to each byte the input of the box that its bit comes from     vpermb        3 cycles
 *   look up   in each of the 8 boxes, one a cycle                           vpermb    7 + 3
 *   select    the bit, where the byte is of this box, and add to the sum    vpternlogq    1
 *   gather    the parities of a lane's 8 bytes: its next input, in all 8    gf2p8affineqb 3
 *
 * That is 17 cycles, 782 for the 46 steps of a block of triple DES (lib/des_modes.h). OpenSSL 3's
 * look-ups take some 14 a round. What was tried beside it: vpshufbitqmb, with which
 * P and E are free and a round has 6 look-ups of 8 bits, but an answer in a mask register, from
 * which it is far to a vector: 20 cycles and more; the portable kernel's selections: 45.
 *
 * The other half, with its keys, enters the sum as bit b of byte 7 - b, where parity finds it. */
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

/* SPDX-License-Identifier: Apache-2.0 */
/* DES in constant time with AVX2: a row of a box is 16 outputs, in which PSHUFB looks up, so that
 * no address depends on data.  Two rows lie in the two halves of each byte and two in the two
 * 128-bit lanes, so that a box is one vector and a round has 8 lookups, in which byte i belongs to
 * box i + 1.  The rest of the chain:
 *
 *   from a word to both lanes             vmovq, vpbroadcastq             6 cycles
 *   the four bits in the middle           shift, and                      2
 *   look up, mask, combine                vpshufb, vpand, vpor            8
 *   the row (first and last bit), in both lanes   vpand, vpermq, vpor     5
 *   P and E: byte, bit, and to a word     vpshufb, vpand, vpcmpeqb, vpmovmskb, or   8
 *
 * That is 29 cycles and a bypass delay or two: 31 are measured, where the portable kernel takes 45.
 */
#include "des_boxes_rows.h"

#include <immintrin.h>
#include <stddef.h>

#define DES_ISA pshufb
#define DES_TARGET __attribute__((target("avx2")))
#include "../des_word.h"
#define INLINE static inline __attribute__((always_inline)) DES_TARGET
enum { DES_WIDE = 4 };

INLINE __m256i load(const void *p)
{
    return _mm256_loadu_si256(p);
}

/* Returns, in the byte of box `box`, the outputs of all four rows. */
INLINE __m256i answers(__m256i column, unsigned box)
{
    return _mm256_and_si256(_mm256_shuffle_epi8(load(des_rows[box]), column),
                            _mm256_set1_epi64x((long long)(UINT64_C(0xff) << 8 * box)));
}

/* Returns all ones in the half of a byte, and in the lane, where the row of the box's input is. */
INLINE __m256i row(__m256i x)
{
    const __m256i ends = _mm256_and_si256(x, _mm256_set1_epi8(0x21));
    const __m256i first =
        _mm256_setr_epi64x(0, 0, 0x2020202020202020, 0x2020202020202020); /* two words a lane */
    const __m256i last = _mm256_set1_epi8(1), low = _mm256_set1_epi8(15);
    return _mm256_or_si256(
        _mm256_and_si256(_mm256_cmpeq_epi8(ends, first), low),
        _mm256_andnot_si256(low, _mm256_cmpeq_epi8(ends, _mm256_or_si256(first, last))));
}

/* Returns one bit for each byte whose selected bit is 0. */
INLINE uint32_t zeros(__m256i all, size_t at)
{
    const __m256i arranged = _mm256_shuffle_epi8(all, load(des_arrange_rows + at));
    const __m256i bits = _mm256_and_si256(arranged, load(des_select_rows + at));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bits, _mm256_setzero_si256()));
}

INLINE des_half des_f(des_half acc, des_half word)
{
    const __m256i x = _mm256_broadcastq_epi64(_mm_cvtsi64_si128((long long)word));
    const __m256i column = _mm256_and_si256(_mm256_srli_epi16(x, 1), _mm256_set1_epi8(15));
    __m256i pairs[4];
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
        pairs[i] = _mm256_or_si256(answers(column, 2 * i), answers(column, 2 * i + 1));
    const __m256i all =
        _mm256_or_si256(_mm256_or_si256(pairs[0], pairs[1]), _mm256_or_si256(pairs[2], pairs[3]));
    const __m256i lane = _mm256_and_si256(all, row(x));
    const __m256i both = _mm256_or_si256(lane, _mm256_permute4x64_epi64(lane, 0x4e));
    return ~acc ^ ((uint64_t)zeros(both, 32) << 32 | zeros(both, 0));
}

#include "../des_modes.h"

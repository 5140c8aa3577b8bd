/* SPDX-License-Identifier: Apache-2.0 */
/* out = entry `index`, counted from 1, of a table, by looking at all; zero for index 0. */
#include "../ec.h"
#include "../ec_proven.h"
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2"), always_inline)) static inline

/* An entry is read as vectors of four limbs, then one of two, then a limb. */
AVX2 void look_up(uint64_t *out, const uint64_t *table, size_t num_entries, size_t words,
                  uint64_t index)
{
    const size_t whole = words / 4;
    const __m256i wanted = _mm256_set1_epi64x((long long)index), one = _mm256_set1_epi64x(1);
    __m256i sum[3 * EC_LIMBS / 4], number = one;
    __m128i rest = _mm_setzero_si128();
    uint64_t last = 0;
    for (size_t i = 0; i < whole; i++)
        sum[i] = _mm256_setzero_si256();
    for (size_t j = 0; j < num_entries; j++, table += words) {
        const __m256i mask = _mm256_cmpeq_epi64(number, wanted);
        number = _mm256_add_epi64(number, one);
        for (size_t i = 0; i < whole; i++)
            sum[i] = _mm256_or_si256(
                sum[i],
                _mm256_and_si256(mask, _mm256_loadu_si256((const __m256i *)(table + 4 * i))));
        if (words & 2)
            rest = _mm_or_si128(
                rest, _mm_and_si128(_mm256_castsi256_si128(mask),
                                    _mm_loadu_si128((const __m128i *)(table + 4 * whole))));
        if (words & 1)
            last |= table[words - 1] & (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(mask));
    }
    for (size_t i = 0; i < whole; i++)
        _mm256_storeu_si256((__m256i *)(out + 4 * i), sum[i]);
    if (words & 2)
        _mm_storeu_si128((__m128i *)(out + 4 * whole), rest);
    if (words & 1)
        out[words - 1] = last;
}

__attribute__((target("avx2"))) void ec_look_up_avx2(uint64_t *out, const uint64_t *table,
                                                     size_t num_entries, size_t words,
                                                     uint64_t index)
{
    switch (words) {
    case 2 * 4:
        look_up(out, table, num_entries, 2 * 4, index);
        break;
    case 2 * 6: /* and 3 * 4 */
        look_up(out, table, num_entries, 2 * 6, index);
        break;
    case 3 * 6: /* and 2 * 9 */
        look_up(out, table, num_entries, 3 * 6, index);
        break;
    default:
        look_up(out, table, num_entries, 3 * 9, index);
    }
}

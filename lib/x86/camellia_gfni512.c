/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on 64 blocks: GFNI and AVX-512. */
#include "camellia_gfni512.h"

#define KERNEL(stem) stem##_gfni512

INLINE TARGET V load(const uint8_t *p)
{
    return (V)_mm512_loadu_si512(p);
}

INLINE TARGET void store(uint8_t *p, V x)
{
    _mm512_storeu_si512(p, (__m512i)x);
}

INLINE TARGET V fill(uint8_t byte)
{
    return (V)_mm512_set1_epi8((char)byte);
}

INLINE TARGET V below(V a, V b)
{
    return (V)_mm512_movm_epi8(_mm512_cmplt_epu8_mask((__m512i)a, (__m512i)b));
}

INLINE TARGET void leave_vectors(void)
{
    _mm256_zeroupper();
}

/* Each byte of the program four times, which instructions spread as they read it. */
struct slice_words {
    alignas(64) uint32_t word[CAMELLIA_MAX_PROGRAM][8];
    uint64_t program[CAMELLIA_MAX_PROGRAM];
};
typedef const struct slice_words *slice_keys;

INLINE TARGET V key_at(slice_keys k, unsigned n, unsigned i)
{
    return (V)_mm512_set1_epi32((int)k->word[n][i]);
}

INLINE TARGET slice_keys make_keys(struct slice_words *w, const struct camellia_key *key,
                                   enum hr_op op)
{
    const __m256i four_times = _mm256_set_epi32(0x07070707, 0x06060606, 0x05050505, 0x04040404,
                                                0x03030303, 0x02020202, 0x01010101, 0);
    const __m256i map = _mm256_set1_epi64x((long long)CAMELLIA_ENTER);
    camellia_program(w->program, key, op, CAMELLIA_ADDED, CAMELLIA_ADDED, 0);
#define FOUR_TIMES(n, x) \
    _mm256_store_si256((__m256i *)w->word[n], _mm256_shuffle_epi8(x, four_times))
#define ENTRY(n) _mm256_set1_epi64x((long long)w->program[n])
    FOUR_TIMES(0, ENTRY(0));
    for (unsigned n = 1; n + 1 < camellia_program_len(key->rounds); n += 10) {
        _Pragma("GCC unroll 6") for (unsigned i = 0; i < 6; i++)
            FOUR_TIMES(n + i, _mm256_gf2p8affine_epi64_epi8(ENTRY(n + i), map, 0));
        _Pragma("GCC unroll 4") for (unsigned i = 6; i < 10; i++) FOUR_TIMES(n + i, ENTRY(n + i));
    }
    return w;
}

#include "../camellia_sliced.h"

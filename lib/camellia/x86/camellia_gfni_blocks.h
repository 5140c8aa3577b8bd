/* SPDX-License-Identifier: Apache-2.0 */
/* Byte-sliced Camellia under one key, with GFNI and AVX-512: how keys and vectors come from memory,
 * then the kernels.  A file that includes this one defines W, BYTES and OP(name) as
 * camellia_gfni_slice.h wants them, and KERNEL(stem), the name of a kernel. */
#ifndef HR_CAMELLIA_GFNI_BLOCKS_H
#define HR_CAMELLIA_GFNI_BLOCKS_H

#include "camellia_gfni_slice.h"

INLINE TARGET V load(const uint8_t *p)
{
    V x;
    memcpy(&x, p, sizeof x);
    return x;
}

INLINE TARGET void store(uint8_t *p, V x)
{
    memcpy(p, &x, sizeof x);
}

INLINE TARGET V fill(uint8_t byte)
{
    return (V)OP(set1_epi8)((char)byte);
}

INLINE TARGET V below(V a, V b)
{
    return (V)OP(movm_epi8)(OP(cmplt_epu8_mask)((W)a, (W)b));
}

INLINE TARGET void leave_vectors(void)
{
    _mm256_zeroupper();
}

/* Each byte of the program four times, so that instructions can broadcast it as they read it. */
struct slice_words {
    alignas(64) uint32_t word[CAMELLIA_PROGRAM][8];
};
typedef const struct slice_words *slice_keys;

INLINE TARGET V key_at(slice_keys k, unsigned n, unsigned i)
{
    return (V)OP(set1_epi32)((int)k->word[n][i]);
}

/* Converts an entry from the key's form for camellia_gfni.c, which has other constants added and in
 * which the bytes that s4 reads are rotated. */
INLINE TARGET __m256i of_round(__m256i x)
{
    const __m256i unturn = _mm256_set1_epi64x((long long)CAMELLIA_UNTURN);
    const __m256i enter = _mm256_set1_epi64x((long long)CAMELLIA_ENTER);
    const __m256i added = _mm256_set1_epi64x((long long)CAMELLIA_F_ADDED);
    x = _mm256_mask_gf2p8affine_epi64_epi8(x, 0x48484848, x, unturn, 0);
    return x ^ _mm256_gf2p8affine_epi64_epi8(added, enter, 0);
}

INLINE TARGET slice_keys make_keys(struct slice_words *w, const struct camellia_key *key,
                                   enum hr_op op)
{
    const __m256i spread = _mm256_set_epi32(0x07070707, 0x06060606, 0x05050505, 0x04040404,
                                            0x03030303, 0x02020202, 0x01010101, 0);
    const __m256i swapped = spread ^ _mm256_set1_epi8(7);
    const __m256i whole = _mm256_set1_epi64x((long long)0xfefefefeffffffff);
    const __m256i lowest = _mm256_set1_epi64x(0x0101010100000000);
    const unsigned len = camellia_program_len(key->rounds);
    const int forth = op == HR_OP_ENCRYPT;
    const uint64_t *at = forth ? key->form : key->form + len - 1;
    const ptrdiff_t next = forth ? 1 : -1;
#define ENTRY(n) _mm256_set1_epi64x((long long)at[(ptrdiff_t)(n)*next])
#define PUT(n, x, how) _mm256_store_si256((__m256i *)w->word[n], _mm256_shuffle_epi8(x, how))
    PUT(0, ENTRY(0), spread);
    for (unsigned n = 1;; n += 10) {
        _Pragma("GCC unroll 6") for (unsigned i = n; i < n + 6; i++)
            PUT(i, of_round(ENTRY(i)), spread);
        if (n + 7 == len)
            break;
        PUT(n + 6, ENTRY(n + 6) & whole, swapped);
        PUT(n + 7, ENTRY(n + 6) & lowest, swapped);
        PUT(n + 8, ENTRY(n + 9) & whole, swapped);
        PUT(n + 9, ENTRY(n + 9) & lowest, swapped);
    }
    PUT(len - 1, ENTRY(len - 1), spread);
    return w;
}

#include "../camellia_sliced.h"

#endif

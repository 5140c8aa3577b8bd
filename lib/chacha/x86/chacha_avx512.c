/* SPDX-License-Identifier: Apache-2.0 */
/* ChaCha20 in vectors of AVX-512.  Prototype: ../chacha.h. */
#include "../../aes/aes_kernel.h"

#include <immintrin.h>

typedef __m512i vec;
enum { LANES = 16, ROWS = 4 };
#define KERNEL(stem) stem##_avx512
#define TARGET LEAF __attribute__((target("avx512f")))

INLINE TARGET vec add(vec a, vec b)
{
    return _mm512_add_epi32(a, b);
}

INLINE TARGET vec xor (vec a, vec b) { return _mm512_xor_si512(a, b); }

#define rotl(x, n) _mm512_rol_epi32(x, n)

    INLINE TARGET vec spread(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}

INLINE TARGET vec numbers(void)
{
    return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

INLINE TARGET vec load_row(const uint32_t *p)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)p));
}

INLINE TARGET vec row_numbers(void)
{
    return _mm512_set_epi32(0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0);
}

INLINE TARGET vec first_words(uint32_t x)
{
    return _mm512_broadcast_i32x4(_mm_cvtsi32_si128((int)x));
}

#define turn(x, n) _mm512_shuffle_epi32(x, (n) == 1 ? 0x39 : (n) == 2 ? 0x4e : 0x93)

INLINE TARGET void store(uint8_t *out, const uint8_t *in, vec x)
{
    _mm512_storeu_si512(out, xor(_mm512_loadu_si512(in), x));
}

/* Makes out[i] of the parts of 128 bits that have the number i in each input. */
INLINE TARGET void transpose_parts(vec out[4], vec a, vec b, vec c, vec d)
{
    const vec ab0 = _mm512_shuffle_i32x4(a, b, 0x44), ab2 = _mm512_shuffle_i32x4(a, b, 0xee);
    const vec cd0 = _mm512_shuffle_i32x4(c, d, 0x44), cd2 = _mm512_shuffle_i32x4(c, d, 0xee);
    out[0] = _mm512_shuffle_i32x4(ab0, cd0, 0x88);
    out[1] = _mm512_shuffle_i32x4(ab0, cd0, 0xdd);
    out[2] = _mm512_shuffle_i32x4(ab2, cd2, 0x88);
    out[3] = _mm512_shuffle_i32x4(ab2, cd2, 0xdd);
}

/* Does the same for words within each part. */
INLINE TARGET void transpose_words(vec out[4], const vec x[4])
{
    const vec a = _mm512_unpacklo_epi32(x[0], x[1]), b = _mm512_unpacklo_epi32(x[2], x[3]);
    const vec c = _mm512_unpackhi_epi32(x[0], x[1]), d = _mm512_unpackhi_epi32(x[2], x[3]);
    out[0] = _mm512_unpacklo_epi64(a, b);
    out[1] = _mm512_unpackhi_epi64(a, b);
    out[2] = _mm512_unpacklo_epi64(c, d);
    out[3] = _mm512_unpackhi_epi64(c, d);
}

INLINE TARGET void store_lanes(uint8_t *out, const uint8_t *in, const vec x[16], size_t num)
{
    vec row[4][4], block[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        transpose_words(row[i], x + 4 * i);
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        transpose_parts(block, row[0][i], row[1][i], row[2][i], row[3][i]);
#pragma GCC unroll 4
        for (size_t k = 0; k < 4; k++)
            if (4 * k + i < num)
                store(out + 64 * (4 * k + i), in + 64 * (4 * k + i), block[k]);
    }
}

INLINE TARGET void store_rows(uint8_t *out, const uint8_t *in, const vec r[4], size_t num)
{
    vec block[4];
    transpose_parts(block, r[0], r[1], r[2], r[3]);
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++)
        if (k < num)
            store(out + 64 * k, in + 64 * k, block[k]);
}

INLINE TARGET void leave(void)
{
    _mm256_zeroupper();
}

#include "../chacha_vec.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* ChaCha20 in vectors of AVX2.  Prototype: ../chacha.h. */
#include "../../aes/aes_kernel.h"

#include <immintrin.h>

typedef __m256i vec;
enum { LANES = 8, ROWS = 2 };
#define KERNEL(stem) stem##_avx2
#define TARGET LEAF __attribute__((target("avx2")))

INLINE TARGET vec add(vec a, vec b)
{
    return _mm256_add_epi32(a, b);
}

INLINE TARGET vec xor (vec a, vec b) { return _mm256_xor_si256(a, b); }

    /* Rotations by whole bytes are shuffles, which take one instruction instead of three. */
    INLINE TARGET vec rotl(vec x, int n)
{
    const vec by_16 = _mm256_broadcastsi128_si256(
        _mm_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2));
    const vec by_8 = _mm256_broadcastsi128_si256(
        _mm_set_epi8(14, 13, 12, 15, 10, 9, 8, 11, 6, 5, 4, 7, 2, 1, 0, 3));
    if (n % 8 == 0)
        return _mm256_shuffle_epi8(x, n == 16 ? by_16 : by_8);
    return _mm256_or_si256(_mm256_slli_epi32(x, n), _mm256_srli_epi32(x, 32 - n));
}

INLINE TARGET vec spread(uint32_t x)
{
    return _mm256_set1_epi32((int)x);
}

INLINE TARGET vec numbers(void)
{
    return _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
}

INLINE TARGET vec load_row(const uint32_t *p)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)p));
}

INLINE TARGET vec row_numbers(void)
{
    return _mm256_set_epi32(0, 0, 0, 1, 0, 0, 0, 0);
}

INLINE TARGET vec first_words(uint32_t x)
{
    return _mm256_broadcastsi128_si256(_mm_cvtsi32_si128((int)x));
}

#define turn(x, n) _mm256_shuffle_epi32(x, (n) == 1 ? 0x39 : (n) == 2 ? 0x4e : 0x93)

INLINE TARGET void store(uint8_t *out, const uint8_t *in, vec x)
{
    _mm256_storeu_si256((void *)out, xor(_mm256_loadu_si256((const void *)in), x));
}

/* Stores half a block of each of two blocks, whose parts of 128 bits are in x and y; the second
 * block is `distance` bytes behind the first one, or missing if that is 0. */
INLINE TARGET void store_halves(uint8_t *out, const uint8_t *in, vec x, vec y, size_t distance)
{
    store(out, in, _mm256_permute2x128_si256(x, y, 0x20));
    if (distance)
        store(out + distance, in + distance, _mm256_permute2x128_si256(x, y, 0x31));
}

/* Makes out[i] of the words that have the number i in each part of 128 bits of the inputs. */
INLINE TARGET void transpose_words(vec out[4], const vec x[4])
{
    const vec a = _mm256_unpacklo_epi32(x[0], x[1]), b = _mm256_unpacklo_epi32(x[2], x[3]);
    const vec c = _mm256_unpackhi_epi32(x[0], x[1]), d = _mm256_unpackhi_epi32(x[2], x[3]);
    out[0] = _mm256_unpacklo_epi64(a, b);
    out[1] = _mm256_unpackhi_epi64(a, b);
    out[2] = _mm256_unpacklo_epi64(c, d);
    out[3] = _mm256_unpackhi_epi64(c, d);
}

/* Halves come one after the other, as there are registers for the words of one. */
INLINE TARGET void store_lanes(uint8_t *out, const uint8_t *in, const vec x[16], size_t num)
{
#pragma GCC unroll 2
    for (size_t half = 0; half < 2; half++, out += 32, in += 32) {
        vec low[4], high[4];
        transpose_words(low, x + 8 * half);
        transpose_words(high, x + 8 * half + 4);
#pragma GCC unroll 4
        for (size_t i = 0; i < 4; i++)
            if (i < num)
                store_halves(out + 64 * i, in + 64 * i, low[i], high[i], i + 4 < num ? 256 : 0);
    }
}

INLINE TARGET void store_rows(uint8_t *out, const uint8_t *in, const vec r[4], size_t num)
{
    store_halves(out, in, r[0], r[1], num > 1 ? 64 : 0);
    store_halves(out + 32, in + 32, r[2], r[3], num > 1 ? 64 : 0);
}

INLINE TARGET void leave(void)
{
    _mm256_zeroupper();
}

#include "../chacha_vec.h"

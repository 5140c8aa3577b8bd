/* SPDX-License-Identifier: Apache-2.0 */
/* ChaCha20 in vectors of SSSE3.  Prototype: ../chacha.h. */
#include "../../aes/aes_kernel.h"

#include <tmmintrin.h>

typedef __m128i vec;
enum { LANES = 4, ROWS = 1 };
#define KERNEL(stem) stem##_ssse3
#define TARGET LEAF __attribute__((target("ssse3")))

INLINE TARGET vec add(vec a, vec b)
{
    return _mm_add_epi32(a, b);
}

INLINE TARGET vec xor (vec a, vec b) { return _mm_xor_si128(a, b); }

    /* Rotations by whole bytes are shuffles, which take one instruction instead of three. */
    INLINE TARGET vec rotl(vec x, int n)
{
    const vec by_16 = _mm_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2);
    const vec by_8 = _mm_set_epi8(14, 13, 12, 15, 10, 9, 8, 11, 6, 5, 4, 7, 2, 1, 0, 3);
    if (n % 8 == 0)
        return _mm_shuffle_epi8(x, n == 16 ? by_16 : by_8);
    return _mm_or_si128(_mm_slli_epi32(x, n), _mm_srli_epi32(x, 32 - n));
}

INLINE TARGET vec spread(uint32_t x)
{
    return _mm_set1_epi32((int)x);
}

INLINE TARGET vec numbers(void)
{
    return _mm_set_epi32(3, 2, 1, 0);
}

INLINE TARGET vec load_row(const uint32_t *p)
{
    return _mm_loadu_si128((const void *)p);
}

INLINE TARGET vec row_numbers(void)
{
    return _mm_setzero_si128();
}

INLINE TARGET vec first_words(uint32_t x)
{
    return _mm_cvtsi32_si128((int)x);
}

#define turn(x, n) _mm_shuffle_epi32(x, (n) == 1 ? 0x39 : (n) == 2 ? 0x4e : 0x93)

INLINE TARGET void store(uint8_t *out, const uint8_t *in, vec x)
{
    _mm_storeu_si128((void *)out, xor(_mm_loadu_si128((const void *)in), x));
}

INLINE TARGET void store_lanes(uint8_t *out, const uint8_t *in, const vec x[16], size_t num)
{
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4, out += 16, in += 16) {
        const vec a = _mm_unpacklo_epi32(x[i], x[i + 1]);
        const vec b = _mm_unpacklo_epi32(x[i + 2], x[i + 3]);
        const vec c = _mm_unpackhi_epi32(x[i], x[i + 1]);
        const vec d = _mm_unpackhi_epi32(x[i + 2], x[i + 3]);
        store(out, in, _mm_unpacklo_epi64(a, b));
        store(out + 64, in + 64, _mm_unpackhi_epi64(a, b));
        store(out + 128, in + 128, _mm_unpacklo_epi64(c, d));
        if (num > 3)
            store(out + 192, in + 192, _mm_unpackhi_epi64(c, d));
    }
}

INLINE TARGET void store_rows(uint8_t *out, const uint8_t *in, const vec r[4], size_t num)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++)
        store(out + 16 * i, in + 16 * i, r[i]);
}

INLINE TARGET void leave(void) {}

#include "../chacha_vec.h"

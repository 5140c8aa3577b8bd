/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 compression with the SHA extensions (Intel SDM volume 2, SHA256RNDS2, SHA256MSG1,
 * SHA256MSG2): two rounds an instruction, four words of schedule a pair.  The chain of 32
 * SHA256RNDS2 bounds a block; the schedule runs in its shadow. */
#include "../sha2.h"
#include <immintrin.h>

#define TARGET __attribute__((target("sha,sse4.1")))
#define INLINE static inline __attribute__((always_inline)) TARGET

/* state = FIPS 180-4 section 6.2.2 over num_blocks blocks; nothing need be aligned, and `in` may
 * not touch `state`. */
TARGET void sha256_blocks_shani(void *state, const uint8_t *in, size_t num_blocks)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    /* The instructions want the words as (f, e, b, a) and (h, g, d, c), lowest first. */
    const __m128i dcba = _mm_loadu_si128(state), hgfe = _mm_loadu_si128((__m128i *)state + 1);
    const __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

    for (; num_blocks; num_blocks--, in += 64) {
        const __m128i abef_in = abef, cdgh_in = cdgh;
        __m128i w[4];
        const uint32_t *k = sha256_k;
        __asm__("" : "+r"(k)); /* keeps 16 loads from being moved out of the loop, and spilled */
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            __m128i *wi = &w[i & 3];
            const __m128i w1 = w[(i + 1) & 3], w2 = w[(i + 2) & 3], w3 = w[(i + 3) & 3];
            if (i < 4)
                *wi = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)in + i), big_endian);
            else
                *wi = _mm_sha256msg2_epu32(
                    _mm_add_epi32(_mm_sha256msg1_epu32(*wi, w1), _mm_alignr_epi8(w3, w2, 4)), w3);
            const __m128i wk = _mm_add_epi32(*wi, _mm_load_si128((const __m128i *)k + i));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(wk, 0x0e));
        }
        abef = _mm_add_epi32(abef, abef_in);
        cdgh = _mm_add_epi32(cdgh, cdgh_in);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128(state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)state + 1, _mm_alignr_epi8(dchg, feba, 8));
}

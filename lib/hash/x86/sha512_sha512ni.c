/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-512 compression with the SHA512 extension (Intel SDM volume 2, VSHA512RNDS2, VSHA512MSG1,
 * VSHA512MSG2): one instruction does two rounds, and two make four words of the message schedule.
 */
#include "../sha2.h"
#include <immintrin.h>

/* Compresses num_blocks blocks into `state` (FIPS 180-4 section 6.4.2).  `state` is aligned for its
 * words; `in` may have any alignment, and must not overlap `state`. */
__attribute__((target("sha512,avx2"))) void sha512_blocks_sha512ni(void *state, const uint8_t *in,
                                                                   size_t num_blocks)
{
    const __m256i big_endian =
        _mm256_broadcastsi128_si256(_mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
    /* The instructions need the words as (f, e, b, a) and (h, g, d, c), lowest first. */
    __m256i *words = state;
    __m256i dcba = _mm256_permute4x64_epi64(_mm256_loadu_si256(words), 0x1b);
    __m256i hgfe = _mm256_permute4x64_epi64(_mm256_loadu_si256(words + 1), 0x1b);
    __m256i abef = _mm256_permute2x128_si256(hgfe, dcba, 0x31);
    __m256i cdgh = _mm256_permute2x128_si256(hgfe, dcba, 0x20);

    for (; num_blocks; num_blocks--, in += 128) {
        const __m256i abef_in = abef, cdgh_in = cdgh;
        __m256i w[4];
        const uint64_t *k = sha512_k;
        __asm__("" : "+r"(k)); /* keeps 20 loads from being moved out of the loop and spilled */
#pragma GCC unroll 20
        for (int i = 0; i < 20; i++) {
            __m256i *wi = &w[i & 3];
            const __m256i w1 = w[(i + 1) & 3], w2 = w[(i + 2) & 3], w3 = w[(i + 3) & 3];
            if (i < 4) {
                *wi = _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)in + i), big_endian);
            } else {
                const __m256i t_minus_7 =
                    _mm256_permute4x64_epi64(_mm256_blend_epi32(w2, w3, 0x03), 0x39);
                const __m256i sum = _mm256_add_epi64(
                    _mm256_sha512msg1_epi64(*wi, _mm256_castsi256_si128(w1)), t_minus_7);
                *wi = _mm256_sha512msg2_epi64(sum, w3);
            }
            const __m256i wk = _mm256_add_epi64(*wi, _mm256_load_si256((const __m256i *)k + i));
            cdgh = _mm256_sha512rnds2_epi64(cdgh, abef, _mm256_castsi256_si128(wk));
            abef = _mm256_sha512rnds2_epi64(abef, cdgh, _mm256_extracti128_si256(wk, 1));
        }
        abef = _mm256_add_epi64(abef, abef_in);
        cdgh = _mm256_add_epi64(cdgh, cdgh_in);
    }
    hgfe = _mm256_permute2x128_si256(cdgh, abef, 0x20);
    dcba = _mm256_permute2x128_si256(cdgh, abef, 0x31);
    _mm256_storeu_si256(words, _mm256_permute4x64_epi64(dcba, 0x1b));
    _mm256_storeu_si256(words + 1, _mm256_permute4x64_epi64(hgfe, 0x1b));
    _mm256_zeroupper();
}

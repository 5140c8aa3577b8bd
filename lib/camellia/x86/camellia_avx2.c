/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on 32 blocks, byte-sliced, with AVX2, and AES-NI on halves of its vectors. */
#define W __m256i
#define BYTES 32
#define TARGET __attribute__((target("aes,avx2")))
#define OP(name) _mm256_##name
#define SPREAD(x) _mm256_broadcastsi128_si256(x)
#define BY_HALVES(instruction, x)                                                      \
    _mm256_set_m128i(instruction(_mm256_extracti128_si256(x, 1), _mm_setzero_si128()), \
                     instruction(_mm256_castsi256_si128(x), _mm_setzero_si128()))
#define ENC_LAST(x) BY_HALVES(_mm_aesenclast_si128, x)
#define DEC_LAST(x) BY_HALVES(_mm_aesdeclast_si128, x)
#include "camellia_aes.h"

#define KERNEL(stem) stem##_avx2

INLINE TARGET void leave_vectors(void)
{
    _mm256_zeroupper();
}

#include "../camellia_sliced.h"

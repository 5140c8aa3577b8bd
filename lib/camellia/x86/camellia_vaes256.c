/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on 32 blocks, byte-sliced, with VAES. */
#define W __m256i
#define BYTES 32
#define TARGET __attribute__((target("vaes,aes,avx2")))
#define OP(name) _mm256_##name
#define SPREAD(x) _mm256_broadcastsi128_si256(x)
#define ENC_LAST(x) _mm256_aesenclast_epi128(x, _mm256_setzero_si256())
#define DEC_LAST(x) _mm256_aesdeclast_epi128(x, _mm256_setzero_si256())
#include "camellia_aes.h"

#define KERNEL(stem) stem##_vaes256

INLINE TARGET void leave_vectors(void)
{
    _mm256_zeroupper();
}

#include "../camellia_sliced.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on 16 blocks, byte-sliced, with AES-NI in VEX encoding. */
#define W __m128i
#define BYTES 16
#define TARGET __attribute__((target("aes,avx")))
#define OP(name) _mm_##name
#define SPREAD(x) (x)
#define ENC_LAST(x) _mm_aesenclast_si128(x, _mm_setzero_si128())
#define DEC_LAST(x) _mm_aesdeclast_si128(x, _mm_setzero_si128())
#include "camellia_aes.h"

#define KERNEL(stem) stem##_aesni

INLINE TARGET void leave_vectors(void)
{
    _mm256_zeroupper();
}

#include "../camellia_sliced.h"

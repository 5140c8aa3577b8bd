/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec512.h"
#include "xts_tweak.h"

#undef TARGET
#define TARGET LEAF __attribute__((target("vaes,vpclmulqdq,aes,avx512f,avx512bw")))

#define TWEAKS 2
#define WIDE 8

INLINE TARGET vec first_tweaks(block t, unsigned i)
{
    const vec all = _mm512_broadcast_i32x4(t);
    const vec by = _mm512_add_epi64(_mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0),
                                    _mm512_set1_epi64((long long)(4 * i)));
    const vec out = _mm512_srlv_epi64(all, _mm512_sub_epi64(_mm512_set1_epi64(64), by));
    const vec fold = _mm512_clmulepi64_epi128(out, low64(0x87), 0x01);
    return xor(xor(_mm512_sllv_epi64(all, by), _mm512_bslli_epi128(out, 8)), fold);
}

/* t x^8: a byte leaves, and comes back as its product with 0x87; shifts of bits would take the port
 * that AES needs. */
INLINE TARGET vec step(vec t)
{
    const vec fold = _mm512_clmulepi64_epi128(_mm512_bsrli_epi128(t, 15), low64(0x87), 0x00);
    return xor(_mm512_bslli_epi128(t, 1), fold);
}

#include "../aes_xts.h"

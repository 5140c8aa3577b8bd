/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305-AES of short messages.  The rounds of AES and the products of the polynomial do not
 * depend on each other before the last addition, and an out-of-order core executes both at once.
 * Prototypes: poly1305.h. */
#include "../../aes/aes_kernel.h"
#include "../poly1305_aes.h"
#include "poly1305_step.h"

#include <immintrin.h>

#define TARGET __attribute__((target("aes,ssse3,sse4.1"))) LEAF

INLINE TARGET __m128i load(const void *p)
{
    return _mm_loadu_si128(p);
}

/* Computes out = the value of the polynomial + s mod 2^128. */
INLINE TARGET void finish(uint8_t out[16], const uint8_t *in, size_t len, const uint64_t r[2],
                          __m128i s)
{
    uint64_t h[3] = { 0 };
    for (; len >= 16; len -= 16, in += 16)
        poly1305_block(h, in, r[0], r[1], r[1] + (r[1] >> 2));
    if (len)
        poly1305_last_step(h, in, len, r);
    poly1305_add(out, h, (uint64_t)_mm_cvtsi128_si64(s), (uint64_t)_mm_extract_epi64(s, 1));
}

ALIGNED TARGET void poly1305_aes_kept_aesni(uint8_t out[16], const uint8_t *in, size_t len,
                                            const struct poly1305_aes_key *key, const uint8_t n[16])
{
    const uint8_t(*const enc)[16] = key->aes.enc;
    __m128i s = _mm_xor_si128(load(n), load(enc[0]));
    for (int i = 1; i < 10; i++)
        s = _mm_aesenc_si128(s, load(enc[i]));
    s = _mm_aesenclast_si128(s, load(enc[10]));
    finish(out, in, len, key->poly.r, s);
}

/* Returns the next round key.  On a state of four equal columns ShiftRows changes nothing and
 * AESENCLAST computes SubWord, which takes half the time of AESKEYGENASSIST. */
INLINE TARGET __m128i next_key(__m128i k, int rcon)
{
    const __m128i rotated = _mm_set1_epi32(0x0c0f0e0d);
    const __m128i word = _mm_aesenclast_si128(_mm_shuffle_epi8(k, rotated), _mm_set1_epi32(rcon));
    k = _mm_xor_si128(k, _mm_slli_si128(k, 4));
    k = _mm_xor_si128(k, _mm_slli_si128(k, 8));
    return _mm_xor_si128(k, word);
}

ALIGNED TARGET void poly1305_aes_raw_aesni(uint8_t out[16], const uint8_t *in, size_t len,
                                           const uint8_t kr[32], const uint8_t n[16])
{
    static const uint8_t rcon[10] = { 1, 2, 4, 8, 16, 32, 64, 128, 0x1b, 0x36 };
    const uint64_t r[2] = { load_le64(kr + 16) & POLY1305_CLAMP_0,
                            load_le64(kr + 24) & POLY1305_CLAMP_1 };
    __m128i k = load(kr), s = _mm_xor_si128(load(n), k);
#pragma GCC unroll 9
    for (int i = 0; i < 9; i++) {
        k = next_key(k, rcon[i]);
        s = _mm_aesenc_si128(s, k);
    }
    s = _mm_aesenclast_si128(s, next_key(k, rcon[9]));
    finish(out, in, len, r, s);
}

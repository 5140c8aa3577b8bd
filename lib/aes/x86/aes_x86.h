/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the AES kernels of x86 share.  AESENC is one round of FIPS 197 section 5.1 on a
 * state in byte order, AESENCLAST the last round; AESDEC and AESDECLAST are rounds of the
 * equivalent inverse cipher, section 5.3.5 (Intel, AES New Instructions Set, 2010).  Their time
 * does not depend on data. */
#ifndef HR_AES_X86_H
#define HR_AES_X86_H

#include "../aes_kernel.h"
#include <immintrin.h>

#define TARGET_AESNI LEAF __attribute__((target("aes,sse4.1")))

typedef __m128i block;

INLINE TARGET_AESNI block load16(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE TARGET_AESNI void store16(uint8_t *p, block x)
{
    _mm_storeu_si128((__m128i *)p, x);
}

INLINE TARGET_AESNI block xor16(block a, block b)
{
    return _mm_xor_si128(a, b);
}

/* Stores the IV that continues the message, if the caller wants it. */
INLINE TARGET_AESNI void store_next(uint8_t next[16], block x)
{
    if (UNLIKELY(next)) /* direct calls pass NULL */
        store16(next, x);
}

INLINE TARGET_AESNI block key16(const uint8_t round_key[16])
{
    return _mm_load_si128((const __m128i *)round_key);
}

INLINE TARGET_AESNI block encrypt16(block x, const struct aes_key *key, unsigned rounds)
{
    x = _mm_xor_si128(x, key16(key->enc[0]));
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds; r++)
        x = _mm_aesenc_si128(x, key16(key->enc[r]));
    return _mm_aesenclast_si128(x, key16(key->enc[rounds]));
}

INLINE TARGET_AESNI block decrypt16(block x, const struct aes_key *key, unsigned rounds)
{
    x = _mm_xor_si128(x, key16(key->dec[0]));
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds; r++)
        x = _mm_aesdec_si128(x, key16(key->dec[r]));
    return _mm_aesdeclast_si128(x, key16(key->dec[rounds]));
}

#endif

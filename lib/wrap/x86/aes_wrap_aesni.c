/* SPDX-License-Identifier: Apache-2.0 */
/* W of SP 800-38F section 6.1, and its inverse: 6n times A | R[i] = E(A | R[i]), A ^= t.
 *
 *   void aes_wrap_encrypt_aesni(uint8_t a[8], uint8_t *r, size_t n, const struct aes_key *key);
 *   void aes_wrap_decrypt_aesni(uint8_t a[8], uint8_t *r, size_t n, const struct aes_key *key);
 *
 * n >= 2; any alignment.  A stays in the lower half of x.  Each step waits for the one before, so
 * the latency of a step determines the time.  AESENCLAST ends with an XOR: if its key is last ^
 * first round key ^ t, the lower half of its result is already the next step's state, and the upper
 * half is replaced by the next R.  What is stored is computed by a second instruction, for which
 * the chain does not wait. */
#include "../../aes/x86/aes_x86.h"
#include "../wrap.h"

enum { SEMI = 8, PASSES = 6, UPPER = 0xf0 /* words of _mm_blend_epi16 */ };

/* t in the place of A, in big-endian order. */
INLINE TARGET_AESNI block tick16(uint64_t t)
{
    return _mm_cvtsi64_si128((long long)bswap64(t));
}

INLINE TARGET_AESNI block with_upper(block x, const uint8_t *semi)
{
    return _mm_insert_epi64(x, (long long)load_le64(semi), 1);
}

INLINE TARGET_AESNI block round16(block x, block k, int decrypts)
{
    return decrypts ? _mm_aesdec_si128(x, k) : _mm_aesenc_si128(x, k);
}

INLINE TARGET_AESNI block last16(block x, block k, int decrypts)
{
    return decrypts ? _mm_aesdeclast_si128(x, k) : _mm_aesenclast_si128(x, k);
}

INLINE TARGET_AESNI void chain(uint8_t a[SEMI], uint8_t *r, size_t n, const struct aes_key *key,
                               int decrypts, unsigned rounds)
{
    const uint8_t(*const keys)[16] = decrypts ? key->dec : key->enc;
    const block first = key16(keys[0]), last = key16(keys[rounds]), both = xor16(first, last);
    uint64_t t = decrypts ? PASSES * (uint64_t)n : 0;
    uint8_t *const end = r + SEMI * n;
    uint8_t *at = decrypts ? end - SEMI : r;
    block x = _mm_cvtsi64_si128((long long)load_le64(a));
    x = xor16(with_upper(xor16(x, tick16(t)), at), first);
    for (uint64_t left = PASSES * (uint64_t)n; left; left--) {
        uint8_t *const next =
            decrypts ? (at == r ? end : at) - SEMI : (at + SEMI == end ? r : at + SEMI);
        const block then = xor16(with_upper(_mm_setzero_si128(), next), first);
        t += decrypts ? -UINT64_C(1) : 1;
        const block fold = xor16(both, tick16(t));
#pragma GCC unroll 14
        for (unsigned i = 1; i < rounds; i++)
            x = round16(x, key16(keys[i]), decrypts);
        store_le64(at, (uint64_t)_mm_extract_epi64(last16(x, last, decrypts), 1));
        x = _mm_blend_epi16(last16(x, fold, decrypts), then, UPPER);
        at = next;
    }
    store_le64(a, (uint64_t)_mm_cvtsi128_si64(xor16(x, first)));
}

#define DIRECTION(name, decrypts)                                         \
    TARGET_AESNI void name##_aesni(uint8_t a[SEMI], uint8_t *r, size_t n, \
                                   const struct aes_key *key)             \
    {                                                                     \
        FOR_ROUNDS(key, chain, a, r, n, key, decrypts);                   \
    }
DIRECTION(aes_wrap_encrypt, 0)
DIRECTION(aes_wrap_decrypt, 1)

/* SPDX-License-Identifier: Apache-2.0 */
/* W of SP 800-38F section 6.1, and its inverse: 6n times A | R[i] = E(A | R[i]), A ^= t.
 *
 *   void aes_wrap_encrypt_ce(uint8_t a[8], uint8_t *r, size_t n, const struct aes_key *key);
 *   void aes_wrap_decrypt_ce(uint8_t a[8], uint8_t *r, size_t n, const struct aes_key *key);
 *
 * n >= 2; any alignment.  A stays in the lower half of x.  Each step waits for the one before, so
 * the latency of a step determines the time.  AESE begins with an XOR.  The state x therefore lacks
 * the last round key, and the next step's first key is last ^ first round key ^ t. */
#include "../../aes/arm64/aes_ce.h"
#include "../wrap.h"

enum { SEMI = 8, PASSES = 6 };

/* t in the place of A, in big-endian order. */
INLINE TARGET block tick16(uint64_t t)
{
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(HR_BE64(t)), vcreate_u64(0)));
}

INLINE TARGET block with_upper(block x, uint8x8_t semi)
{
    return vcombine_u8(vget_low_u8(x), semi);
}

INLINE TARGET block rounds_of(block x, block fold, const uint8_t (*keys)[16], int decrypts,
                              unsigned rounds)
{
    x = decrypts ? dec_round(x, fold) : enc_round(x, fold);
#pragma GCC unroll 14
    for (unsigned i = 1; i < rounds - 1; i++)
        x = decrypts ? dec_round(x, load16(keys[i])) : enc_round(x, load16(keys[i]));
    const block k = load16(keys[rounds - 1]);
    return decrypts ? dec_last(x, k) : enc_last(x, k);
}

INLINE TARGET void chain(uint8_t a[SEMI], uint8_t *r, size_t n, const struct aes_key *key,
                         int decrypts, unsigned rounds)
{
    const uint8_t(*const keys)[16] = decrypts ? key->dec : key->enc;
    const block last = load16(keys[rounds]), both = xor16(load16(keys[0]), last);
    const uint8x8_t last_upper = vget_high_u8(last);
    uint64_t t = decrypts ? PASSES * (uint64_t)n : 0;
    uint8_t *const end = r + SEMI * n;
    uint8_t *at = decrypts ? end - SEMI : r;
    block x = xor16(vcombine_u8(vld1_u8(a), vld1_u8(at)), last);
    for (uint64_t left = PASSES * (uint64_t)n; left; left--) {
        uint8_t *const next =
            decrypts ? (at == r ? end : at) - SEMI : (at + SEMI == end ? r : at + SEMI);
        const uint8x8_t then = veor_u8(vld1_u8(next), last_upper);
        x = rounds_of(x, xor16(both, tick16(t)), keys, decrypts, rounds);
        vst1_u8(at, vget_high_u8(xor16(x, last)));
        x = with_upper(x, then);
        t += decrypts ? -UINT64_C(1) : 1;
        at = next;
    }
    vst1_u8(a, vget_low_u8(xor16(xor16(x, last), tick16(t))));
}

#define DIRECTION(stem, decrypts)                                                               \
    TARGET void KERNEL(stem)(uint8_t a[SEMI], uint8_t * r, size_t n, const struct aes_key *key) \
    {                                                                                           \
        FOR_ROUNDS(key, chain, a, r, n, key, decrypts);                                         \
    }
DIRECTION(aes_wrap_encrypt, 0)
DIRECTION(aes_wrap_decrypt, 1)

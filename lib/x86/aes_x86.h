/* SPDX-License-Identifier: Apache-2.0 */
/* What the AES kernels of x86 share.  AESENC and its kin are one round of FIPS 197 section 5.1 on a
 * state in byte order; AESDEC one of the equivalent inverse cipher, section 5.3.5 (Intel, AES New
 * Instructions Set, 2010).  Their time does not depend on data. */
#ifndef HR_AES_X86_H
#define HR_AES_X86_H

#include "../aes.h"
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
/* Kernels are leaves whose arrays live in registers: a stack canary would guard nothing. */
#define LEAF __attribute__((no_stack_protector))
#define TARGET_AESNI LEAF __attribute__((target("aes,sse4.1")))

/* Kernels have two parts: one block, lean, and `many`, which it jumps to. */
#define NOINLINE static __attribute__((noinline))

/* A statement with the constant i = index, where index < num. */
#define EXPAND(index, num, ...) \
    {                           \
        enum { i = index };     \
        if (i < (num))          \
            __VA_ARGS__;        \
    }

/* Calls fn(..., rounds) with a constant: each key length becomes code without a loop of rounds. */
#define FOR_ROUNDS(key, fn, ...)         \
    do {                                 \
        if (LIKELY((key)->rounds == 10)) \
            fn(__VA_ARGS__, 10);         \
        else if ((key)->rounds == 14)    \
            fn(__VA_ARGS__, 14);         \
        else                             \
            fn(__VA_ARGS__, 12);         \
    } while (0)

INLINE TARGET_AESNI __m128i load16(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE TARGET_AESNI void store16(uint8_t *p, __m128i x)
{
    _mm_storeu_si128((__m128i *)p, x);
}

/* The IV that continues the message, where the caller wants it. */
INLINE TARGET_AESNI void store_next(uint8_t next[16], __m128i x)
{
    if (next)
        store16(next, x);
}

INLINE TARGET_AESNI __m128i key16(const uint8_t round_key[16])
{
    return _mm_load_si128((const __m128i *)round_key);
}

INLINE TARGET_AESNI __m128i encrypt16(__m128i x, const struct aes_key *key, unsigned rounds)
{
    x = _mm_xor_si128(x, key16(key->enc[0]));
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds; r++)
        x = _mm_aesenc_si128(x, key16(key->enc[r]));
    return _mm_aesenclast_si128(x, key16(key->enc[rounds]));
}

INLINE TARGET_AESNI __m128i decrypt16(__m128i x, const struct aes_key *key, unsigned rounds)
{
    x = _mm_xor_si128(x, key16(key->dec[0]));
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds; r++)
        x = _mm_aesdec_si128(x, key16(key->dec[r]));
    return _mm_aesdeclast_si128(x, key16(key->dec[rounds]));
}

#endif

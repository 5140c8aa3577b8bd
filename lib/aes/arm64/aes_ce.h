/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the AES kernels of arm64 share.  AESE is AddRoundKey, SubBytes and ShiftRows of
 * FIPS 197 section 5.1 on a state in byte order, AESMC is MixColumns; AESD and AESIMC are the
 * corresponding steps of the equivalent inverse cipher, section 5.3.5 (Arm Architecture Reference
 * Manual for A-profile, C7).  A round's key is added at the round's beginning, so the last round
 * key is added by an XOR. The instructions' time does not depend on data (FEAT_DIT). */
#ifndef HR_AES_CE_H
#define HR_AES_CE_H

#include "../aes_kernel.h"
#include <arm_neon.h>

#ifndef KERNEL /* gcm_eor3.c defines KERNEL and TARGET itself */
#define KERNEL(stem) stem##_ce
#if defined(__clang__) /* clang 14 does not accept the + */
#define TARGET LEAF __attribute__((target("aes")))
#else
#define TARGET LEAF __attribute__((target("+crypto")))
#endif
#endif

typedef uint8x16_t block;

INLINE TARGET block load16(const uint8_t *p)
{
    return vld1q_u8(p);
}

INLINE TARGET void store16(uint8_t *p, block x)
{
    vst1q_u8(p, x);
}

INLINE TARGET block xor16(block a, block b)
{
    return veorq_u8(a, b);
}

/* One assembly statement for each pair, because CPUs execute AESE and AESMC as one instruction if
 * nothing stands between them.  Intrinsics are not used, because clang 14 declares them only under
 * -march. */
INLINE TARGET block enc_round(block x, block k)
{
    __asm__("aese %0.16b, %1.16b\n\taesmc %0.16b, %0.16b" : "+w"(x) : "w"(k));
    return x;
}

INLINE TARGET block dec_round(block x, block k)
{
    __asm__("aesd %0.16b, %1.16b\n\taesimc %0.16b, %0.16b" : "+w"(x) : "w"(k));
    return x;
}

INLINE TARGET block enc_last(block x, block k)
{
    __asm__("aese %0.16b, %1.16b" : "+w"(x) : "w"(k));
    return x;
}

INLINE TARGET block dec_last(block x, block k)
{
    __asm__("aesd %0.16b, %1.16b" : "+w"(x) : "w"(k));
    return x;
}

INLINE TARGET block inv_mix_columns(block x)
{
    __asm__("aesimc %0.16b, %0.16b" : "+w"(x));
    return x;
}

/* Stores the IV that continues the message, if the caller wants it. */
INLINE TARGET void store_next(uint8_t next[16], block x)
{
    if (UNLIKELY(next)) /* direct calls pass NULL */
        store16(next, x);
}

INLINE TARGET block encrypt16(block x, const struct aes_key *key, unsigned rounds)
{
#pragma GCC unroll 14
    for (unsigned r = 0; r < rounds - 1; r++)
        x = enc_round(x, load16(key->enc[r]));
    return xor16(enc_last(x, load16(key->enc[rounds - 1])), load16(key->enc[rounds]));
}

INLINE TARGET block decrypt16(block x, const struct aes_key *key, unsigned rounds)
{
#pragma GCC unroll 14
    for (unsigned r = 0; r < rounds - 1; r++)
        x = dec_round(x, load16(key->dec[r]));
    return xor16(dec_last(x, load16(key->dec[rounds - 1])), load16(key->dec[rounds]));
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of one block for the Cryptographic Extension.  A kernel's file includes this once, before
 * the mode's source. */
#ifndef HR_AES_VEC_H
#define HR_AES_VEC_H

#include "aes_ce.h"

typedef uint8x16_t vec;
enum { LANES = 1 }; /* blocks in a vector */

INLINE TARGET vec load(const uint8_t *p)
{
    return load16(p);
}

INLINE TARGET void store(uint8_t *p, vec x)
{
    store16(p, x);
}

INLINE TARGET vec spread(const uint8_t *p)
{
    return load16(p);
}

INLINE TARGET vec xor (vec a, vec b) { return xor16(a, b); }

    INLINE TARGET vec add64(vec a, vec b)
{
    return vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

/* Returns the blocks that precede the blocks of `next` in the message: the last block of `prev`,
 * then all of `next` except its last. */
INLINE TARGET vec blocks_before(vec prev, vec next)
{
    return (void)next, prev;
}

/* Reverses the bytes of each block. */
INLINE TARGET vec reverse(vec x)
{
    const vec y = vrev64q_u8(x);
    return vextq_u8(y, y, 8);
}

/* Returns hi:lo + 0, 1, ... LANES - 1 as 128-bit numbers, without a carry from lo to hi. */
INLINE TARGET vec count_up(uint64_t hi, uint64_t lo)
{
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(lo), vcreate_u64(hi)));
}

/* Puts x into the low half of each block, and zero into the high half. */
INLINE TARGET vec low64(uint64_t x)
{
    return count_up(0, x);
}

/* Load or store the first num < LANES blocks of a vector.  LANES is 1, so these are never executed.
 */
INLINE TARGET vec load_part(const uint8_t *p, size_t num)
{
    return (void)num, load16(p);
}

INLINE TARGET void store_part(uint8_t *p, vec x, size_t num)
{
    (void)num, store16(p, x);
}

/* Returns the first block of a vector. */
INLINE TARGET block low16(vec x)
{
    return x;
}

INLINE TARGET void leave(void) {}

#include "../aes_vec.h"

/* Encrypt or decrypt num independent vectors. */
INLINE TARGET void encrypt(vec s[BATCH], size_t num, const struct aes_key *key, unsigned rounds)
{
#pragma GCC unroll 14
    for (unsigned r = 0; r < rounds - 1; r++) {
        const vec k = load16(key->enc[r]);
        EACH(num, s[i] = enc_round(s[i], k));
    }
    const vec k = load16(key->enc[rounds - 1]), last = load16(key->enc[rounds]);
    EACH(num, s[i] = xor16(enc_last(s[i], k), last));
}

INLINE TARGET void decrypt(vec s[BATCH], size_t num, const struct aes_key *key, unsigned rounds)
{
#pragma GCC unroll 14
    for (unsigned r = 0; r < rounds - 1; r++) {
        const vec k = load16(key->dec[r]);
        EACH(num, s[i] = dec_round(s[i], k));
    }
    const vec k = load16(key->dec[rounds - 1]), last = load16(key->dec[rounds]);
    EACH(num, s[i] = xor16(dec_last(s[i], k), last));
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 with products of 64 bits, h = h0 + h1 2^64 + h2 2^128, and the final addition of s. */
#ifndef HR_POLY1305_SCALAR_H
#define HR_POLY1305_SCALAR_H

#include "../bytes.h"

#include <stddef.h>

#define POLY1305_INLINE static inline __attribute__((always_inline))
#define POLY1305_CLAMP_0 UINT64_C(0x0ffffffc0fffffff)
#define POLY1305_CLAMP_1 UINT64_C(0x0ffffffc0ffffffc)

typedef unsigned __int128 poly1305_wide;

/* Computes h = (h + m) r modulo 2^130 - 5 for m = m0 + m1 2^64 + m2 2^128. r1 is clamped to a
 * multiple of 4, and 2^130 = 5, so h1 r1 2^128 = h1 (r1 / 4) 5. */
POLY1305_INLINE void poly1305_step(uint64_t h[3], uint64_t m0, uint64_t m1, uint64_t m2,
                                   const uint64_t r[2])
{
    const uint64_t r0 = r[0], r1 = r[1], s1 = r1 + (r1 >> 2);
    poly1305_wide x = (poly1305_wide)h[0] + m0;
    const uint64_t h0 = (uint64_t)x;
    x = (poly1305_wide)h[1] + m1 + (uint64_t)(x >> 64);
    const uint64_t h1 = (uint64_t)x, h2 = h[2] + m2 + (uint64_t)(x >> 64);
    const poly1305_wide low = (poly1305_wide)h0 * r0 + (poly1305_wide)h1 * s1;
    const poly1305_wide high = (poly1305_wide)h0 * r1 + (poly1305_wide)h1 * r0 +
                               (poly1305_wide)(h2 * s1) + (uint64_t)(low >> 64);
    const uint64_t top = h2 * r0 + (uint64_t)(high >> 64);
    x = (poly1305_wide)(uint64_t)low + ((top & ~UINT64_C(3)) + (top >> 2));
    h[0] = (uint64_t)x;
    x = (poly1305_wide)(uint64_t)high + (uint64_t)(x >> 64);
    h[1] = (uint64_t)x;
    h[2] = (top & 3) + (uint64_t)(x >> 64);
}

/* Loads the last 1 to 15 bytes, followed by a 1, which takes the place of the 2^128 of whole
 * blocks. */
POLY1305_INLINE void poly1305_last_words(uint64_t m[2], const uint8_t *in, size_t len)
{
    uint64_t word = 0;
    const size_t whole = len & 8;
    in += whole;
    if (len & 4)
        word = load_le32(in);
    if (len & 2)
        word |= (uint64_t)load_le16(in + (len & 4)) << 8 * (len & 4);
    if (len & 1)
        word |= (uint64_t)in[len & 6] << 8 * (len & 6);
    word |= UINT64_C(1) << 8 * (len & 7);
    m[0] = whole ? load_le64(in - 8) : word;
    m[1] = whole ? word : 0;
}

/* Adds the last 1 to 15 bytes of a message to h, which covers the whole blocks before. */
POLY1305_INLINE void poly1305_last_step(uint64_t h[3], const uint8_t *in, size_t len,
                                        const uint64_t r[2])
{
    uint64_t m[2];
    poly1305_last_words(m, in, len);
    poly1305_step(h, m[0], m[1], 0, r);
}

/* Computes out = (h mod 2^130 - 5) + s mod 2^128. */
POLY1305_INLINE void poly1305_add(uint8_t out[16], const uint64_t h[3], uint64_t s0, uint64_t s1)
{
    poly1305_wide x = (poly1305_wide)h[0] + 5 * (h[2] >> 2);
    uint64_t h0 = (uint64_t)x;
    x = (poly1305_wide)h[1] + (uint64_t)(x >> 64);
    uint64_t h1 = (uint64_t)x;
    const uint64_t h2 = (h[2] & 3) + (uint64_t)(x >> 64);
    /* now h < 2 (2^130 - 5); the modulus is subtracted if h + 5 reaches 2^130 */
    x = ((poly1305_wide)h0 + 5) >> 64;
    x += h1;
    const uint64_t above = (h2 + (uint64_t)(x >> 64)) >> 2;
    x = (poly1305_wide)h0 + 5 * above;
    h0 = (uint64_t)x;
    h1 += (uint64_t)(x >> 64);
    x = (poly1305_wide)h0 + s0;
    store_le64(out, (uint64_t)x);
    store_le64(out + 8, h1 + s1 + (uint64_t)(x >> 64));
}

#endif

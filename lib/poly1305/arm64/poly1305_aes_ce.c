/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305-AES of short messages: AES of the nonce and the polynomial need nothing of each other
 * before the last addition, and go through different pipes.  poly1305.h has the prototypes. */
#include "../../aes/arm64/aes_ce.h"
#include "../poly1305_aes.h"
#include "poly1305_neon.h"

enum { ROUNDS = 10 };

INLINE TARGET void finish(uint8_t out[16], uint64_t h[3], const uint8_t *in, size_t len,
                          const uint64_t r[2], block s)
{
    const uint64x2_t words = vreinterpretq_u64_u8(s);
    if (len)
        poly1305_last_step(h, in, len, r);
    poly1305_add(out, h, vgetq_lane_u64(words, 0), vgetq_lane_u64(words, 1));
}

TARGET void poly1305_aes_kept_ce(uint8_t out[16], const uint8_t *in, size_t len,
                                 const struct poly1305_aes_key *key, const uint8_t n[16])
{
    const size_t part = len % 16;
    const block s = encrypt16(load16(n), &key->aes, ROUNDS);
    uint64_t h[3] = { 0 };
    blocks(h, in, len / 16, &key->poly);
    finish(out, h, in + (len - part), part, key->poly.r, s);
}

/* Returns round key i, made from k, the one before (FIPS 197 section 5.2).  AESE with a key of zero
 * on a state of four equal columns is SubWord on each, as ShiftRows moves bytes between equal
 * columns. */
INLINE TARGET block next_key(block k, unsigned i)
{
    static const uint8_t rot_word[16] = { 13, 14, 15, 12, 13, 14, 15, 12,
                                          13, 14, 15, 12, 13, 14, 15, 12 };
    const block zero = vdupq_n_u8(0);
    const uint32_t rcon = i < 9 ? 1u << (i - 1) : i == 9 ? 0x1b : 0x36;
    const block sub = enc_last(vqtbl1q_u8(k, load16(rot_word)), zero);
    k = xor16(k, vextq_u8(zero, k, 12));
    k = xor16(k, vextq_u8(zero, k, 8));
    return xor16(xor16(k, vreinterpretq_u8_u32(vdupq_n_u32(rcon))), sub);
}

INLINE TARGET block encrypt_raw(block x, block k)
{
#pragma GCC unroll 9
    for (unsigned i = 1; i < ROUNDS; i++) {
        x = enc_round(x, k);
        k = next_key(k, i);
    }
    return xor16(enc_last(x, k), next_key(k, ROUNDS));
}

TARGET void poly1305_aes_raw_ce(uint8_t out[16], const uint8_t *in, size_t len,
                                const uint8_t kr[32], const uint8_t n[16])
{
    const uint64_t r[2] = { load_le64(kr + 16) & POLY1305_CLAMP_0,
                            load_le64(kr + 24) & POLY1305_CLAMP_1 };
    const block s = encrypt_raw(load16(n), load16(kr));
    uint64_t h[3] = { 0 };
    for (; len >= 16; len -= 16, in += 16)
        poly1305_step(h, load_le64(in), load_le64(in + 8), 1, r);
    finish(out, h, in, len, r, s);
}

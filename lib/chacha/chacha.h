/* SPDX-License-Identifier: Apache-2.0 */
/* ChaCha20 (RFC 8439 section 2.3): the type of its kernels. */
#ifndef HR_CHACHA_H
#define HR_CHACHA_H

#include <stddef.h>
#include <stdint.h>

enum { CHACHA_BLOCK = 64, CHACHA_KEY_WORDS = 8, CHACHA_WORDS = 16 };

/* Encrypts whole blocks of 64 bytes with the keystream that begins with block state[12].  `state`
 * is that of section 2.3: four constants, the key, the block's number, the nonce.  The numbers do
 * not wrap.  `out` is `in` or does not touch it. */
typedef void chacha_xor_fn(uint8_t *out, const uint8_t *in, size_t num_blocks,
                           const uint32_t state[CHACHA_WORDS]);

chacha_xor_fn chacha_xor_c, chacha_xor_ssse3, chacha_xor_avx2, chacha_xor_avx512, chacha_xor_neon;

#endif

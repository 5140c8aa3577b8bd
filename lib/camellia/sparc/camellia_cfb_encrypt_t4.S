/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia in CFB128, SP 800-38A section 6.3: out[i] = in[i] ^ E(out[i - 1]), out[-1] = iv.
 *
 *   int camellia_cfb_encrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                               const void *key, const uint8_t *iv, uint8_t *next);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; next, unless it is
 * NULL, becomes the last out[i].  Registers, and keys: camellia_t4.h. */
#include "camellia_t4.h"

#define BEFORE SET_A(PREV0, PREV1)
#define AFTER ADD_TO_A(MOVE_XOR, X0, X1)

KERNEL(camellia_cfb_encrypt_t4, CHAIN, E)
        .section .note.GNU-stack, "", %progbits

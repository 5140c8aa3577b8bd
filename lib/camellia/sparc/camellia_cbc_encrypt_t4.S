/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia in CBC, SP 800-38A section 6.2: out[i] = E(in[i] ^ out[i - 1]), out[-1] = iv.
 *
 *   int camellia_cbc_encrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                               const void *key, const uint8_t *iv, uint8_t *next);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; next, unless it is
 * NULL, becomes the last out[i].  Registers, and keys: camellia_t4.h. */
#include "camellia_t4.h"

#define BEFORE \
        xor     X0, PREV0, X0; \
        xor     X1, PREV1, X1; \
        SET_A(X0, X1)
#define AFTER ADD_TO_A(MOVE_SECOND, , )

KERNEL(camellia_cbc_encrypt_t4, CHAIN, E)
        .section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia in CFB128, SP 800-38A section 6.3: out[i] = in[i] ^ E(in[i - 1]), in[-1] = iv.
 *
 *   int camellia_cfb_decrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                               const void *key, const uint8_t *iv, uint8_t *next);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; next, unless it is
 * NULL, becomes the last in[i].  Registers, and keys: camellia_t4.h. */
#include "camellia_t4.h"

#define AT_BEGIN LOAD_IV
#define BEFORE_A SET_A(PREV0, PREV1)
#define BEFORE_B SET_B(X0, X1)
#define AFTER_A ADD_TO_A(MOVE_XOR, X0, X1)
#define AFTER_B \
        ADD_TO_B(MOVE_XOR, X2, X3); \
        mov     X2, PREV0; \
        mov     X3, PREV1
#define AFTER_LAST_A \
        mov     X0, PREV0; \
        mov     X1, PREV1
#define AT_END STORE_NEXT

KERNEL(camellia_cfb_decrypt_t4, PARALLEL, E)
        .section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: Apache-2.0 */
/* DES and triple DES in CBC, SP 800-38A section 6.2: out[i] = D(in[i]) ^ in[i - 1], in[-1] = iv.
 *
 *   int des_cbc_decrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                          const void *key, const uint8_t *iv, uint8_t *next);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; next, unless it is
 * NULL, becomes the last in[i].  Registers, and keys: des_t4.h. */
#include "des_t4.h"

#define AT_BEGIN LOAD_IV_8
#define BEFORE_A movxtod X0, A0
#define BEFORE_B movxtod X1, B0
#define AFTER_A \
        movxtod PREV0, M0; \
        fxor    A0, M0, A0
#define AFTER_B \
        movxtod X0, M1; \
        mov     X1, PREV0; \
        fxor    B0, M1, B0
#define AFTER_LAST_A mov X0, PREV0
#define AT_END STORE_NEXT_8(PREV0)

KERNEL(des_cbc_decrypt_t4, PARALLEL, D)
        .section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: Apache-2.0 */
/* DES and triple DES in CTR, SP 800-38A section 6.5: out[i] = in[i] ^ E(iv + i); the counter block
 * is one 64-bit big-endian number.
 *
 *   int des_ctr_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                  const void *key, const uint8_t *iv, uint8_t *next);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; next, unless it is
 * NULL, becomes iv + num_blocks.  Registers, and keys: des_t4.h. */
#include "des_t4.h"

#define AT_BEGIN LOAD_IV_8
#define BEFORE_A \
        movxtod PREV0, A0; \
        add     PREV0, 1, PREV0
#define BEFORE_B \
        movxtod PREV0, B0; \
        add     PREV0, 1, PREV0
#define AFTER_A \
        movxtod X0, M0; \
        fxor    A0, M0, A0
#define AFTER_B \
        movxtod X1, M1; \
        fxor    B0, M1, B0
#define AFTER_LAST_A
#define AT_END STORE_NEXT_8(PREV0)

KERNEL(des_ctr_t4, PARALLEL, E)
        .section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia in CTR, SP 800-38A section 6.5: out[i] = in[i] ^ E(iv + i); the counter block is one
 * 128-bit big-endian number.
 *
 *   int camellia_ctr_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                       const void *key, const uint8_t *iv, uint8_t *next);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; next, unless it is
 * NULL, becomes iv + num_blocks.  Registers, and keys: camellia_t4.h. */
#include "camellia_t4.h"

#define COUNT \
        addcc   PREV1, 1, PREV1; \
        addxc   PREV0, %g0, PREV0

#define AT_BEGIN LOAD_IV
#define BEFORE_A \
        SET_A(PREV0, PREV1); \
        COUNT
#define BEFORE_B \
        SET_B(PREV0, PREV1); \
        COUNT
#define AFTER_A ADD_TO_A(MOVE_XOR, X0, X1)
#define AFTER_B ADD_TO_B(MOVE_XOR, X2, X3)
#define AFTER_LAST_A
#define AT_END STORE_NEXT

KERNEL(camellia_ctr_t4, PARALLEL, E)
        .section .note.GNU-stack, "", %progbits

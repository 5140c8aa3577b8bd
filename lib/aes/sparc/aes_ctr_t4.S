/* SPDX-License-Identifier: Apache-2.0 */
/* CTR, SP 800-38A section 6.5: out[i] = in[i] ^ E(iv + i); the counter block is one 128-bit
 * big-endian number.
 *
 *   int aes_ctr_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                  const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *
 * out is equal to in or does not overlap it; any alignment; next becomes iv + num_blocks.
 * Registers: aes_t4.h. */
#include "aes_t4.h"

/* Puts the counter ^ round key 0 into f0:f1, and adds 1 to the counter. */
#define COUNT(f0, f1) \
        MOVE_XOR(PREV0, FIRST0, f0); \
        MOVE_XOR(PREV1, FIRST1, f1); \
        addcc   PREV1, 1, PREV1; \
        addxc   PREV0, %g0, PREV0

#define AT_BEGIN LOAD_IV
#define BEFORE_A COUNT(A0, A1)
#define BEFORE_B COUNT(B0, B1)
#define AFTER_A(d) LAST_OF_A(d, MOVE_XOR, X0, X1)
#define AFTER_B(d) LAST_OF_B(d, MOVE_XOR, X2, X3)
#define AFTER_LAST_A
#define AT_END STORE_NEXT

KERNEL(aes_ctr_t4, PARALLEL, E)
        .section .note.GNU-stack, "", %progbits

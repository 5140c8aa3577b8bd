/* SPDX-License-Identifier: Apache-2.0 */
/* CBC decryption, SP 800-38A section 6.2: out[i] = D(in[i]) ^ in[i - 1], in[-1] = iv.
 *
 *   int aes_cbc_decrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                          const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *
 * out is equal to in or does not overlap it; any alignment; next becomes the last in[i].
 * Registers: aes_t4.h. */
#include "aes_t4.h"

#define AT_BEGIN LOAD_IV
#define BEFORE_A \
        MOVE_XOR(X0, FIRST0, A0); \
        MOVE_XOR(X1, FIRST1, A1)
#define BEFORE_B \
        MOVE_XOR(X2, FIRST0, B0); \
        MOVE_XOR(X3, FIRST1, B1)
#define AFTER_A(d) LAST_OF_A(d, MOVE_XOR, PREV0, PREV1)
#define AFTER_B(d) \
        LAST_OF_B(d, MOVE_XOR, X0, X1); \
        mov     X2, PREV0; \
        mov     X3, PREV1
#define AFTER_LAST_A \
        mov     X0, PREV0; \
        mov     X1, PREV1
#define AT_END STORE_NEXT

KERNEL(aes_cbc_decrypt_t4, PARALLEL, D)
        .section .note.GNU-stack, "", %progbits

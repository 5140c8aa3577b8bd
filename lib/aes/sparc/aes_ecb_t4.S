/* SPDX-License-Identifier: Apache-2.0 */
/* ECB, SP 800-38A section 6.1: out[i] = E(in[i]), or D(in[i]).
 *
 *   int aes_ecb_encrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                          const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *   int aes_ecb_decrypt_t4(the same parameters);
 *
 * out is equal to in or does not overlap it; any alignment; iv and next are ignored.  Registers:
 * aes_t4.h. */
#include "aes_t4.h"

#define AT_BEGIN
#define BEFORE_A \
        MOVE_XOR(X0, FIRST0, A0); \
        MOVE_XOR(X1, FIRST1, A1)
#define BEFORE_B \
        MOVE_XOR(X2, FIRST0, B0); \
        MOVE_XOR(X3, FIRST1, B1)
#define AFTER_A(d) LAST_OF_A(d, MOVE_SECOND, , )
#define AFTER_B(d) LAST_OF_B(d, MOVE_SECOND, , )
#define AFTER_LAST_A
#define AT_END

KERNEL(aes_ecb_encrypt_t4, PARALLEL, E)
KERNEL(aes_ecb_decrypt_t4, PARALLEL, D)
        .section .note.GNU-stack, "", %progbits

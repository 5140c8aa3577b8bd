/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia in ECB, SP 800-38A section 6.1: out[i] = E(in[i]), or D(in[i]).
 *
 *   int camellia_ecb_encrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                               const void *key, const uint8_t *iv, uint8_t *next);
 *   int camellia_ecb_decrypt_t4(the same parameters);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; iv and next are
 * ignored. Registers, and keys: camellia_t4.h. */
#include "camellia_t4.h"

#define AT_BEGIN
#define BEFORE_A SET_A(X0, X1)
#define BEFORE_B SET_B(X2, X3)
#define AFTER_A ADD_TO_A(MOVE_SECOND, , )
#define AFTER_B ADD_TO_B(MOVE_SECOND, , )
#define AFTER_LAST_A
#define AT_END

KERNEL(camellia_ecb_encrypt_t4, PARALLEL, E)
KERNEL(camellia_ecb_decrypt_t4, PARALLEL, D)
        .section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: Apache-2.0 */
/* DES and triple DES in ECB, SP 800-38A section 6.1: out[i] = E(in[i]), or D(in[i]).
 *
 *   int des_ecb_encrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                          const void *key, const uint8_t *iv, uint8_t *next);
 *   int des_ecb_decrypt_t4(the same parameters);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; iv and next are
 * ignored. Registers, and keys: des_t4.h. */
#include "des_t4.h"

#define AT_BEGIN
#define BEFORE_A movxtod X0, A0
#define BEFORE_B movxtod X1, B0
#define AFTER_A
#define AFTER_B
#define AFTER_LAST_A
#define AT_END

KERNEL(des_ecb_encrypt_t4, PARALLEL, E)
KERNEL(des_ecb_decrypt_t4, PARALLEL, D)
        .section .note.GNU-stack, "", %progbits

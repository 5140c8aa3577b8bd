/* SPDX-License-Identifier: Apache-2.0 */
/* DES and triple DES in CBC, SP 800-38A section 6.2: out[i] = E(in[i] ^ out[i - 1]), out[-1] = iv.
 *
 *   int des_cbc_encrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                          const void *key, const uint8_t *iv, uint8_t *next);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; next, unless it is
 * NULL, becomes the last out[i].  Registers, and keys: des_t4.h. */
#include "des_t4.h"

#define AT_BEGIN LOAD_IV_8
#define BEFORE \
        xor     X0, PREV0, X0; \
        movxtod X0, A0
#define AFTER movdtox A0, PREV0
#define AT_END STORE_NEXT_8(PREV0)

KERNEL(des_cbc_encrypt_t4, CHAIN, E)
        .section .note.GNU-stack, "", %progbits

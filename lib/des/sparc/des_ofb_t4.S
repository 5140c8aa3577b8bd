/* SPDX-License-Identifier: Apache-2.0 */
/* DES and triple DES in OFB, SP 800-38A section 6.4: out[i] = in[i] ^ k[i], k[i] = E(k[i - 1]),
 * k[-1] = iv.
 *
 *   int des_ofb_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                  const void *key, const uint8_t *iv, uint8_t *next);
 *
 * out is equal to in or does not overlap it; out and in may have any alignment; next, unless it is
 * NULL, becomes the last k[i].  Registers, and keys: des_t4.h. */
#include "des_t4.h"

#define STREAM FIRST0 /* k[i - 1], which is secret and so may not lie in %i or %l */

#define AT_BEGIN \
        LOAD_IV_8; \
        mov     PREV0, STREAM
#define BEFORE movxtod STREAM, A0
#define AFTER \
        movdtox A0, STREAM; \
        movxtod X0, M0; \
        fxor    A0, M0, A0
#define AT_END STORE_NEXT_8(STREAM)

KERNEL(des_ofb_t4, CHAIN, E)
        .section .note.GNU-stack, "", %progbits

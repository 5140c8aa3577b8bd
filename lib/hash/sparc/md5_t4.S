/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses num_blocks blocks into `state` by MD5's compression function (RFC 1321 section 3.4):
 *   void md5_blocks_t4(void *state, const uint8_t *in, size_t num_blocks).
 * num_blocks > 0; in may have any address, state a multiple of 4.
 * Registers: %f0-%f3 state, in the order of its little-endian bytes; %f8-%f22 block. */
#include "hash_t4.h"
#define ASI_PRIMARY_LITTLE 0x88
        .text
FUNCTION(md5_blocks_t4)
        add     %o0, 4, %o3
        add     %o0, 8, %o4
        add     %o0, 12, %o5
        lda     [%o0] ASI_PRIMARY_LITTLE, %f0
        lda     [%o3] ASI_PRIMARY_LITTLE, %f1
        lda     [%o4] ASI_PRIMARY_LITTLE, %f2
        lda     [%o5] ASI_PRIMARY_LITTLE, %f3
        HASH_LOOP64(md5)
        sta     %f0, [%o0] ASI_PRIMARY_LITTLE
        sta     %f1, [%o3] ASI_PRIMARY_LITTLE
        sta     %f2, [%o4] ASI_PRIMARY_LITTLE
        retl
         sta    %f3, [%o5] ASI_PRIMARY_LITTLE
END(md5_blocks_t4)
        .section .note.GNU-stack, "", %progbits

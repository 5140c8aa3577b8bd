/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses num_blocks blocks into `state` by SHA-256's compression function (FIPS 180-4 section
 * 6.2.2):
 *   void sha256_blocks_t4(void *state, const uint8_t *in, size_t num_blocks).
 * num_blocks > 0; in may have any address, state a multiple of 4.
 * Registers: %f0-%f7 state, %f8-%f22 block. */
#include "hash_t4.h"
        .text
FUNCTION(sha256_blocks_t4)
        ld      [%o0 + 0x00], %f0
        ld      [%o0 + 0x04], %f1
        ld      [%o0 + 0x08], %f2
        ld      [%o0 + 0x0c], %f3
        ld      [%o0 + 0x10], %f4
        ld      [%o0 + 0x14], %f5
        ld      [%o0 + 0x18], %f6
        ld      [%o0 + 0x1c], %f7
        HASH_LOOP64(sha256)
        st      %f0, [%o0 + 0x00]
        st      %f1, [%o0 + 0x04]
        st      %f2, [%o0 + 0x08]
        st      %f3, [%o0 + 0x0c]
        st      %f4, [%o0 + 0x10]
        st      %f5, [%o0 + 0x14]
        st      %f6, [%o0 + 0x18]
        retl
         st     %f7, [%o0 + 0x1c]
END(sha256_blocks_t4)
        .section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses num_blocks blocks into `state` by SHA-1's compression function (FIPS 180-4 section
 * 6.1.2):
 *   void sha1_blocks_t4(void *state, const uint8_t *in, size_t num_blocks).
 * num_blocks > 0; in may have any address, state a multiple of 4.
 * Registers: %f0-%f4 state, %f8-%f22 block. */
#include "hash_t4.h"
        .text
FUNCTION(sha1_blocks_t4)
        ld      [%o0 + 0x00], %f0
        ld      [%o0 + 0x04], %f1
        ld      [%o0 + 0x08], %f2
        ld      [%o0 + 0x0c], %f3
        ld      [%o0 + 0x10], %f4
        HASH_LOOP64(sha1)
        st      %f0, [%o0 + 0x00]
        st      %f1, [%o0 + 0x04]
        st      %f2, [%o0 + 0x08]
        st      %f3, [%o0 + 0x0c]
        retl
         st     %f4, [%o0 + 0x10]
END(sha1_blocks_t4)
        .section .note.GNU-stack, "", %progbits

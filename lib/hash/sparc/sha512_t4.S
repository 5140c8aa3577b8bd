/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses num_blocks blocks into `state` by SHA-512's compression function (FIPS 180-4 section
 * 6.4.2):
 *   void sha512_blocks_t4(void *state, const uint8_t *in, size_t num_blocks).
 * num_blocks > 0; in may have any address, state a multiple of 8.
 * Registers: %f0-%f14 state, %f16-%f46 block. */
#include "hash_t4.h"
#define FIRST  %f16, %f18, %f20, %f22, %f24, %f26, %f28, %f30
#define SECOND %f32, %f34, %f36, %f38, %f40, %f42, %f44, %f46
#define FILL(how) how(0x00, FIRST); how(0x40, SECOND)
#define LOAD(at, ...) LOAD8(at, __VA_ARGS__)
#define ALIGN(at, ...) ALIGN8(at, __VA_ARGS__)
        .text
FUNCTION(sha512_blocks_t4)
        ldd     [%o0 + 0x00], %f0
        ldd     [%o0 + 0x08], %f2
        ldd     [%o0 + 0x10], %f4
        ldd     [%o0 + 0x18], %f6
        ldd     [%o0 + 0x20], %f8
        ldd     [%o0 + 0x28], %f10
        ldd     [%o0 + 0x30], %f12
        ldd     [%o0 + 0x38], %f14
        HASH_LOOP(sha512, 0x80, FILL(LOAD), FILL(ALIGN))
        std     %f0, [%o0 + 0x00]
        std     %f2, [%o0 + 0x08]
        std     %f4, [%o0 + 0x10]
        std     %f6, [%o0 + 0x18]
        std     %f8, [%o0 + 0x20]
        std     %f10, [%o0 + 0x28]
        std     %f12, [%o0 + 0x30]
        retl
         std    %f14, [%o0 + 0x38]
END(sha512_blocks_t4)
        .section .note.GNU-stack, "", %progbits

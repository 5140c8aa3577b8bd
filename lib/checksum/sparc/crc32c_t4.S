/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C (RFC 3720 section 12.1): continues the CRC `value` of the bytes before.
 *   uint32_t crc32c_value_t4(uint32_t value, const uint8_t *in, size_t len)
 *   void crc32c_blocks_t4(void *state, const uint8_t *in, size_t len): the value lies in memory.
 * in may have any address, state a multiple of 4; only aligned doublewords that hold input are
 * loaded.
 *
 * The instruction takes eight bytes, and the CRC register in memory order: S = bswap(~value).
 * There is one chain, because the instruction's latency is not published.  The last t < 8 bytes are
 * processed with 8 - t zeros before them, which do not change a register of zero: S is added to the
 * first of the t bytes, and the part of S for which there is no byte is added to the result.
 *
 * %o0 value, then S; %o1 in; %o2 len, then 8t; %o3 state or 0; %o4 doublewords; %f0 S. */
#include "../../hash/sparc/hash_t4.h"

/* Replaces x by its low word with the bytes reversed; m is 0x00ff00ff, t a temporary register. */
#define BSWAP32(x, m, t) \
        srl     x, 8, t;  \
        and     x, m, x;  \
        and     t, m, t;  \
        sll     x, 8, x;  \
        or      x, t, x;  \
        srl     x, 16, t; \
        sll     x, 16, x; \
        or      x, t, x;  \
        srl     x, 0, x

        .text
FUNCTION(crc32c_blocks_t4)
        mov     %o0, %o3
        ba,pt   %xcc, 1f
         ld     [%o0], %o0
END(crc32c_blocks_t4)

FUNCTION(crc32c_value_t4)
        clr     %o3
1:      sethi   %hi(0x00ff00ff), %g4
        or      %g4, %lo(0x00ff00ff), %g4
        not     %o0
        BSWAP32(%o0, %g4, %g1)
        srlx    %o2, 3, %o4
        brz,pn  %o4, 5f
         andcc  %o1, 7, %g0
        movxtod %o0, %f0
        bne,pn  %xcc, 3f
         nop

2:      ldd     [%o1], %f2
        subcc   %o4, 1, %o4
        crc32c  %f0, %f2, %f0
        bne,pt  %xcc, 2b
         add    %o1, 8, %o1
        ba,pt   %xcc, 5f
         movdtox %f0, %o0

3:      alignaddr %o1, %g0, %o5
        ldd     [%o5], %f2
4:      ldd     [%o5 + 8], %f4
        subcc   %o4, 1, %o4
        faligndata %f2, %f4, %f6
        add     %o5, 8, %o5
        add     %o1, 8, %o1
        crc32c  %f0, %f6, %f0
        bne,pt  %xcc, 4b
         fsrc2  %f4, %f2
        movdtox %f0, %o0

5:      andcc   %o2, 7, %o2
        be,pt   %xcc, 6f
         add    %o1, %o2, %o4
        sub     %o4, 1, %o4             ! the last byte
        and     %o1, 7, %o5
        andn    %o1, 7, %o1
        andn    %o4, 7, %o4
        ldx     [%o1], %g1
        ldx     [%o4], %g5              ! the same doubleword or the next one
        sllx    %o5, 3, %o5
        sllx    %o2, 3, %o2
        sllx    %g1, %o5, %g1
        sub     %g0, %o5, %o5           ! counts of shifts are modulo 64
        srlx    %g5, %o5, %g5           ! if it is the same one, this adds nothing to the t bytes
        or      %g1, %g5, %g1
        sllx    %o0, 32, %o4
        xor     %g1, %o4, %g1
        sub     %g0, %o2, %o4
        srlx    %g1, %o4, %g1           ! 8 - t zeros, t bytes
        movxtod %g1, %f2
        fzero   %f0
        crc32c  %f0, %f2, %f0
        movdtox %f0, %g1
        sllx    %o0, %o2, %o0           ! past 32 bits for t >= 4
        xor     %o0, %g1, %o0

6:      BSWAP32(%o0, %g4, %g1)
        not     %o0
        brz,pt  %o3, 7f
         srl    %o0, 0, %o0
        st      %o0, [%o3]
7:      retl
         nop
END(crc32c_value_t4)
        .section .note.GNU-stack, "", %progbits

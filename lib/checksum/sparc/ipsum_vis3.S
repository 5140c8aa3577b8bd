/* SPDX-License-Identifier: Apache-2.0 */
/* The Internet checksum (RFC 1071): adds num_blocks words of two bytes to a sum modulo 2^16 - 1.
 *   uint32_t ipsum_value_vis3(uint32_t sum, const uint8_t *in, size_t num_blocks)
 *   void ipsum_blocks_vis3(void *state, const uint8_t *in, size_t num_blocks): the sum's complement
 *   lies in memory.
 * in may have any address, state a multiple of 2; only aligned doublewords that hold input are
 * loaded.
 *
 * Aligned doublewords are added modulo 2^64 - 1 (VIS 3 adds the carry of 64 bits), of which
 * 2^16 - 1 is a divisor.  Bytes that are no input count as 0.  That input begins inside a
 * doubleword does not matter if it begins at an even address; else each byte has the weight of its
 * neighbour, which 2^8 puts right: 2^8 2^8 = 1 modulo 2^16 - 1.
 *
 * %o0 sum; %o1 in; %o2 num_blocks, then a doubleword; %o3 state or 0; %o4 bytes left, in steps of
 * 32; %o5 8 at an odd address, else 0; %g1 the new sum; %g4 bytes left beside; %g5 a doubleword. */
#include "../../hash/sparc/hash_t4.h"

/* Takes the sum in %g1 modulo 2^bits - 1, but for a carry. */
#define FOLD(bits)                      \
        srlx    %g1, bits, %g4;         \
        sllx    %g1, 64 - bits, %g1;    \
        srlx    %g1, 64 - bits, %g1;    \
        add     %g1, %g4, %g1

        .text
FUNCTION(ipsum_blocks_vis3)
        mov     %o0, %o3
        lduh    [%o0], %o0
        not     %o0
        sllx    %o0, 48, %o0
        ba,pt   %xcc, 1f
         srlx   %o0, 48, %o0
END(ipsum_blocks_vis3)

FUNCTION(ipsum_value_vis3)
        clr     %o3
1:      and     %o1, 1, %o5
        clr     %g1
        brz,pn  %o2, 6f
         sllx   %o5, 3, %o5
        add     %o1, %o2, %o4
        add     %o4, %o2, %o4
        sub     %o4, 1, %o4             ! the last byte
        and     %o1, 7, %g4
        andn    %o1, 7, %o1
        ldx     [%o1], %g1
        not     %o4, %g5
        and     %g5, 7, %g5             ! bytes behind the input
        andn    %o4, 7, %o4
        sllx    %g4, 3, %g4
        sllx    %g5, 3, %g5
        sub     %o4, %o1, %o4           ! from the first doubleword to the last
        sllx    %g1, %g4, %g1
        brz,pn  %o4, 5f
         srlx   %g1, %g4, %g1
        ldx     [%o1 + %o4], %o2
        sub     %o4, 8, %o4
        add     %o1, 8, %o1
        and     %o4, 24, %g4
        andn    %o4, 24, %o4
        srlx    %o2, %g5, %o2
        sllx    %o2, %g5, %o2
        brz,pn  %o4, 3f
         addcc  %g1, %o2, %g1           ! from here on the carry stays in xcc

2:      ldx     [%o1], %o2
        ldx     [%o1 + 8], %g5
        sub     %o4, 32, %o4
        addxccc %g1, %o2, %g1
        ldx     [%o1 + 16], %o2
        addxccc %g1, %g5, %g1
        ldx     [%o1 + 24], %g5
        addxccc %g1, %o2, %g1
        add     %o1, 32, %o1
        brnz,pt %o4, 2b
         addxccc %g1, %g5, %g1

3:      brz,pn  %g4, 4f
         nop
        ldx     [%o1], %o2
        sub     %g4, 8, %g4
        add     %o1, 8, %o1
        ba,pt   %xcc, 3b
         addxccc %g1, %o2, %g1

4:      addxccc %g1, %g0, %g1           ! the carry, which may give one again
        ba,pt   %xcc, 6f
         addxc  %g1, %g0, %g1

5:      srlx    %g1, %g5, %g1           ! one doubleword holds all input
        sllx    %g1, %g5, %g1

6:      FOLD(32)                        ! below 2^33
        sllx    %g1, %o5, %g1
        add     %g1, %o0, %g1           ! below 2^42
        FOLD(32)                        ! below 2^32 + 2^10
        FOLD(16)                        ! below 2^17 + 2^16
        FOLD(16)                        ! below 2^16 + 2
        FOLD(16)
        brz,pt  %o3, 7f
         mov    %g1, %o0
        not     %o0
        sth     %o0, [%o3]
7:      retl
         nop
END(ipsum_value_vis3)
        .section .note.GNU-stack, "", %progbits

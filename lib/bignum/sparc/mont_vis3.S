/* SPDX-License-Identifier: Apache-2.0 */
/* One limb of a Montgomery product, by VIS 3's upper half of a 64-bit product and its addition with
 * the carry of 64 bits:
 *   void mont_row_vis3(uint64_t *t, const uint64_t *x, const uint64_t *y, const struct modulus *m);
 * t = (t + x y + u m) / 2^64, for that limb u which makes the sum a multiple of 2^64.  y has one
 * limb, x and m have m->num, t has one more; t stays below x + m.
 *
 * Secrets are in %o and %g only; ../../memory_t4.h says why.
 *   %o0 y     %o1 u     %o2, %o3 carries     %o4, %o5, %g1, %g4, %g5 words
 *   %i0 end of t     %i1 end of x     %l0 end of m     %l1 offset from these */

#define FRAME 176
#define MODULUS_M 0
#define MODULUS_M0 16
#define MODULUS_NUM 24

        .text
        .align  32
        .globl  mont_row_vis3
        .hidden mont_row_vis3
        .type   mont_row_vis3, #function
mont_row_vis3:
        save    %sp, -FRAME, %sp
        ldx     [%i3 + MODULUS_NUM], %l1
        ldx     [%i3 + MODULUS_M], %l0
        sllx    %l1, 3, %l1
        add     %i0, %l1, %i0
        add     %i1, %l1, %i1
        add     %l0, %l1, %l0
        neg     %l1
        ldx     [%i2], %o0
        ldx     [%i1 + %l1], %g1
        ldx     [%i0 + %l1], %g4
        mulx    %g1, %o0, %g5
        umulxhi %g1, %o0, %o2
        ldx     [%i3 + MODULUS_M0], %o1
        ldx     [%l0 + %l1], %g1
        addcc   %g5, %g4, %g5
        addxc   %o2, %g0, %o2
        mulx    %g5, %o1, %o1           ! u
        mulx    %g1, %o1, %g4
        umulxhi %g1, %o1, %o3
        addcc   %g4, %g5, %g0           ! 0
        addxc   %o3, %g0, %o3
        add     %l1, 8, %l1
        brz,pn  %l1, 2f
         nop
1:      ldx     [%i1 + %l1], %g1
        ldx     [%i0 + %l1], %g4
        ldx     [%l0 + %l1], %o5
        mulx    %g1, %o0, %g5
        umulxhi %g1, %o0, %o4
        addcc   %g5, %g4, %g5
        addxc   %o4, %g0, %o4
        addcc   %g5, %o2, %g5
        addxc   %o4, %g0, %o2
        mulx    %o5, %o1, %g1
        umulxhi %o5, %o1, %o4
        addcc   %g1, %g5, %g1
        addxc   %o4, %g0, %o4
        addcc   %g1, %o3, %g1
        addxc   %o4, %g0, %o3
        add     %i0, %l1, %l2
        add     %l1, 8, %l1
        brnz,pt %l1, 1b
         stx    %g1, [%l2 - 8]
2:      ldx     [%i0], %g1
        addcc   %o2, %o3, %o2
        addxc   %g0, %g0, %g4
        addcc   %o2, %g1, %o2
        addxc   %g4, %g0, %g4
        stx     %o2, [%i0 - 8]
        stx     %g4, [%i0]
        .irp    r, o0, o1, o2, o3, o4, o5, g1, g4, g5
        clr     %\r
        .endr
        wr      %g0, 0, %ccr
        ret
         restore
        .size   mont_row_vis3, . - mont_row_vis3
        .section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: Apache-2.0 */
/* z = x^e modulo m, for moduli of 8, 16, 24 or 32 limbs, by windows of 4 bits of the exponent:
 *   int mont_power_t4_LIMBS(uint64_t *z, uint64_t *table, const int8_t *digits, const uint64_t *x,
 *                           const struct modulus *m).
 * Returns 0; or 1 if an instruction failed, and z is as before.  z may be x, which is below m.
 *
 * digits are the exponent's, below 16, highest first, and end with a negative one.  table has room
 * for 17 LIMBS words, and begins at a multiple of 128 bytes; the caller clears both.
 *
 * N and A stay in their registers (mont_t4.h) from the first product to the last.  The words at
 * one place of all 16 powers are neighbours in the table.  A look-up reads all of them with two
 * block loads, whatever the digit, and the digit's bits, as condition codes, move one of each two
 * along.  With 5 bits a look-up would take as many instructions more as it saves cycles of montmul,
 * or more.  Behind the powers is x in Montgomery's form.
 *
 * %g1 an operand     %g4 table     %g5 the next power of the table, the next digit
 * %o4 of W0: a digit     %f0-%f16, and doubles that A does not need: the look-up */

#include "mont_t4.h"

#define BLOCKS 0xf0 /* address space of block loads */
#define STRIDE 128

/* Word \at of the power at \base. */
        .macro  scatter base, at, reg
        .if     (\at) < .Llimbs
        stx     \reg, [\base + STRIDE * (\at)]
        .endif
        .endm
        .macro  scatter_double base, at, reg
        .if     (\at) < .Llimbs
        std     \reg, [\base + STRIDE * (\at)]
        .endif
        .endm
/* Word \at of 1. */
        .macro  one base, at, reg
        .if     (\at) == 0
        mov     1, \reg
        .elseif (\at) < .Llimbs
        clr     \reg
        .endif
        .endm

/* Half of the powers. */
        .macro  block half, at, reg
        ldda    [%g4 + STRIDE * (\at) + 64 * \half] %asi, \reg
        .endm
/* The first of eight doubles becomes the one that the digit's bits 0-2 name. */
        .macro  among_eight a, b, c, d, e, f, g, h, begun=0
        .if     \begun == 0
        fmovdcs %icc, %f\b, %f\a
        .endif
        fmovdcs %icc, %f\d, %f\c
        fmovdcs %icc, %f\f, %f\e
        fmovdcs %icc, %f\h, %f\g
        fmovdvs %icc, %f\c, %f\a
        fmovdvs %icc, %f\g, %f\e
        fmovde  %icc, %f\e, %f\a
        .endm
/* %f0 becomes word \at of the power that the digit names.  Up to 16 limbs leave %f32 free. */
        .macro  choose at, begun
        .if     \begun == 0
        block   0, \at, %f0
        .endif
        .if     .Llimbs <= 16
        block   1, \at, %f32
        among_eight 0, 2, 4, 6, 8, 10, 12, 14, \begun
        among_eight 32, 34, 36, 38, 40, 42, 44, 46
        fmovdneg %icc, %f32, %f0
        .else
        among_eight 0, 2, 4, 6, 8, 10, 12, 14, \begun
        fmovd   %f0, %f16
        block   1, \at, %f0
        among_eight 0, 2, 4, 6, 8, 10, 12, 14
        fmovdpos %icc, %f16, %f0
        .endif
        .endm
        .macro  gather base, at, reg
        .if     (\at) < .Llimbs
        choose  (\at), 0
        movdtox %f0, \reg
        .endif
        .endm
/* The same where the first two instructions for word 0 were executed. */
        .macro  gather_begun base, at, reg
        .if     (\at) == 0
        choose  (\at), 1
        movdtox %f0, \reg
        .else
        gather  \base, \at, \reg
        .endif
        .endm

        .macro  leave_to_w5
        .rept   5
        restore
        .endr
        .endm
        .macro  store_power
        locals  scatter, %g5, 0
        outs    scatter, %g5, 8
        doubles scatter_double, %g5
        .endm
        .macro  square
        montsqr .Llimbs-1
        fbu,pn  %fcc3, 9f
        .endm
        .macro  multiply
        montmul .Llimbs-1
        fbu,pn  %fcc3, 9f
        .endm
/* From W2 to W0, with 1 as B. */
        .macro  enter_one
        outs    one, %g0, 0
        save    %sp, -FRAME, %sp
        locals  one, %g0, 6
        outs    one, %g0, 14
        save    %sp, -FRAME, %sp
        locals  one, %g0, 20
        four    one, %g0, 28, o
        .endm

        .macro  power limbs
        .set    .Llimbs, \limbs
        .align  32
        .globl  mont_power_t4_\limbs
        .hidden mont_power_t4_\limbs
        .type   mont_power_t4_\limbs, #function
mont_power_t4_\limbs:
        save    %sp, -FRAME, %sp
        wr      %g0, BLOCKS, %asi
        mov     %i1, %g4
        ldd     [%i4 + MODULUS_M0], %f60
        ldx     [%i4 + MODULUS_M], %g5
        ldx     [%i4 + MODULUS_R2], %g1
        load_a  %i3
        enter_n %g5
        enter_b %g1
        add     %g4, 8, %g5
        multiply                        ! x in Montgomery's form
         nop
        leave_to_w5
        set     STRIDE * .Llimbs, %g1
        add     %g4, %g1, %g1
        locals  store, %g1, 0
        outs    store, %g1, 8
        doubles store_double, %g1
1:      store_power
        add     %g5, 8, %g5
        andcc   %g5, STRIDE - 1, %g0
        be,pn   %xcc, 2f
         save   %sp, -FRAME, %sp
        save    %sp, -FRAME, %sp
        save    %sp, -FRAME, %sp
        enter_b %g1
        multiply
         nop
        leave_to_w5
        ba,a,pt %xcc, 1b
2:      restore
        ldx     [%i4 + MODULUS_R2], %g1
        load_a  %g1
        save    %sp, -FRAME, %sp
        save    %sp, -FRAME, %sp
        save    %sp, -FRAME, %sp
        enter_one
        multiply                        ! 1 in Montgomery's form
         mov    %g4, %g5
        leave_to_w5
        store_power
        ldub    [%i2], %g1
        add     %i2, 1, %g5
        wr      %g1, 0, %ccr
        .rept   4
        save    %sp, -FRAME, %sp
        .endr
        block   0, 0, %f0
        fmovdcs %icc, %f2, %f0
3:      ins     gather_begun, %g4, 0    ! W1
        locals  gather, %g4, 6
        outs    gather, %g4, 14
        save    %sp, -FRAME, %sp
        locals  gather, %g4, 20
        four    gather, %g4, 28, o
        multiply
         ldsb   [%g5], %o4
        brlz,pn %o4, 4f
         add    %g5, 1, %g5
        square
         wr     %o4, 0, %ccr
        square
         block  0, 0, %f0
        square
         fmovdcs %icc, %f2, %f0
        montsqr .Llimbs-1
        fbo,a,pt %fcc3, 3b
         restore
        ba,a,pt %xcc, 9f
4:      restore                         ! W1
        restore                         ! W2
        enter_one
        multiply
         nop
        ba,pt   %xcc, 8f
         clr    %g4
9:      mov     1, %g4
8:      wr      %g0, 0, %ccr
        clr     %g1
        clr     %g5
        .irp    i, 0, 2, 4, 6, 8, 10, 12, 14, 16
        fzero   %f\i
        .endr
        return_cleared
        .size   mont_power_t4_\limbs, . - mont_power_t4_\limbs
        .endm

        .text
        power   8
        power   16
        power   24
        power   32
        .section .note.GNU-stack, "", %progbits

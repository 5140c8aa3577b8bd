/* SPDX-License-Identifier: Apache-2.0 */
/* z = x^(2^squarings) * y modulo m, all in Montgomery's form, for moduli of 8, 16, 24 or 32 limbs:
 *   int mont_run_t4_LIMBS(uint64_t *z, const uint64_t *x, unsigned squarings, const uint64_t *y,
 *                         const struct modulus *m).
 * Returns 0; or 1 if an instruction failed, and z is as before.  x and y are below m; z may be x or
 * y.
 *
 * %g1 y     %g4 squarings left, the result     %g5 m */

#include "mont_t4.h"

        .macro  run limbs
        .set    .Llimbs, \limbs
        .align  32
        .globl  mont_run_t4_\limbs
        .hidden mont_run_t4_\limbs
        .type   mont_run_t4_\limbs, #function
mont_run_t4_\limbs:
        save    %sp, -FRAME, %sp
        mov     %i3, %g1
        srl     %i2, 0, %g4
        ldx     [%i4 + MODULUS_M], %g5
        ldd     [%i4 + MODULUS_M0], %f60
        load_a  %i1
        enter_n %g5
        enter_b %g1
        brz,pn  %g4, 2f
         nop
1:      montsqr \limbs-1
        fbu,pn  %fcc3, 3f
         sub    %g4, 1, %g4
        brnz,pt %g4, 1b
         nop
2:      montmul \limbs-1
        fbu,pn  %fcc3, 3f
         nop
        ba,pt   %xcc, 4f
         clr    %g4
3:      mov     1, %g4
4:      return_cleared
        .size   mont_run_t4_\limbs, . - mont_run_t4_\limbs
        .endm

        .text
        run     8
        run     16
        run     24
        run     32
        .section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: Apache-2.0 */
/* unsigned call_and_compare(fn, args[6]): the number of registers that fn changed of what the
 * 64-bit ABI makes it keep, and a leaf function has before it: %l0-%l7, %i0-%i7, %sp, %g7.  %g6 is
 * the system's, and glibc's memcpy for Niagara changes it.
 * In: %o0 fn, %o1 args. Out: %o0. */
#define BIAS 2047
#define FRAME 224
#define SAVED(n) [%fp + BIAS - 8 * (n)]

/* A value that nothing else has. */
        .macro  pattern register, n
        sethi   %hi(0xb0b0b000), \register
        or      \register, 0x100 + \n, \register
        sllx    \register, 32, %g5
        or      \register, %g5, \register
        .endm
/* Counts a register that differs from %g1. */
        .macro  compare register
        xor     \register, %g1, %g4
        movrnz  %g4, 1, %g4
        add     %o0, %g4, %o0
        .endm

        .register %g7, #ignore
        .text
        .globl  call_and_compare
        .type   call_and_compare, #function
call_and_compare:
        save    %sp, -FRAME, %sp
        stx     %i0, SAVED(1)
        stx     %i1, SAVED(2)
        stx     %i7, SAVED(3)
        stx     %g7, SAVED(4)
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        pattern %l\n, \n
        .endr
        .irp    n, 2, 3, 4, 5
        pattern %i\n, 8 + \n
        .endr
        mov     %i0, %g1
        ldx     [%i1 + 0], %o0
        ldx     [%i1 + 8], %o1
        ldx     [%i1 + 16], %o2
        ldx     [%i1 + 24], %o3
        ldx     [%i1 + 32], %o4
        call    %g1
         ldx    [%i1 + 40], %o5
        clr     %o0
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        pattern %g1, \n
        compare %l\n
        .endr
        .irp    n, 2, 3, 4, 5
        pattern %g1, 8 + \n
        compare %i\n
        .endr
        ldx     SAVED(1), %g1
        compare %i0
        ldx     SAVED(2), %g1
        compare %i1
        ldx     SAVED(3), %g1
        compare %i7
        ldx     SAVED(4), %g1
        compare %g7
        add     %sp, FRAME, %g1
        compare %fp
        ldx     SAVED(3), %i7
        ret
         restore %g0, %o0, %o0
        .size   call_and_compare, .-call_and_compare

/* void clobber_three(void): changes %l0, %l7 and %i3: the checker must see three. */
        .globl  clobber_three
        .type   clobber_three, #function
clobber_three:
        add     %l0, 1, %l0
        add     %i3, 1, %i3
        retl
         sub    %l7, 1, %l7
        .size   clobber_three, .-clobber_three
        .section .note.GNU-stack, "", %progbits

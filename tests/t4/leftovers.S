/* SPDX-License-Identifier: Apache-2.0 */
/* void call_and_look(fn, const uintptr_t args[6], uint64_t seen[42]): calls fn, and writes to
 * `seen` what it leaves in registers that its caller can read, %o0-%o7, %g1, %g4, %g5; of its own
 * window, which the next save enters, %l0-%l7, %o0-%o5, %o7; and the 16 doublewords of stack where
 * a trap puts %l and %i. */
#define BIAS 2047
#define FRAME 176

        .text
        .globl  call_and_look
        .type   call_and_look, #function
call_and_look:
        save    %sp, -FRAME, %sp
        save    %sp, -FRAME, %sp        ! what was there before is not fn's
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        clr     %l\n
        .endr
        .irp    n, 0, 1, 2, 3, 4, 5, 7
        clr     %o\n
        .endr
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        stx     %g0, [%sp + BIAS + 8 * \n]
        .endr
        restore
        clr     %g4
        clr     %g5
        mov     %i0, %g1
        ldx     [%i1 + 0], %o0
        ldx     [%i1 + 8], %o1
        ldx     [%i1 + 16], %o2
        ldx     [%i1 + 24], %o3
        ldx     [%i1 + 32], %o4
        call    %g1
         ldx    [%i1 + 40], %o5
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        stx     %o\n, [%i2 + 8 * \n]
        .endr
        stx     %g1, [%i2 + 64]
        stx     %g4, [%i2 + 72]
        stx     %g5, [%i2 + 80]
        mov     %i2, %o5
        save    %sp, -FRAME, %sp
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        stx     %l\n, [%i5 + 88 + 8 * \n]
        .endr
        .irp    n, 0, 1, 2, 3, 4, 5
        stx     %o\n, [%i5 + 152 + 8 * \n]
        .endr
        stx     %o7, [%i5 + 200]
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        ldx     [%sp + BIAS + 8 * \n], %l0
        stx     %l0, [%i5 + 208 + 8 * \n]
        .endr
        restore
        ret
         restore
        .size   call_and_look, .-call_and_look

/* A kernel that leaves a word of its key in a local, an out, a global and on its stack. */
        .globl  leaves_four
        .type   leaves_four, #function
leaves_four:
        save    %sp, -FRAME, %sp
        ldx     [%i3], %l5
        mov     %l5, %o7
        mov     %l5, %g4
        stx     %l5, [%sp + BIAS + 8 * 9]
        ret
         restore %g0, 0, %o0
        .size   leaves_four, .-leaves_four
        .section .note.GNU-stack, "", %progbits

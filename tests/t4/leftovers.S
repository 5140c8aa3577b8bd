/* SPDX-License-Identifier: Apache-2.0 */
/* void call_and_look(fn, const uintptr_t args[6], uint64_t seen[26 + 128]): calls fn, and writes to
 * `seen` what it leaves in registers that its caller can read, %o0-%o7, %g1, %g4, %g5; of its own
 * window, which the next save enters, %l0-%l7, %o0-%o5, %o7; and the 1024 bytes of stack below its
 * caller's %sp, which hold a pattern before the call. */
#define BIAS 2047
#define FRAME 176
#define BELOW 1024
#define PATTERN 0x5a5

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
        restore
        mov     PATTERN, %l0
        add     %sp, BIAS - BELOW, %l1
        mov     BELOW, %l2
1:      subcc   %l2, 8, %l2
        bne,pt  %xcc, 1b
         stx    %l0, [%l1 + %l2]
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
        add     %sp, BIAS - BELOW, %l1
        add     %i2, 208, %l3
        mov     BELOW, %l2
1:      subcc   %l2, 8, %l2
        ldx     [%l1 + %l2], %l0
        bne,pt  %xcc, 1b
         stx    %l0, [%l3 + %l2]
        mov     %i2, %o5
        save    %sp, -FRAME, %sp
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        stx     %l\n, [%i5 + 88 + 8 * \n]
        .endr
        .irp    n, 0, 1, 2, 3, 4, 5
        stx     %o\n, [%i5 + 152 + 8 * \n]
        .endr
        stx     %o7, [%i5 + 200]
        restore
        ret
         restore
        .size   call_and_look, .-call_and_look

/* A kernel that leaves a word of its key in a local, an out, a global, where a trap puts its
 * window, and at the end of a large frame. */
        .globl  leaves_five
        .type   leaves_five, #function
leaves_five:
        save    %sp, -(FRAME + 384), %sp
        ldx     [%i3], %l5
        mov     %l5, %o7
        mov     %l5, %g4
        stx     %l5, [%sp + BIAS + 8 * 9]
        stx     %l5, [%sp + BIAS + FRAME + 376]
        ret
         restore %g0, 0, %o0
        .size   leaves_five, .-leaves_five
        .section .note.GNU-stack, "", %progbits

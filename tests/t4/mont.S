/* SPDX-License-Identifier: Apache-2.0 */
/* void mont_call_and_look(fn, const uintptr_t args[5], uint64_t seen[257]): calls fn, and writes to
 * `seen` what it leaves: in %g1, %ccr, %g4, %g5, %o0-%o5; in the 1056 bytes of stack below its
 * caller's %sp, six frames, which hold a pattern before the call; in %f0-%f22 and %f24-%f60; and in
 * %l0-%l7, %o0-%o5 of the six windows that a callee's saves enter. */
#define BIAS 2047
#define FRAME 176
#define BELOW (6 * FRAME)
#define PATTERN 0x5a5

        .macro  locals_outs todo
        .irp    r, l0, l1, l2, l3, l4, l5, l6, l7, o0, o1, o2, o3, o4, o5
        \todo   %\r
        .endr
        .endm
        .macro  put reg
        stx     \reg, [%g1]
        add     %g1, 8, %g1
        .endm
        .macro  windows todo
        .irp    n, 1, 2, 3, 4, 5, 6
        save    %sp, -FRAME, %sp
        locals_outs \todo
        .endr
        .irp    n, 1, 2, 3, 4, 5, 6
        restore
        .endr
        .endm
        .macro  doubles op
        .irp    n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22
        \op     %f\n
        .endr
        .irp    n, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60
        \op     %f\n
        .endr
        .endm
        .macro  putd reg
        std     \reg, [%g1]
        add     %g1, 8, %g1
        .endm

        .text
        .globl  mont_call_and_look
        .type   mont_call_and_look, #function
mont_call_and_look:
        save    %sp, -FRAME, %sp
        windows clr
        mov     PATTERN, %l0
        add     %sp, BIAS - BELOW, %l1
        mov     BELOW, %l2
1:      subcc   %l2, 8, %l2
        bne,pt  %xcc, 1b
         stx    %l0, [%l1 + %l2]
        doubles fzero
        clr     %g4
        clr     %g5
        mov     %i0, %g1
        ldx     [%i1 + 0], %o0
        ldx     [%i1 + 8], %o1
        ldx     [%i1 + 16], %o2
        ldx     [%i1 + 24], %o3
        call    %g1
         ldx    [%i1 + 32], %o4
        stx     %g1, [%i2]
        rd      %ccr, %g1
        stx     %g1, [%i2 + 8]
        add     %i2, 16, %g1
        .irp    r, g4, g5, o0, o1, o2, o3, o4, o5
        put     %\r
        .endr
        add     %sp, BIAS - BELOW, %l1
        mov     BELOW, %l2
1:      subcc   %l2, 8, %l2
        ldx     [%l1 + %l2], %l0
        stx     %l0, [%g1]
        bne,pt  %xcc, 1b
         add    %g1, 8, %g1
        doubles putd
        windows put
        ret
         restore
        .size   mont_call_and_look, .-mont_call_and_look

/* A kernel that leaves a word of x in a global, a local, an out, where a trap puts a window, and in
 * a double. */
        .globl  mont_leaves_five
        .type   mont_leaves_five, #function
mont_leaves_five:
        ldx     [%o1], %g4
        ldd     [%o1], %f58
        save    %sp, -FRAME, %sp
        save    %sp, -FRAME, %sp
        save    %sp, -FRAME, %sp
        mov     %g4, %l3
        save    %sp, -FRAME, %sp
        mov     %g4, %o2
        stx     %g4, [%sp + BIAS + 8]
        restore
        restore
        restore
        restore
        retl
         nop
        .size   mont_leaves_five, .-mont_leaves_five
        .section .note.GNU-stack, "", %progbits

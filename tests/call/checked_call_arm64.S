/* SPDX-License-Identifier: Apache-2.0 */
/* uint64_t call_and_compare(fn, args[6]): the number of registers that fn changed of what AAPCS64
 * section 6.1 makes it keep: x19-x28 and the low halves of v8-v15.
 * In: x0 fn, x1 args. Out: x0. */
        .text
        .globl  call_and_compare
        .type   call_and_compare, %function
call_and_compare:
        stp     x29, x30, [sp, #-176]!
        mov     x29, sp
        stp     x19, x20, [sp, #16]
        stp     x21, x22, [sp, #32]
        stp     x23, x24, [sp, #48]
        stp     x25, x26, [sp, #64]
        stp     x27, x28, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        mov     x16, x0
        mov     x17, x1
        .irp    n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
        movz    x\n, #0xb0b0, lsl #48
        movk    x\n, #\n
        .endr
        .irp    n, 8, 9, 10, 11, 12, 13, 14, 15
        movz    x9, #0xd0d0, lsl #48
        movk    x9, #\n
        fmov    d\n, x9
        .endr
        ldp     x0, x1, [x17]
        ldp     x2, x3, [x17, #16]
        ldp     x4, x5, [x17, #32]
        blr     x16
        mov     x0, #0
        .irp    n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
        movz    x9, #0xb0b0, lsl #48
        movk    x9, #\n
        cmp     x9, x\n
        cinc    x0, x0, ne
        .endr
        .irp    n, 8, 9, 10, 11, 12, 13, 14, 15
        movz    x9, #0xd0d0, lsl #48
        movk    x9, #\n
        fmov    x10, d\n
        cmp     x9, x10
        cinc    x0, x0, ne
        .endr
        ldp     x19, x20, [sp, #16]
        ldp     x21, x22, [sp, #32]
        ldp     x23, x24, [sp, #48]
        ldp     x25, x26, [sp, #64]
        ldp     x27, x28, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        ldp     x29, x30, [sp], #176
        ret
        .size   call_and_compare, .-call_and_compare

/* void clobber_three(void): changes x19, x28 and d8: the checker must see three. */
        .globl  clobber_three
        .type   clobber_three, %function
clobber_three:
        add     x19, x19, #1
        add     x28, x28, #1
        fmov    d8, xzr
        ret
        .size   clobber_three, .-clobber_three
        .section .note.GNU-stack, "", %progbits

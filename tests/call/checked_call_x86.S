/* SPDX-License-Identifier: Apache-2.0 */
/* uint64_t call_and_compare(fn, args[6]): the number of things that fn changed of what the
 * System V ABI (AMD64 psABI section 3.2.1) makes it keep: rbx, rbp, r12-r15, the control bits of
 * MXCSR, the x87 control word, the direction flag; a wrong rsp crashes on the way back.
 * In: rdi fn, rsi args. Out: rax. */
        .text
        .globl  call_and_compare
        .type   call_and_compare, @function
call_and_compare:
        endbr64
        push    %rbx
        push    %rbp
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        sub     $24, %rsp
        stmxcsr (%rsp)
        fnstcw  8(%rsp)
        mov     %rdi, %rax
        mov     %rsi, %r10
        mov     (%r10), %rdi
        mov     8(%r10), %rsi
        mov     16(%r10), %rdx
        mov     24(%r10), %rcx
        mov     32(%r10), %r8
        mov     40(%r10), %r9
        movabs  $0x1b0bb10b1b0bb10b, %rbx
        movabs  $0x2b0bb20b2b0bb20b, %rbp
        movabs  $0x3b0bb30b3b0bb30b, %r12
        movabs  $0x4b0bb40b4b0bb40b, %r13
        movabs  $0x5b0bb50b5b0bb50b, %r14
        movabs  $0x6b0bb60b6b0bb60b, %r15
        call    *%rax
        xor     %eax, %eax
        .macro  compare reg, value
        movabs  $\value, %rcx
        xor     %edx, %edx
        cmp     %rcx, \reg
        setne   %dl
        add     %rdx, %rax
        .endm
        compare %rbx, 0x1b0bb10b1b0bb10b
        compare %rbp, 0x2b0bb20b2b0bb20b
        compare %r12, 0x3b0bb30b3b0bb30b
        compare %r13, 0x4b0bb40b4b0bb40b
        compare %r14, 0x5b0bb50b5b0bb50b
        compare %r15, 0x6b0bb60b6b0bb60b
        stmxcsr 4(%rsp)
        mov     4(%rsp), %ecx
        xor     (%rsp), %ecx
        xor     %edx, %edx
        and     $0xffc0, %ecx           /* below are the sticky status flags */
        setne   %dl
        add     %rdx, %rax
        fnstcw  12(%rsp)
        movzwl  12(%rsp), %ecx
        xor     %edx, %edx
        cmp     8(%rsp), %cx
        setne   %dl
        add     %rdx, %rax
        pushf
        pop     %rcx
        cld
        shr     $10, %ecx               /* DF */
        and     $1, %ecx
        add     %rcx, %rax
        add     $24, %rsp
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbp
        pop     %rbx
        ret
        .size   call_and_compare, .-call_and_compare

/* void clobber_three(void): changes rbx, r12 and the direction flag: the checker must see three. */
        .globl  clobber_three
        .type   clobber_three, @function
clobber_three:
        endbr64
        inc     %rbx
        inc     %r12
        std
        ret
        .size   clobber_three, .-clobber_three
        .section .note.GNU-stack, "", @progbits

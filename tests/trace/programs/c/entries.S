# SPDX-License-Identifier: Apache-2.0
#
# Functions whose entries are hard for a probe.  Each encrypts one block in place by four rounds of
# zero keys: void f(void *block).  Those that return a value return whether the stack below them is
# as they left it.

        .text

        .macro  ROUNDS
        pxor    %xmm1, %xmm1
        movdqu  (%rdi), %xmm0
        mov     $3, %ecx
1:      aesenc  %xmm1, %xmm0
        dec     %ecx
        jnz     1b
        aesenclast %xmm1, %xmm0
        movdqu  %xmm0, (%rdi)
        .endm

        .macro  FUNCTION name
        .balign 64
        .globl  \name
        .type   \name, @function
\name:
        .ifndef NO_UNWIND_TABLES
        .cfi_startproc
        .endif
        .endm

        .macro  END name
        .ifndef NO_UNWIND_TABLES
        .cfi_endproc
        .endif
        .size   \name, . - \name
        .endm

# A 5-byte nop, which the kernel replaces by a call when it is probed: that writes below the stack
# pointer, where this function's caller has left a value (keeps_red_zone jumps here).
FUNCTION aes_five_byte_nop
        .byte   0x0f, 0x1f, 0x44, 0x00, 0x00
        ROUNDS
        ret
END aes_five_byte_nop

FUNCTION aes_red_zone
        movabs  $0x0123456789abcdef, %rax
        mov     %rax, -8(%rsp)
        mov     %rax, -64(%rsp)
        mov     %rax, -128(%rsp)
        .byte   0x0f, 0x1f, 0x44, 0x00, 0x00
        ROUNDS
        cmp     %rax, -8(%rsp)
        jne     2f
        cmp     %rax, -64(%rsp)
        jne     2f
        cmp     %rax, -128(%rsp)
        jne     2f
        mov     $1, %eax
        ret
2:      xor     %eax, %eax
        ret
END aes_red_zone

# Instructions on which a probe silently never fires.
FUNCTION aes_vpxor
        vpxor   %xmm2, %xmm2, %xmm2
        vpxor   %xmm3, %xmm3, %xmm3
        ROUNDS
        ret
END aes_vpxor

FUNCTION aes_vmovdqu
        vmovdqu (%rdi), %ymm4
        vmovdqu (%rdi), %xmm4
        vzeroupper
        ROUNDS
        ret
END aes_vmovdqu

# What a probe is placed on first of all: emulated by the kernel.
FUNCTION aes_push
        push    %rbx
        xor     %ebx, %ebx
        ROUNDS
        pop     %rbx
        ret
END aes_push

# A dispatcher that jumps past the entry of a function into its body.
FUNCTION aes_behind_dispatcher
        test    %rdi, %rdi
        jz      3f
.Lbody: ROUNDS
3:      ret
END aes_behind_dispatcher

FUNCTION dispatcher
        jmp     .Lbody
END dispatcher

# A loop that begins with the very first instruction: a probe there counts turns, not calls.
FUNCTION aes_loop_at_entry
        movdqu  (%rdi), %xmm0
        aesenc  %xmm0, %xmm0
        aesenclast %xmm0, %xmm0
        movdqu  %xmm0, (%rdi)
        sub     $1, %esi
        jnz     aes_loop_at_entry
        ret
END aes_loop_at_entry

        .section .note.GNU-stack, "", @progbits

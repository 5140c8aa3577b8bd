# SPDX-License-Identifier: Apache-2.0
#
# Functions to be counted: void f(void *block, const void *, size_t num).  Each holds AESENC.

        .text

        .macro  FUNCTION name
        .balign 64
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        .endm

        .macro  END name
        aesenc  %xmm0, %xmm0
        ret
        .cfi_endproc
        .size   \name, . - \name
        .endm

# Called once a message, by its name; the third argument counts bytes.
FUNCTION aesni_cbc_encrypt
        test    %rdx, %rdx
        jz      1f
        pxor    %xmm1, %xmm1
1:
END aesni_cbc_encrypt

# Leaves of unknown level, on an instruction that the kernel emulates.
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
FUNCTION leaf_\i
        push    %rbx
        pop     %rbx
END leaf_\i
        .endr

# Jumps into other functions by what num is: 1: fast_path, 2: behind the beginning of side_path;
# any other: its own code.
FUNCTION dispatcher
        cmp     $1, %rdx
        je      fast_path
        cmp     $2, %rdx
        je      .Lside
        push    %rbx
        pop     %rbx
END dispatcher

FUNCTION fast_path
        push    %rbx
        pop     %rbx
END fast_path

FUNCTION side_path
        mov     %rdi, %rax
.Lside: push    %rbx
        pop     %rbx
END side_path

# A part of it lies elsewhere and comes back: one call.
FUNCTION with_part
        push    %rbx
        test    %rdx, %rdx
        jnz     part_of_it
.Lback: pop     %rbx
END with_part

FUNCTION part_of_it
        mov     %rdi, %rax
        jmp     .Lback
END part_of_it

# Its own beginning is a loop.
FUNCTION loop_at_entry
        aesenc  %xmm0, %xmm0
        dec     %rdx
        jnz     loop_at_entry
END loop_at_entry

# The argument is gone where the probe is: calls, but no bytes.
FUNCTION aesni_ecb_encrypt
        xor     %edx, %edx
        push    %rbx
        pop     %rbx
END aesni_ecb_encrypt

        .section .note.GNU-stack, "", @progbits

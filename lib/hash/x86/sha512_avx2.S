/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses num_blocks blocks into `state` by SHA-512's compression function (FIPS 180-4 section
 * 6.4.2):
 *   void sha512_blocks_avx2(void *state, const uint8_t *in, size_t num_blocks).
 * `state` is aligned for its words; `in` may have any alignment, and must not overlap `state`.
 *
 * The rounds run in general registers (BMI2 RORX).  The message schedule of two blocks is computed
 * in vectors during the rounds of the first; the second one's rounds find it ready.  A single block
 * takes the same way, with itself in the place of the second.
 *
 * A round's 22 additions, rotations and logical operations take 5.5 cycles of a CPU that executes
 * four a cycle, and that bounds it.  So a round adds h + word + constant + Ch + Sigma1 once, for e
 * and a, although the chain from e to the next e then has an addition more than in sha2_rounds.h,
 * and Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b takes b ^ c from the round before.  The order of the
 * instructions was found by a random search on a Zen 4: it takes 6.1 cycles, others up to 7.1.
 *
 * Registers: rax, rbx, rcx, rdx, r8-r11 a-h; rbp, r15 a ^ b and b ^ c; r12, r13 temporary; rsi the
 * words of these sixteen rounds, r14 of the next ones; rdi constants.  ymm0-ymm7 the window of the
 * last 16 words, two of each block in a vector; ymm8-ymm14 temporary; ymm15 byte order. */
#include <cet.h>

/* The stack: words plus constants of all 80 rounds, or of 16 if there is a single block; then
 * variables. */
#define ROUNDS16_LEN 256
#define WORDS_LEN (5 * ROUNDS16_LEN)
#define OLD_RSP WORDS_LEN(%rsp)
#define STATE (WORDS_LEN + 8)(%rsp)
#define IN (WORDS_LEN + 16)(%rsp)
#define LEFT (WORDS_LEN + 24)(%rsp)
#define COUNT (WORDS_LEN + 32)(%rsp)
#define SECOND (WORDS_LEN + 40)(%rsp)
#define USED (WORDS_LEN + 48)(%rsp)
#define FRAME_LEN (WORDS_LEN + 64)

/* The n-th of ten pieces that compute the next two words of the schedule, which replace vector w:
 * W(t) = W(t-16) + sigma0(W(t-15)) + W(t-7) + sigma1(W(t-2)).  w1 to w7 are the vectors after it,
 * in a circle. */
        .macro PIECE n w w1 w4 w5 w7
        .if \n == 0
        vpalignr $8, %ymm\w, %ymm\w1, %ymm8
        vpalignr $8, %ymm\w4, %ymm\w5, %ymm9
        vpsrlq  $19, %ymm\w7, %ymm10
        .elseif \n == 1
        vpsllq  $45, %ymm\w7, %ymm11
        vpaddq  %ymm9, %ymm\w, %ymm\w
        vpsrlq  $1, %ymm8, %ymm12
        .elseif \n == 2
        vpsrlq  $61, %ymm\w7, %ymm13
        vpxor   %ymm11, %ymm10, %ymm10
        .elseif \n == 3
        vpsllq  $63, %ymm8, %ymm9
        vpsllq  $3, %ymm\w7, %ymm14
        .elseif \n == 4
        vpshufb %ymm15, %ymm8, %ymm11
        vpxor   %ymm13, %ymm10, %ymm10
        .elseif \n == 5
        vpsrlq  $7, %ymm8, %ymm8
        vpxor   %ymm14, %ymm10, %ymm10
        .elseif \n == 6
        vpsrlq  $6, %ymm\w7, %ymm13
        vpxor   %ymm12, %ymm9, %ymm9
        .elseif \n == 7
        vpxor   %ymm11, %ymm8, %ymm8
        vpxor   %ymm13, %ymm10, %ymm10
        .elseif \n == 8
        vpxor   %ymm9, %ymm8, %ymm8
        vpaddq  %ymm10, %ymm\w, %ymm\w
        vbroadcasti128 16*\w(%rdi), %ymm13
        .elseif \n == 9
        vpaddq  %ymm8, %ymm\w, %ymm\w
        vpaddq  %ymm\w, %ymm13, %ymm13
        vmovdqa %ymm13, 32*\w(%r14)
        .endif
        .endm

        .macro NOTHING n w w1 w4 w5 w7
        .endm

/* One round with the word at `word`, and the pieces `from` to `from` + 4 of `more`. */
        .macro ROUND a b c d e f g h ab bc word more from w w1 w4 w5 w7
        \more   (\from), \w, \w1, \w4, \w5, \w7
        rorx    $18, \e, %r13
        mov     \f, \ab
        xor     \g, \ab
        rorx    $14, \e, %r12
        add     \word(%rsi), \h
        \more   (\from + 1), \w, \w1, \w4, \w5, \w7
        xor     %r13, %r12
        rorx    $41, \e, %r13
        and     \e, \ab
        xor     \g, \ab
        xor     %r13, %r12
        \more   (\from + 2), \w, \w1, \w4, \w5, \w7
        add     \ab, \h
        mov     \a, \ab
        xor     \b, \ab
        add     %r12, \h
        add     \h, \d
        \more   (\from + 3), \w, \w1, \w4, \w5, \w7
        rorx    $28, \a, %r12
        rorx    $34, \a, %r13
        and     \ab, \bc
        xor     %r13, %r12
        rorx    $39, \a, %r13
        \more   (\from + 4), \w, \w1, \w4, \w5, \w7
        xor     \b, \bc
        xor     %r13, %r12
        add     \bc, \h
        add     %r12, \h
        .endm

        .macro ROUNDS2 a b c d e f g h more w w1 w4 w5 w7
        ROUND   \a, \b, \c, \d, \e, \f, \g, \h, %r15, %rbp, 32*\w, \more, 0, \w, \w1, \w4, \w5, \w7
        ROUND   \h, \a, \b, \c, \d, \e, \f, \g, %rbp, %r15, 32*\w+8,\more, 5, \w, \w1, \w4, \w5, \w7
        .endm

        .macro ROUNDS16 more
        ROUNDS2 %rax, %rbx, %rcx, %rdx, %r8, %r9, %r10, %r11, \more, 0, 1, 4, 5, 7
        ROUNDS2 %r10, %r11, %rax, %rbx, %rcx, %rdx, %r8, %r9, \more, 1, 2, 5, 6, 0
        ROUNDS2 %r8, %r9, %r10, %r11, %rax, %rbx, %rcx, %rdx, \more, 2, 3, 6, 7, 1
        ROUNDS2 %rcx, %rdx, %r8, %r9, %r10, %r11, %rax, %rbx, \more, 3, 4, 7, 0, 2
        ROUNDS2 %rax, %rbx, %rcx, %rdx, %r8, %r9, %r10, %r11, \more, 4, 5, 0, 1, 3
        ROUNDS2 %r10, %r11, %rax, %rbx, %rcx, %rdx, %r8, %r9, \more, 5, 6, 1, 2, 4
        ROUNDS2 %r8, %r9, %r10, %r11, %rax, %rbx, %rcx, %rdx, \more, 6, 7, 2, 3, 5
        ROUNDS2 %rcx, %rdx, %r8, %r9, %r10, %r11, %rax, %rbx, \more, 7, 0, 3, 4, 6
        .endm

/* Loads vector i of the blocks at r12 and r13, and stores it plus its constants. */
        .macro LOAD i
        vmovdqu 16*\i(%r12), %xmm\i
        vinserti128 $1, 16*\i(%r13), %ymm\i, %ymm\i
        vbroadcasti128 16*\i(%rdi), %ymm9
        vpshufb %ymm8, %ymm\i, %ymm\i
        vpaddq  %ymm\i, %ymm9, %ymm9
        vmovdqa %ymm9, 32*\i(%rsp)
        .endm

        .macro ADD_STATE word at
        add     8*\at(%rdi), \word
        mov     \word, 8*\at(%rdi)
        .endm

        .text
        .globl  sha512_blocks_avx2
        .hidden sha512_blocks_avx2
        .type   sha512_blocks_avx2, @function
        .p2align 6
sha512_blocks_avx2:
        .cfi_startproc
        _CET_ENDBR
        test    %rdx, %rdx
        jz      9f
        .irp    register, rbx, rbp, r12, r13, r14, r15
        push    %\register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     %rsp, %rax
        .cfi_def_cfa_register %rax
        sub     $FRAME_LEN, %rsp
        and     $-64, %rsp
        mov     %rax, OLD_RSP
        .cfi_escape 0x0f, 6, 0x77, 0x80, 0x0a, 0x06, 0x23, 56   /* CFA = OLD_RSP + 56 */
        mov     %rdi, STATE
        mov     %rsi, IN
        mov     %rdx, LEFT
        movq    $ROUNDS16_LEN, USED
        mov     (%rdi), %rax
        mov     8(%rdi), %rbx
        mov     16(%rdi), %rcx
        mov     32(%rdi), %r8
        mov     40(%rdi), %r9
        mov     48(%rdi), %r10
        mov     56(%rdi), %r11
        mov     24(%rdi), %rdx
        vbroadcasti128 rotate8(%rip), %ymm15

1:      /* two blocks, or the last one twice */
        mov     IN, %r12
        mov     %r12, %r13
        xor     %r14d, %r14d
        xor     %esi, %esi
        cmpq    $2, LEFT
        jb      2f
        mov     $1, %esi
        lea     128(%r12), %r13
        mov     $ROUNDS16_LEN, %r14d
        movq    $WORDS_LEN, USED
2:      mov     %rsi, SECOND
        lea     1(%rsi), %rbp
        sub     %rbp, LEFT
        shl     $7, %rbp
        add     %rbp, IN
        lea     sha512_k(%rip), %rdi
        vbroadcasti128 big_endian(%rip), %ymm8
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        LOAD    \i
        .endr
        mov     %rsp, %rsi
        add     %rsp, %r14
        mov     %rbx, %rbp
        xor     %rcx, %rbp
        movq    $4, COUNT
        .p2align 6
3:      sub     $-128, %rdi
        ROUNDS16 PIECE
        mov     %r14, %rbp
        sub     %rsi, %rbp
        mov     %r14, %rsi
        add     %rbp, %r14
        mov     %rbx, %rbp
        xor     %rcx, %rbp
        decq    COUNT
        jnz     3b
        movq    $1, COUNT
        .p2align 6
4:      ROUNDS16 NOTHING
        add     $ROUNDS16_LEN, %rsi
        decq    COUNT
        jnz     4b
        mov     STATE, %rdi
        ADD_STATE %rax, 0
        ADD_STATE %rbx, 1
        ADD_STATE %rcx, 2
        ADD_STATE %rdx, 3
        ADD_STATE %r8, 4
        ADD_STATE %r9, 5
        ADD_STATE %r10, 6
        ADD_STATE %r11, 7
        decq    SECOND
        js      5f
        lea     16(%rsp), %rsi
        mov     %rbx, %rbp
        xor     %rcx, %rbp
        movq    $5, COUNT
        jmp     4b
5:      cmpq    $0, LEFT
        jnz     1b

        vpxor   %xmm0, %xmm0, %xmm0 /* wipes the words */
        mov     USED, %rcx
6:      .irp    i, 1, 2, 3, 4, 5, 6, 7, 8
        vmovdqa %ymm0, -32*\i(%rsp, %rcx)
        .endr
        sub     $ROUNDS16_LEN, %rcx
        jnz     6b
        vzeroupper
        mov     OLD_RSP, %rsp
        .cfi_def_cfa %rsp, 56
        .irp    register, r15, r14, r13, r12, rbp, rbx
        pop     %\register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
9:      ret
        .cfi_endproc
        .size   sha512_blocks_avx2, . - sha512_blocks_avx2

        .section .rodata
        .p2align 4
big_endian:
        .byte   7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8
rotate8: /* byte order that rotates each word right by 8 bits */
        .byte   1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8
        .section .note.GNU-stack, "", @progbits

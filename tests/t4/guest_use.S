/* SPDX-License-Identifier: Apache-2.0 */
/* The T4's instructions in the forms in which an operating system's kernel and a C library call
 * them: other conventions than those of this library's own kernels. */
#define ASI_PRIMARY_LITTLE 0x88
        .text

/* CRC-32C (RFC 3720 section 12.1), the inner loop of a kernel's crypto driver:
 * void guest_crc32c(uint32_t *crc, const uint64_t *data, unsigned len), whole doublewords, len > 0.
 * crc is the register, without complements; the upper half of %f0 holds whatever it held, since
 * only the lower one is an operand. */
        .globl  guest_crc32c
        .type   guest_crc32c, #function
guest_crc32c:
        lda     [%o0] ASI_PRIMARY_LITTLE, %f1
1:      ldd     [%o1], %f2
        crc32c  %f0, %f2, %f0
        subcc   %o2, 8, %o2
        bne,pt  %icc, 1b
         add    %o1, 8, %o1
        retl
         sta    %f1, [%o0] ASI_PRIMARY_LITTLE
        .size   guest_crc32c, .-guest_crc32c

/* MD5 (RFC 1321 section 3.4), the block function behind a C library's crypt():
 * void guest_md5_process_block(const void *buffer, size_t len, struct md5_ctx *ctx), where len is a
 * multiple of 64 and not 0; ctx is four words of the state and two of the count of bytes, the lower
 * first. */
        .globl  guest_md5_process_block
        .type   guest_md5_process_block, #function
guest_md5_process_block:
        ld      [%o2 + 16], %g1         ! the count
        ld      [%o2 + 20], %g4
        sllx    %g4, 32, %g4
        or      %g1, %g4, %g1
        add     %g1, %o1, %g1
        srlx    %g1, 32, %g4
        st      %g1, [%o2 + 16]
        st      %g4, [%o2 + 20]
        add     %o2, 4, %o3
        add     %o2, 8, %o4
        add     %o2, 12, %o5
        lda     [%o2] ASI_PRIMARY_LITTLE, %f0
        lda     [%o3] ASI_PRIMARY_LITTLE, %f1
        lda     [%o4] ASI_PRIMARY_LITTLE, %f2
        lda     [%o5] ASI_PRIMARY_LITTLE, %f3
        andcc   %o0, 7, %g0
        bne,pn  %xcc, 2f
         nop
1:      ldd     [%o0 + 0x00], %f8
        ldd     [%o0 + 0x08], %f10
        ldd     [%o0 + 0x10], %f12
        ldd     [%o0 + 0x18], %f14
        ldd     [%o0 + 0x20], %f16
        ldd     [%o0 + 0x28], %f18
        ldd     [%o0 + 0x30], %f20
        ldd     [%o0 + 0x38], %f22
        md5
        subcc   %o1, 64, %o1
        bne,pt  %xcc, 1b
         add    %o0, 64, %o0
        ba,a,pt %xcc, 4f
2:      alignaddr %o0, %g0, %o0
        ldd     [%o0 + 0x00], %f10
3:      ldd     [%o0 + 0x08], %f12
        ldd     [%o0 + 0x10], %f14
        ldd     [%o0 + 0x18], %f16
        ldd     [%o0 + 0x20], %f18
        ldd     [%o0 + 0x28], %f20
        ldd     [%o0 + 0x30], %f22
        ldd     [%o0 + 0x38], %f24
        ldd     [%o0 + 0x40], %f26
        faligndata %f10, %f12, %f8
        faligndata %f12, %f14, %f10
        faligndata %f14, %f16, %f12
        faligndata %f16, %f18, %f14
        faligndata %f18, %f20, %f16
        faligndata %f20, %f22, %f18
        faligndata %f22, %f24, %f20
        faligndata %f24, %f26, %f22
        md5
        subcc   %o1, 64, %o1
        fsrc2   %f26, %f10
        bne,pt  %xcc, 3b
         add    %o0, 64, %o0
4:      sta     %f0, [%o2] ASI_PRIMARY_LITTLE
        sta     %f1, [%o3] ASI_PRIMARY_LITTLE
        sta     %f2, [%o4] ASI_PRIMARY_LITTLE
        retl
         sta    %f3, [%o5] ASI_PRIMARY_LITTLE
        .size   guest_md5_process_block, .-guest_md5_process_block
        .section .note.GNU-stack, "", %progbits

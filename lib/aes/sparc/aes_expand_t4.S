/* SPDX-License-Identifier: Apache-2.0 */
/* Key expansion, FIPS 197 section 5.2, two words at once, and the schedule of section 5.3.5 in
 * aes_key.dec, which kernels in C use.
 *
 *   void aes_expand_t4(struct aes_key *key, const uint8_t *bytes, size_t bytes_len, int decrypt);
 *
 * bytes_len is 16, 24 or 32; any alignment; bytes lie outside *key.
 *
 * Oracle SPARC Architecture 2011: let w be the two words one key length before the new ones, and p
 * the two words just before them. aes_kexpand1 w, p, i makes the first new word, w.0 ^
 * SubWord(RotWord(p.1)) ^ Rcon[i + 1], and the second, w.1 ^ the first. aes_kexpand0 is the same
 * without RotWord and Rcon (for the middle of 256-bit keys), aes_kexpand2 also without SubWord.
 *
 *   %o0 key        %o1, %o4 p and q of bytes, as in memory_t4.h    %o2 bytes_len     %o3 decrypt
 *   %o5, %g4 key bytes       %g1, %g5 shifts, offsets       %f0-%f14 words     %f16 zero */

#include "../aes_key.h"

#define WORDS(at, f)               \
        ldx     [%o1 + at], %o5;   \
        ldx     [%o4 + at], %g4;   \
        sllx    %o5, %g1, %o5;     \
        srlx    %g4, %g5, %g4;     \
        or      %o5, %g4, %o5;     \
        movxtod %o5, f;            \
        std     f, [%o0 + at]

/* STEP_n makes the next n doublewords from the last ones; i is the number of the step. */
#define STEP_2(i)                                  \
        aes_kexpand1 %f0, %f2, i, %f0;             \
        std     %f0, [%o0 + 16 * (i + 1)];         \
        aes_kexpand2 %f2, %f0, %f2;                \
        std     %f2, [%o0 + 16 * (i + 1) + 8]
#define STEP_3_BEGIN(i)                            \
        aes_kexpand1 %f0, %f4, i, %f0;             \
        std     %f0, [%o0 + 24 * (i + 1)];         \
        aes_kexpand2 %f2, %f0, %f2;                \
        std     %f2, [%o0 + 24 * (i + 1) + 8]
#define STEP_3(i)                                  \
        STEP_3_BEGIN(i);                           \
        aes_kexpand2 %f4, %f2, %f4;                \
        std     %f4, [%o0 + 24 * (i + 1) + 16]
#define STEP_4_BEGIN(i)                            \
        aes_kexpand1 %f0, %f6, i, %f0;             \
        std     %f0, [%o0 + 32 * (i + 1)];         \
        aes_kexpand2 %f2, %f0, %f2;                \
        std     %f2, [%o0 + 32 * (i + 1) + 8]
#define STEP_4(i)                                  \
        STEP_4_BEGIN(i);                           \
        aes_kexpand0 %f4, %f2, %f4;                \
        std     %f4, [%o0 + 32 * (i + 1) + 16];    \
        aes_kexpand2 %f6, %f4, %f6;                \
        std     %f6, [%o0 + 32 * (i + 1) + 24]

        .text
        .align  32
        .globl  aes_expand_t4
        .type   aes_expand_t4, #function
aes_expand_t4:
        and     %o1, 7, %g1
        add     %o1, 7, %o4
        sll     %g1, 3, %g1
        andn    %o4, 7, %o4
        andn    %o1, 7, %o1
        neg     %g1, %g5
        WORDS(0, %f0)
        WORDS(8, %f2)
        cmp     %o2, 24
        be,pn   %icc, 192f
         srl    %o2, 2, %g4
        bgu,pn  %icc, 256f
         add    %g4, 6, %g4
        STEP_2(0)
        STEP_2(1)
        STEP_2(2)
        STEP_2(3)
        STEP_2(4)
        STEP_2(5)
        STEP_2(6)
        STEP_2(7)
        STEP_2(8)
        STEP_2(9)
        ba,pt   %xcc, 1f
         st     %g4, [%o0 + AES_KEY_ROUNDS]

192:    WORDS(16, %f4)
        STEP_3(0)
        STEP_3(1)
        STEP_3(2)
        STEP_3(3)
        STEP_3(4)
        STEP_3(5)
        STEP_3(6)
        STEP_3_BEGIN(7)
        mov     12, %g4
        ba,pt   %xcc, 1f
         st     %g4, [%o0 + AES_KEY_ROUNDS]

256:    WORDS(16, %f4)
        WORDS(24, %f6)
        STEP_4(0)
        STEP_4(1)
        STEP_4(2)
        STEP_4(3)
        STEP_4(4)
        STEP_4(5)
        STEP_4_BEGIN(6)
        mov     14, %g4
        st      %g4, [%o0 + AES_KEY_ROUNDS]

        /* dec[r] = InvMixColumns(enc[rounds - r]).  First come SubBytes and ShiftRows alone, then a
         * round of decryption, which undoes them and adds InvMixColumns. */
1:      brz,pn  %o3, 3f
         sll    %g4, 4, %g4
        add     %o0, AES_KEY_DEC, %o1       /* address of dec[r] */
        add     %o0, %g4, %o4           /* address of enc[rounds - r] */
        ldd     [%o4], %f0
        ldd     [%o4 + 8], %f2
        std     %f0, [%o1]
        std     %f2, [%o1 + 8]
        sub     %o4, 16, %o4
        add     %o1, 16, %o1
        fzero   %f16
2:      ldd     [%o4], %f0
        ldd     [%o4 + 8], %f2
        sub     %o4, 16, %o4
        aes_eround01_l %f16, %f0, %f2, %f4
        aes_eround23_l %f16, %f0, %f2, %f6
        aes_dround01 %f16, %f4, %f6, %f0
        aes_dround23 %f16, %f4, %f6, %f2
        std     %f0, [%o1]
        std     %f2, [%o1 + 8]
        cmp     %o4, %o0
        bne,pt  %xcc, 2b
         add    %o1, 16, %o1
        ldd     [%o0], %f0
        ldd     [%o0 + 8], %f2
        std     %f0, [%o1]
        std     %f2, [%o1 + 8]
3:      clr     %g4
        retl
         clr    %o5
        .size   aes_expand_t4, . - aes_expand_t4
        .section .note.GNU-stack, "", %progbits

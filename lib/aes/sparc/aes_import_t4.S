/* SPDX-License-Identifier: Apache-2.0 */
/* Computes aes_key.enc from aes_key.dec, the inverse of FIPS 197 section 5.3.5.
 *
 *   void aes_import_t4(struct aes_key *key);
 *
 * The T4's instructions for decryption need `enc`, but a key that was imported for decryption has
 * only `dec`. */

#include "../aes_key.h"

        .text
        .align  32
        .globl  aes_import_t4
        .type   aes_import_t4, #function
aes_import_t4:
        ld      [%o0 + AES_KEY_ROUNDS], %o2
        sll     %o2, 4, %o2
        add     %o0, %o2, %o2           /* address of enc[rounds - r] */
        add     %o0, AES_KEY_DEC, %o1       /* address of dec[r] */
        ldd     [%o1], %f0
        ldd     [%o1 + 8], %f2
        std     %f0, [%o2]
        std     %f2, [%o2 + 8]
        sub     %o2, 16, %o2
        add     %o1, 16, %o1
        fzero   %f16
        /* MixColumns: InvSubBytes and InvShiftRows alone, then a round of encryption, which undoes
         * them and adds MixColumns. */
1:      ldd     [%o1], %f0
        ldd     [%o1 + 8], %f2
        add     %o1, 16, %o1
        aes_dround01_l %f16, %f0, %f2, %f4
        aes_dround23_l %f16, %f0, %f2, %f6
        aes_eround01 %f16, %f4, %f6, %f0
        aes_eround23 %f16, %f4, %f6, %f2
        std     %f0, [%o2]
        std     %f2, [%o2 + 8]
        sub     %o2, 16, %o2
        cmp     %o2, %o0
        bne,pt  %xcc, 1b
         nop
        ldd     [%o1], %f0
        ldd     [%o1 + 8], %f2
        std     %f0, [%o0]
        retl
         std    %f2, [%o0 + 8]
        .size   aes_import_t4, . - aes_import_t4
        .section .note.GNU-stack, "", %progbits

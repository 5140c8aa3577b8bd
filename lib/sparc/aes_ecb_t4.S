/* SPDX-License-Identifier: Apache-2.0 */
/* ECB, SP 800-38A section 6.1: out[i] = E(in[i]), or D(in[i]).
 *
 *   int aes_ecb_encrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                          const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *   int aes_ecb_decrypt_t4(the same);
 *
 * out is in or does not touch it; any alignment; iv and next are ignored.  Registers: aes_t4.h. */
#include "aes_t4.h"

#define ECB(d, n, v)                     \
        LOAD_SCHEDULE_##d(n);        \
        BEGIN_##v;                   \
        subcc   NUM, 2, NUM;         \
        bl,pn   %xcc, 2f;            \
         nop;                        \
1:      LOAD_##v(X0, 0);             \
        LOAD_##v(X1, 8);             \
        LOAD_##v(X2, 16);            \
        LOAD_##v(X3, 24);            \
        NEXT_IN_##v(32);             \
        MOVE_XOR(X0, FIRST0, A0);    \
        MOVE_XOR(X1, FIRST1, A1);    \
        MOVE_XOR(X2, FIRST0, B0);    \
        MOVE_XOR(X3, FIRST1, B1);    \
        MIDDLE_##n(2, d);            \
        LAST_OF_A(d, MOVE_SECOND, , ); \
        LAST_OF_B(d, MOVE_SECOND, , ); \
        STORE_FIRST_##v(A0);         \
        STORE_##v(A1, 8);            \
        STORE_##v(B0, 16);           \
        STORE_##v(B1, 24);           \
        subcc   NUM, 2, NUM;         \
        bge,pt  %xcc, 1b;            \
         add    OUT, 32, OUT;        \
2:      andcc   NUM, 1, %g0;         \
        be,pt   %xcc, 3f;            \
         nop;                        \
        LOAD_##v(X0, 0);             \
        LOAD_##v(X1, 8);             \
        MOVE_XOR(X0, FIRST0, A0);    \
        MOVE_XOR(X1, FIRST1, A1);    \
        MIDDLE_##n(1, d);            \
        LAST_OF_A(d, MOVE_SECOND, , ); \
        STORE_FIRST_##v(A0);         \
        STORE_##v(A1, 8);            \
        add     OUT, 16, OUT;        \
3:      FINISH_##v;                  \
        RETURN

KERNEL(aes_ecb_encrypt_t4, ECB, E)
KERNEL(aes_ecb_decrypt_t4, ECB, D)
        .section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: Apache-2.0 */
/* CFB128 encryption, SP 800-38A section 6.3: out[i] = in[i] ^ E(out[i - 1]), out[-1] = iv.
 *
 *   int aes_cfb_encrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                          const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *
 * out is equal to in or does not overlap it; any alignment; next becomes the last out[i].
 * Registers, and the chain: aes_t4.h. */
#include "aes_t4.h"

#define CFB(d, n, v)                     \
        LOAD_SCHEDULE_E(n);          \
        LOAD_IV;                     \
        BEGIN_##v;                   \
        brz,pn  NUM, 2f;             \
         nop;                        \
        MOVE_XOR(PREV0, FIRST0, A0); \
        MOVE_XOR(PREV1, FIRST1, B0); \
        JOIN_FIRST_AND_LAST;         \
1:      LOAD_##v(X0, 0);             \
        LOAD_##v(X1, 8);             \
        NEXT_IN_##v(16);             \
        sub     NUM, 1, NUM;         \
        CHAIN_##n;                   \
        CHAIN_LAST(MOVE_XOR, X0, X1); \
        STORE_FIRST_##v(B1);         \
        STORE_##v(B2, 8);            \
        brnz,pt NUM, 1b;             \
         add    OUT, 16, OUT;        \
        movdtox B1, PREV0;           \
        movdtox B2, PREV1;           \
        FINISH_##v;                  \
2:      STORE_NEXT;                  \
        RETURN

KERNEL(aes_cfb_encrypt_t4, CFB, E)
        .section .note.GNU-stack, "", %progbits

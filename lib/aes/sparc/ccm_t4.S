/* SPDX-License-Identifier: Apache-2.0 */
/* CCM, SP 800-38C: out[i] = in[i] ^ E(ctr + i), and y = E(y ^ text[i]) over the plaintext, or over
 * the other data that is authenticated.
 *
 *   void ccm_hash_t4(uint8_t y[16], const uint8_t *in, size_t num_blocks,
 *                    const struct aead_key *key);
 *   void ccm_encrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                       const struct aead_key *key, uint8_t ctr[16], uint8_t y[16]);
 *   void ccm_decrypt_t4(the same parameters);
 *
 * out is equal to in or does not overlap it; any alignment; y and ctr are at multiples of 8; ctr
 * counts in its last eight bytes.
 *
 * A counter block (A) and a block of the chain (B) go through the rounds together.  In encryption
 * both belong to the same text block.  The last round adds the next text block and key 0 as well,
 * so that the chain consists of rounds only.  In decryption the chain is one text block behind,
 * because it waits for the plaintext.
 *
 * Registers: those of aes_t4.h, and */
#include "aes_t4.h"

#define TEXT0 X2
#define TEXT1 X3
#define STEP X1 /* distance to the next block; 0 after the last block, which is then loaded again */
/* FIRST0 and FIRST1 hold key 0 ^ key n from the chain's begin on. */
#define CONSTANT PREV0 /* the half of the counter block that never changes, ^ key 0 */
#define COUNTER PREV1
#define COUNTER_KEY NEXT

#define COUNT                        \
        movxtod CONSTANT, A0;        \
        MOVE_XOR(COUNTER, COUNTER_KEY, A1); \
        add     COUNTER, 1, COUNTER
#define LOAD_TEXT(v)                 \
        LOAD_##v(TEXT0, 0);          \
        LOAD_##v(TEXT1, 8)
#define NEXT_TEXT(v)                 \
        sub     NUM, 1, NUM;         \
        movrz   NUM, 0, STEP;        \
        NEXT_IN_##v(STEP);           \
        LOAD_TEXT(v)
/* The last round, from f2:f1 to f0:f1; it also adds the next text block and key 0. g is a temporary
 * register. */
#define LAST_AND_NEXT(f0, f1, f2, g) \
        MOVE_XOR(TEXT0, FIRST0, f0); \
        MOVE_XOR(TEXT1, FIRST1, g);  \
        LAST_E(f0, g, f2, f1, f0, f1)
/* Loads y ^ key 0 into X0:X1; `y` is a register with the address. */
#define LOAD_Y(y)                    \
        ldx     [y], X0;             \
        ldx     [y + 8], X1;         \
        xor     X0, FIRST0, X0;      \
        xor     X1, FIRST1, X1
/* Stores y, made of f0:f1, to which the next text block and key 0 have been added; changes FIRST0
 * and FIRST1. */
#define STORE_Y(y, f0, f1)           \
        JOIN_FIRST_AND_LAST;         \
        xor     TEXT0, FIRST0, TEXT0; \
        xor     TEXT1, FIRST1, TEXT1; \
        movdtox f0, X0;              \
        movdtox f1, X1;              \
        xor     X0, TEXT0, X0;       \
        xor     X1, TEXT1, X1;       \
        stx     X0, [y];             \
        stx     X1, [y + 8]

#define ALIGN_F
#define ALIGN_A ALIGN(IN)
#define HASH(d, n, v)                \
        LOAD_SCHEDULE_E(n);          \
        ALIGN_##v;                   \
        brz,pn  NUM, 2f;             \
         nop;                        \
        LOAD_Y(OUT);                 \
        JOIN_FIRST_AND_LAST;         \
        LOAD_TEXT(v);                \
        MOVE_XOR(X0, TEXT0, A0);     \
        MOVE_XOR(X1, TEXT1, A1);     \
        mov     16, STEP;            \
1:      NEXT_TEXT(v);                \
        MIDDLE_##n(1, E);            \
        LAST_AND_NEXT(A0, A1, A2, B0); \
        brnz,pt NUM, 1b;             \
         nop;                        \
        STORE_Y(OUT, A0, A1);        \
2:      RETURN

#define BEGIN_BOTH(n, v)             \
        KEEP_ARGUMENTS;              \
        LOAD_SCHEDULE_E(n);          \
        ldx     [IV + 8], COUNTER;   \
        ldx     [IV], CONSTANT;      \
        xor     CONSTANT, FIRST0, CONSTANT; \
        BEGIN_##v
/* COUNTER_KEY takes the register of y's address, which from here on is in ARGUMENT(5) only. */
#define BEGIN_COUNTER                \
        mov     FIRST1, COUNTER_KEY
#define END_BOTH(v)                  \
        FINISH_##v;                  \
        ldx     ARGUMENT(4), T;      \
        stx     COUNTER, [T + 8];    \
        WIPE_WINDOW;                 \
        RETURN

#define ENCRYPT(d, n, v)             \
        BEGIN_BOTH(n, v);            \
        brz,pn  NUM, 2f;             \
         nop;                        \
        LOAD_Y(NEXT);                \
        BEGIN_COUNTER;               \
        JOIN_FIRST_AND_LAST;         \
        LOAD_TEXT(v);                \
        MOVE_XOR(X0, TEXT0, B0);     \
        MOVE_XOR(X1, TEXT1, B1);     \
        mov     16, STEP;            \
1:      COUNT;                       \
        MIDDLE_##n(2, E);            \
        LAST_OF_A(E, MOVE_XOR, TEXT0, TEXT1); \
        NEXT_TEXT(v);                \
        LAST_AND_NEXT(B0, B1, B2, A2); \
        STORE_FIRST_##v(A0);         \
        STORE_##v(A1, 8);            \
        brnz,pt NUM, 1b;             \
         add    OUT, 16, OUT;        \
        ldx     ARGUMENT(5), T;      \
        STORE_Y(T, B0, B1);          \
2:      END_BOTH(v)

#define DECRYPT(d, n, v)             \
        BEGIN_BOTH(n, v);            \
        brz,pn  NUM, 3f;             \
         nop;                        \
        LOAD_Y(NEXT);                \
        BEGIN_COUNTER;               \
        movxtod X0, B0;              \
        movxtod X1, B1;              \
        COUNT;                       \
        MIDDLE_##n(1, E);            \
        fsrc2   B0, B2;              \
        LOAD_TEXT(v);                \
        NEXT_IN_##v(16);             \
        LAST_OF_A(E, MOVE_XOR, TEXT0, TEXT1); \
        fxor    B2, A0, B0;          \
        fxor    B1, A1, B1;          \
        STORE_FIRST_##v(A0);         \
        STORE_##v(A1, 8);            \
        JOIN_FIRST_AND_LAST;         \
        subcc   NUM, 1, NUM;         \
        be,pn   %xcc, 2f;            \
         add    OUT, 16, OUT;        \
1:      COUNT;                       \
        MIDDLE_##n(2, E);            \
        LOAD_TEXT(v);                \
        NEXT_IN_##v(16);             \
        LAST_OF_A(E, MOVE_XOR, TEXT0, TEXT1); \
        movxtod FIRST0, B0;          \
        movxtod FIRST1, A2;          \
        fxor    B0, A0, B0;          \
        fxor    A2, A1, A2;          \
        LAST_E(B0, A2, B2, B1, B0, B1); \
        STORE_FIRST_##v(A0);         \
        STORE_##v(A1, 8);            \
        subcc   NUM, 1, NUM;         \
        bne,pt  %xcc, 1b;            \
         add    OUT, 16, OUT;        \
2:      fsrc2   B0, A0;              \
        fsrc2   B1, A1;              \
        MIDDLE_##n(1, E);            \
        LAST_OF_A(E, MOVE_SECOND, , ); \
        ldx     ARGUMENT(5), T;      \
        std     A0, [T];             \
        std     A1, [T + 8];         \
3:      END_BOTH(v)

KERNEL(ccm_hash_t4, HASH, E)
KERNEL(ccm_encrypt_t4, ENCRYPT, E)
KERNEL(ccm_decrypt_t4, DECRYPT, E)
        .section .note.GNU-stack, "", %progbits

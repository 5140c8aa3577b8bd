/* SPDX-License-Identifier: Apache-2.0 */
/* GCM, SP 800-38D: y = (y ^ c[0]) H^n ^ ... ^ c[n - 1] H over the ciphertext, and out[i] = in[i] ^
 * E(ctr + i) where ctr counts in its last four bytes.
 *
 *   void gcm_setup_t4(struct aead_key *key);
 *   void gcm_hash_t4(uint8_t y[16], const uint8_t *in, size_t num_blocks,
 *                    const struct aead_key *key);
 *   void gcm_encrypt_t4(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                       const struct aead_key *key, uint8_t ctr[16], uint8_t y[16]);
 *   void gcm_decrypt_t4(the same parameters);
 *
 * out is equal to in or does not overlap it; any alignment; y and ctr are at multiples of 8.
 *
 * The field's elements are read as big-endian numbers, in which bit 127 - i is the coefficient of
 * x^i.  With z = 1/x, a higher bit belongs to a higher power of z, and a product of two such
 * numbers is too large by z^127.  `powers` holds z times each power of H, so that a product has to
 * be divided by z^128, which is done from the low end (Montgomery reduction).  Since z^128 = z^127
 * + z^126 + z^121 + 1, a low word c can be replaced by c (z^57 + z^62 + z^63) one word higher plus
 * c two words higher.  POLY has these three bits.
 *
 * Each block takes three products (Karatsuba's method) with a power of H, and several blocks share
 * one reduction.  Between the rounds of two blocks of the cipher (STITCH) there is room to hash two
 * blocks: in decryption those of the same text, in encryption those before.  Hashing four at once
 * would save 3 instructions of 59 a block.  Where only hashing is done, four blocks share a
 * reduction, because y waits for three products one after the other.  Where in or out is not a
 * multiple of 8, registers are lacking, and the text is hashed in a separate pass.
 *
 * Registers: those of aes_t4.h, and */
#include "aes_t4.h"

#define C0 %l3 /* C0 to C3: the product's words, lowest first; after reduction y is C3:C2 */
#define C1 %l4
#define C2 %l5
#define C3 %l6
#define M0 %i4 /* M0, M1: the middle product */
#define M1 %i5
#define POLY %l7
#define U %g5
/* Version F: FIRST0, FIRST1 hold key 0 ^ the part of the counter block that does not change. */
#define COUNTER %l0

/* ---- GHASH ---- */

/* The powers H^4, H^3, H^2, H; each is stored as its high word, its low word and the sum of both.
 */
#define POWER(i) [KEY + AEAD_KEY_POWERS + 8 * (i)]
#define H4 0
#define H3 3
#define H2 6
#define H1 9
#define MAKE_POLY(poly)              \
        mov     0xc2, poly;      \
        sllx    poly, 56, poly
#define LOAD_Y                       \
        MAKE_POLY(POLY);         \
        ldx     ARGUMENT(5), T;  \
        ldx     [T], C3;         \
        ldx     [T + 8], C2
#define STORE_Y                      \
        ldx     ARGUMENT(5), T;  \
        stx     C3, [T];         \
        stx     C2, [T + 8]

#define LOAD_POWER(i)                \
        ldx     POWER(i), T;     \
        ldx     POWER(i + 1), U
/* The middle product of the first block. */
#define MIDDLE_PRODUCT               \
        xmulx   X0, T, M0;       \
        xmulxhi X0, T, M1

/* HASH_TWO computes y = (y ^ X0:X1) H^2 ^ X2:X3 H in nine steps; they change X0-X3, T and U. */
#define HASH_1(i)                    \
        LOAD_POWER(i);           \
        xor     X0, C3, X0;      \
        xor     X1, C2, X1
#define HASH_2(i)                    \
        xmulx   X0, T, C2;       \
        xmulxhi X0, T, C3;       \
        xmulx   X1, U, C0;       \
        xmulxhi X1, U, C1;       \
        ldx     POWER(i + 2), T; \
        xor     X0, X1, X0
#define HASH_3                       \
        MIDDLE_PRODUCT;          \
        LOAD_POWER(H1)
#define HASH_4                       \
        xmulx   X2, T, X0;       \
        xmulxhi X2, T, X1;       \
        xmulx   X3, U, T;        \
        xmulxhi X3, U, U
#define HASH_5(i)                    \
        xor     C2, X0, C2;      \
        xor     C3, X1, C3;      \
        xor     C0, T, C0;       \
        xor     C1, U, C1;       \
        ldx     POWER(i + 2), T; \
        xor     X2, X3, X2
#define HASH_6                       \
        xmulx   X2, T, X0;       \
        xmulxhi X2, T, X1
#define HASH_7                       \
        xor     M0, X0, M0;      \
        xor     M1, X1, M1;      \
        ADD_MIDDLE
#define ADD_MIDDLE                   \
        xor     C1, C2, U;       \
        xor     M0, C0, M0;      \
        xor     M1, C3, M1;      \
        xor     M0, U, C1;       \
        xor     M1, U, C2
#define HASH_8 FOLD(C0, C1, C2, T, U)
#define HASH_9 FOLD(C1, C2, C3, T, U)
#define FOLD(low, middle, high, t, u) \
        xmulx   low, POLY, t;    \
        xmulxhi low, POLY, u;    \
        xor     middle, t, middle; \
        xor     high, low, high; \
        xor     high, u, high
#define HASH_TWO \
        HASH_1(H2); HASH_2(H2); HASH_3; HASH_4; HASH_5(H1); HASH_6; HASH_7; HASH_8; HASH_9
/* HASH_ONE computes y = (y ^ X0:X1) H. */
#define HASH_ONE \
        HASH_1(H1); HASH_2(H1); MIDDLE_PRODUCT; ADD_MIDDLE; HASH_8; HASH_9
/* HASH_ADD(i) adds X2:X3 times a power to the product; HASH_LAST(i) does so for the last block and
 * reduces the sum. */
#define HASH_ADD(i) \
        LOAD_POWER(i); HASH_4; HASH_5(i); HASH_6; xor M0, X0, M0; xor M1, X1, M1
#define HASH_LAST(i) \
        LOAD_POWER(i); HASH_4; HASH_5(i); HASH_6; HASH_7; HASH_8; HASH_9

/* Hashes NUM blocks from IN on. */
#define ALIGN_F
#define ALIGN_A ALIGN(IN)
#define LOAD_FIRST(v)                \
        LOAD_##v(X0, 0);         \
        LOAD_##v(X1, 8)
#define LOAD_OTHER(v, at)            \
        LOAD_##v(X2, at);        \
        LOAD_##v(X3, at + 8)
#define HASH(v)                      \
        LOAD_Y;                  \
        ALIGN_##v;               \
        subcc   NUM, 4, NUM;     \
        bl,pn   %xcc, 2f;        \
         nop;                    \
1:      LOAD_FIRST(v);           \
        LOAD_OTHER(v, 16);       \
        HASH_1(H4);              \
        HASH_2(H4);              \
        MIDDLE_PRODUCT;          \
        HASH_ADD(H3);            \
        LOAD_OTHER(v, 32);       \
        HASH_ADD(H2);            \
        LOAD_OTHER(v, 48);       \
        HASH_LAST(H1);           \
        subcc   NUM, 4, NUM;     \
        NEXT_IN_##v(64);         \
        bge,pt  %xcc, 1b;        \
         nop;                    \
2:      andcc   NUM, 2, %g0;     \
        be,pt   %xcc, 3f;        \
         nop;                    \
        LOAD_FIRST(v);           \
        LOAD_OTHER(v, 16);       \
        NEXT_IN_##v(32);         \
        HASH_TWO;                \
3:      andcc   NUM, 1, %g0;     \
        be,pt   %xcc, 4f;        \
         nop;                    \
        LOAD_FIRST(v);           \
        HASH_ONE;                \
4:      STORE_Y

        .text
        .align  32
        .globl  gcm_hash_t4
        .hidden gcm_hash_t4
        .type   gcm_hash_t4, #function
gcm_hash_t4:
        save    %sp, -176, %sp
        andcc   IN, 7, %g0
        bne,pn  %xcc, 5f
         stx    OUT, ARGUMENT(5)
        HASH(F)
        ba,a,pt %xcc, 6f
5:      HASH(A)
6:      WIPE_WINDOW
        RETURN
        .size   gcm_hash_t4, . - gcm_hash_t4

/* Registers of gcm_setup_t4:
 *   %o0 key, H     %o1 rounds, the next power     %o2 next key, C1     %o3:%o4 the last power
 *   %o5 C0     %g1 H, POLY     %g4 C2     %g5 C3     %f0, %f2 the state */
#undef POLY
#define POLY %g1
        .align  32
        .globl  gcm_setup_t4
        .hidden gcm_setup_t4
        .type   gcm_setup_t4, #function
gcm_setup_t4:
        ld      [%o0 + AES_KEY_ROUNDS], %o1
        ldd     [%o0], %f0
        ldd     [%o0 + 8], %f2
        add     %o0, 16, %o2
1:      ldd     [%o2], %f4
        ldd     [%o2 + 8], %f6
        aes_eround01 %f4, %f0, %f2, %f8
        aes_eround23 %f6, %f0, %f2, %f2
        sub     %o1, 1, %o1
        cmp     %o1, 1
        fsrc2   %f8, %f0
        bne,pt  %icc, 1b
         add    %o2, 16, %o2
        ldd     [%o2], %f4
        ldd     [%o2 + 8], %f6
        aes_eround01_l %f4, %f0, %f2, %f8
        aes_eround23_l %f6, %f0, %f2, %f2
        movdtox %f8, %o3
        movdtox %f2, %o4

        /* Multiply by z: the bit shifted out at the top comes back as z^128 reduced. */
        MAKE_POLY(POLY)
        srax    %o3, 63, %o5
        addcc   %o4, %o4, %o4
        addxc   %o3, %o3, %o3
        and     %o5, POLY, %g4
        and     %o5, 1, %o5
        xor     %o3, %g4, %o3
        xor     %o4, %o5, %o4
        add     %o0, AEAD_KEY_POWERS + 8 * H1, %o0
        ba,pt   %xcc, 3f
         mov    %o0, %o1

        /* The next power is the last one times H. */
2:      ldx     [%o0], %g1
        xmulx   %o3, %g1, %g4
        xmulxhi %o3, %g1, %g5
        xmulx   %o4, %g1, %o2
        xmulxhi %o4, %g1, %o5
        xor     %g4, %o5, %g4
        ldx     [%o0 + 8], %g1
        xmulx   %o3, %g1, %o5
        xmulxhi %o3, %g1, %o3
        xor     %o2, %o5, %o2
        xor     %g4, %o3, %g4
        xmulx   %o4, %g1, %o5
        xmulxhi %o4, %g1, %o4
        xor     %o2, %o4, %o2
        MAKE_POLY(POLY)
        FOLD(%o5, %o2, %g4, %o3, %o4)
        FOLD(%o2, %g4, %g5, %o3, %o4)
        mov     %g5, %o3
        mov     %g4, %o4
3:      xor     %o3, %o4, %o5
        stx     %o3, [%o1]
        stx     %o4, [%o1 + 8]
        stx     %o5, [%o1 + 16]
        sub     %o0, 8 * (H1 - H4), %o5
        cmp     %o1, %o5
        bne,pt  %xcc, 2b
         sub    %o1, 8 * (H1 - H2), %o1
        clr     %o2
        clr     %o3
        clr     %o4
        clr     %g4
        retl
         clr    %g5
        .size   gcm_setup_t4, . - gcm_setup_t4
#undef POLY
#define POLY %l7

/* ---- cipher and hash together, where in and out are multiples of 8 ---- */

#define LOAD_COUNTER                 \
        ldx     [IV], T;         \
        xor     FIRST0, T, FIRST0; \
        lduw    [IV + 8], T;     \
        sllx    T, 32, T;        \
        xor     FIRST1, T, FIRST1; \
        lduw    [IV + 12], COUNTER
#define STORE_COUNTER                \
        ldx     ARGUMENT(4), T;  \
        st      COUNTER, [T + 12]
#define COUNT(f0, f1)                \
        movxtod FIRST0, f0;      \
        MOVE_XOR(COUNTER, FIRST1, f1); \
        add     COUNTER, 1, COUNTER; \
        srl     COUNTER, 0, COUNTER

#define STITCH_10                    \
        ODD2(E, 1);  HASH_1(H2);  \
        EVEN2(E, 2); HASH_2(H2);  \
        ODD2(E, 3);  HASH_3;     \
        EVEN2(E, 4); HASH_4;     \
        ODD2(E, 5);  HASH_5(H1);     \
        EVEN2(E, 6); HASH_6;     \
        ODD2(E, 7);  HASH_7;     \
        EVEN2(E, 8); HASH_8;     \
        ODD2(E, 9);  HASH_9
#define STITCH_12 STITCH_10; EVEN2(E, 10); ODD2(E, 11)
#define STITCH_14 STITCH_12; EVEN2(E, 12); ODD2(E, 13)

/* TEXT_2 and TEXT_1 XOR two blocks of text, or one, with their keystream. */
#define TEXT_2                       \
        LOAD_F(X0, 0);           \
        LOAD_F(X1, 8);           \
        LOAD_F(X2, 16);          \
        LOAD_F(X3, 24);          \
        LAST_OF_A(E, MOVE_XOR, X0, X1); \
        LAST_OF_B(E, MOVE_XOR, X2, X3); \
        STORE_F(A0, 0);          \
        STORE_F(A1, 8);          \
        STORE_F(B0, 16);         \
        STORE_F(B1, 24);         \
        add     IN, 32, IN
#define TEXT_1                       \
        LOAD_F(X0, 0);           \
        LOAD_F(X1, 8);           \
        LAST_OF_A(E, MOVE_XOR, X0, X1); \
        STORE_F(A0, 0);          \
        STORE_F(A1, 8)
#define MADE_1                       \
        movdtox A0, X0;          \
        movdtox A1, X1
#define MADE_2                       \
        MADE_1;                  \
        movdtox B0, X2;          \
        movdtox B1, X3

#define BEGIN_BOTH(n)                \
        KEEP_ARGUMENTS;          \
        LOAD_SCHEDULE_E(n);      \
        LOAD_COUNTER;            \
        LOAD_Y
#define END_BOTH                     \
        STORE_COUNTER;           \
        STORE_Y;                 \
        WIPE_WINDOW;             \
        RETURN

#define ENCRYPT_F(n)                 \
        BEGIN_BOTH(n);           \
        subcc   NUM, 2, NUM;     \
        bl,pn   %xcc, 3f;        \
         nop;                    \
        COUNT(A0, A1);           \
        COUNT(B0, B1);           \
        MIDDLE_##n(2, E);        \
        TEXT_2;                  \
        MADE_2;                  \
        subcc   NUM, 2, NUM;     \
        bl,pn   %xcc, 2f;        \
         add    OUT, 32, OUT;    \
1:      COUNT(A0, A1);           \
        COUNT(B0, B1);           \
        STITCH_##n;              \
        TEXT_2;                  \
        MADE_2;                  \
        subcc   NUM, 2, NUM;     \
        bge,pt  %xcc, 1b;        \
         add    OUT, 32, OUT;    \
2:      HASH_TWO;                \
3:      andcc   NUM, 1, %g0;     \
        be,pt   %xcc, 4f;        \
         nop;                    \
        COUNT(A0, A1);           \
        MIDDLE_##n(1, E);        \
        TEXT_1;                  \
        MADE_1;                  \
        HASH_ONE;                \
4:      END_BOTH

#define DECRYPT_F(n)                 \
        BEGIN_BOTH(n);           \
        subcc   NUM, 2, NUM;     \
        bl,pn   %xcc, 2f;        \
         nop;                    \
1:      LOAD_F(X0, 0);           \
        LOAD_F(X1, 8);           \
        LOAD_F(X2, 16);          \
        LOAD_F(X3, 24);          \
        COUNT(A0, A1);           \
        COUNT(B0, B1);           \
        STITCH_##n;              \
        TEXT_2;                  \
        subcc   NUM, 2, NUM;     \
        bge,pt  %xcc, 1b;        \
         add    OUT, 32, OUT;    \
2:      andcc   NUM, 1, %g0;     \
        be,pt   %xcc, 3f;        \
         nop;                    \
        LOAD_F(X0, 0);           \
        LOAD_F(X1, 8);           \
        COUNT(A0, A1);           \
        MIDDLE_##n(1, E);        \
        HASH_ONE;                \
        TEXT_1;                  \
3:      END_BOTH

/* ---- cipher and hash one after the other, for other addresses ---- */

#define COUNT_ANY(f0, f1)            \
        MOVE_XOR(PREV0, FIRST0, f0); \
        MOVE_XOR(PREV1, FIRST1, f1); \
        add     PREV1, 1, T;     \
        xor     T, PREV1, T;     \
        srl     T, 0, T;         \
        xor     PREV1, T, PREV1
#define BEFORE_A COUNT_ANY(A0, A1)
#define BEFORE_B COUNT_ANY(B0, B1)
#define AFTER_A(d) LAST_OF_A(d, MOVE_XOR, X0, X1)
#define AFTER_B(d) LAST_OF_B(d, MOVE_XOR, X2, X3)
#define AFTER_LAST_A
#define AT_BEGIN                     \
        ldx     ARGUMENT(4), T;  \
        ldx     [T], PREV0;      \
        ldx     [T + 8], PREV1
#define STORE_COUNTER_ANY            \
        ldx     ARGUMENT(4), T;  \
        st      PREV1, [T + 12]

#define ENCRYPT_A(n)                 \
        KEEP_ARGUMENTS;          \
        TWO_AT_ONCE(E, n, A);    \
        STORE_COUNTER_ANY;       \
        ldx     ARGUMENT(0), IN; \
        ldx     ARGUMENT(2), NUM; \
        ldx     ARGUMENT(3), KEY; \
        HASH(A);                 \
        WIPE_WINDOW;             \
        RETURN
#define DECRYPT_A(n)                 \
        KEEP_ARGUMENTS;          \
        HASH(A);                 \
        ldx     ARGUMENT(1), IN; \
        ldx     ARGUMENT(2), NUM; \
        TWO_AT_ONCE(E, n, A);    \
        STORE_COUNTER_ANY;       \
        WIPE_WINDOW;             \
        RETURN

#define ENCRYPT(d, n, v) ENCRYPT_##v(n)
#define DECRYPT(d, n, v) DECRYPT_##v(n)

KERNEL(gcm_encrypt_t4, ENCRYPT, E)
KERNEL(gcm_decrypt_t4, DECRYPT, E)
        .section .note.GNU-stack, "", %progbits

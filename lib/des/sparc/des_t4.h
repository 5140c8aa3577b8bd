/* SPDX-License-Identifier: Apache-2.0 */
/* Macros that the DES and triple DES kernels of the SPARC T4 share (assembly only).
 *
 * Oracle SPARC Architecture 2011: des_round k1, k2, lr, t computes two rounds of FIPS 46-3; des_ip
 * is the initial permutation; des_iip swaps the halves and applies the inverse permutation, so
 * des_iip followed by des_ip is the swap between two passes. des_kexpand makes round keys in a form
 * that the architecture does not specify, so each call makes them anew from des_key.key.  This
 * takes 16 instructions a pass, arranged as a tree: a round key two rounds back needs one rotation
 * by four.
 *
 * The round keys lie in the frame in the order of use and are wiped at the end.  Those of the first
 * pass stay in f0 to f30; those of the other two passes are loaded before each two rounds, once for
 * two blocks where the mode processes two at once.  For the two versions of memory access see
 * memory_t4.h.
 *
 * Instructions a block besides loads and stores of text: 10 for single DES; 30 for triple DES, and
 * 32 loads of keys, or 16 a block where two are processed at once. */
/* clang-format off */
#ifndef HR_DES_T4_H
#define HR_DES_T4_H

#include "../des_key.h"
#include "../../memory_t4.h"

#define ROOM 384 /* bytes of the frame for 48 round keys */
#define KEYS (FRAME + 176)
#define AT_KEY(pass, i) [%sp + KEYS + 128 * (pass) + 8 * (i)]

/* Registers of the blocks A and B, of two pairs of keys, and of what a mode adds. */
#define A0 %f60
#define B0 %f62
#define KA %f32
#define KB %f34
#define KC %f36
#define KD %f38
#define M0 %f56
#define M1 %f58

/* ---- keys ---- */

/* Where the i-th round key of a pass is stored: at i for encryption (E), at 15 - i for decryption
 * (D). */
#define PLACE_E(pass, i) AT_KEY(pass, i)
#define PLACE_D(pass, i) AT_KEY(pass, 15 - (i))

/* Makes the round keys of one pass from the n-th key; d is E or D. */
#define EXPAND(d, pass, n)                    \
        ldd     [KEY + DES_KEY_KEY + 8 * (n)], %f62; \
        des_kexpand %f62, 0, %f0;         \
        des_kexpand %f0, 1, %f2;          \
        des_kexpand %f2, 2, %f4;          \
        des_kexpand %f2, 3, %f6;          \
        des_kexpand %f4, 3, %f8;          \
        des_kexpand %f6, 3, %f10;         \
        des_kexpand %f8, 3, %f12;         \
        des_kexpand %f10, 3, %f14;        \
        des_kexpand %f14, 1, %f16;        \
        des_kexpand %f16, 2, %f18;        \
        des_kexpand %f16, 3, %f20;        \
        des_kexpand %f18, 3, %f22;        \
        des_kexpand %f20, 3, %f24;        \
        des_kexpand %f22, 3, %f26;        \
        des_kexpand %f26, 2, %f28;        \
        des_kexpand %f28, 1, %f30;        \
        std     %f0, PLACE_##d(pass, 0);  \
        std     %f2, PLACE_##d(pass, 1);  \
        std     %f4, PLACE_##d(pass, 2);  \
        std     %f6, PLACE_##d(pass, 3);  \
        std     %f8, PLACE_##d(pass, 4);  \
        std     %f10, PLACE_##d(pass, 5); \
        std     %f12, PLACE_##d(pass, 6); \
        std     %f14, PLACE_##d(pass, 7); \
        std     %f16, PLACE_##d(pass, 8); \
        std     %f18, PLACE_##d(pass, 9); \
        std     %f20, PLACE_##d(pass, 10); \
        std     %f22, PLACE_##d(pass, 11); \
        std     %f24, PLACE_##d(pass, 12); \
        std     %f26, PLACE_##d(pass, 13); \
        std     %f28, PLACE_##d(pass, 14); \
        std     %f30, PLACE_##d(pass, 15)

/* The passes of a schedule: E, D, E with keys 0, 1, 2, or backwards for decryption. */
#define SCHEDULE_E_1 EXPAND(E, 0, 0)
#define SCHEDULE_D_1 EXPAND(D, 0, 0)
#define SCHEDULE_E_3 EXPAND(D, 1, 1); EXPAND(E, 2, 2); EXPAND(E, 0, 0)
#define SCHEDULE_D_3 EXPAND(E, 1, 1); EXPAND(D, 2, 0); EXPAND(D, 0, 2)
#define LOAD_FIRST_PASS                   \
        ldd     AT_KEY(0, 0), %f0;    \
        ldd     AT_KEY(0, 1), %f2;    \
        ldd     AT_KEY(0, 2), %f4;    \
        ldd     AT_KEY(0, 3), %f6;    \
        ldd     AT_KEY(0, 4), %f8;    \
        ldd     AT_KEY(0, 5), %f10;   \
        ldd     AT_KEY(0, 6), %f12;   \
        ldd     AT_KEY(0, 7), %f14;   \
        ldd     AT_KEY(0, 8), %f16;   \
        ldd     AT_KEY(0, 9), %f18;   \
        ldd     AT_KEY(0, 10), %f20;  \
        ldd     AT_KEY(0, 11), %f22;  \
        ldd     AT_KEY(0, 12), %f24;  \
        ldd     AT_KEY(0, 13), %f26;  \
        ldd     AT_KEY(0, 14), %f28;  \
        ldd     AT_KEY(0, 15), %f30

/* ---- rounds of one or two blocks ---- */

#define IP_1 des_ip A0, A0
#define IP_2 IP_1; des_ip B0, B0
#define IIP_1 des_iip A0, A0
#define IIP_2 IIP_1; des_iip B0, B0
#define ROUNDS_1(k, l) des_round k, l, A0, A0
#define ROUNDS_2(k, l) ROUNDS_1(k, l); des_round k, l, B0, B0

#define FIRST_PASS(num)               \
        IP_##num;                     \
        ROUNDS_##num(%f0, %f2);       \
        ROUNDS_##num(%f4, %f6);       \
        ROUNDS_##num(%f8, %f10);      \
        ROUNDS_##num(%f12, %f14);     \
        ROUNDS_##num(%f16, %f18);     \
        ROUNDS_##num(%f20, %f22);     \
        ROUNDS_##num(%f24, %f26);     \
        ROUNDS_##num(%f28, %f30);     \
        IIP_##num
#define FOUR_ROUNDS(num, pass, i)         \
        ldd     AT_KEY(pass, i), KA;      \
        ldd     AT_KEY(pass, (i) + 1), KB; \
        ldd     AT_KEY(pass, (i) + 2), KC; \
        ldd     AT_KEY(pass, (i) + 3), KD; \
        ROUNDS_##num(KA, KB);             \
        ROUNDS_##num(KC, KD)
#define NEXT_PASS(num, pass)          \
        IP_##num;                     \
        FOUR_ROUNDS(num, pass, 0);    \
        FOUR_ROUNDS(num, pass, 4);    \
        FOUR_ROUNDS(num, pass, 8);    \
        FOUR_ROUNDS(num, pass, 12);   \
        IIP_##num
#define CRYPT_1(num) FIRST_PASS(num)
#define CRYPT_3(num) FIRST_PASS(num); NEXT_PASS(num, 1); NEXT_PASS(num, 2)

/* ---- memory ---- */

/* LOAD_IV_8 stands before BEGIN. */
#define LOAD_IV_8                       \
        ALIGN(IV);                    \
        LOAD_ANY(IV, PREV0, 0)
/* STORE_NEXT_8 stands after FINISH.  It stores x as the next IV unless `next` is NULL. */
#define STORE_NEXT_8(x)                 \
        brz,pn  NEXT, 9f;             \
         andcc  NEXT, 7, %g0;         \
        bne,pn  %xcc, 8f;             \
         mov    8, SHIFT;             \
        ba,pt   %xcc, 9f;             \
         stx    x, [NEXT];            \
8:      srlx    x, 56, T;             \
        stb     T, [NEXT];            \
        sllx    x, 8, x;              \
        subcc   SHIFT, 1, SHIFT;      \
        bne,pt  %xcc, 8b;             \
         add    NEXT, 1, NEXT;        \
9:

/* ---- functions ---- */

#define WIPE_KEYS                     \
        add     %sp, KEYS, T;         \
        mov     ROOM, X0;             \
8:      subcc   X0, 16, X0;           \
        stx     %g0, [T];             \
        stx     %g0, [T + 8];         \
        bne,pt  %xcc, 8b;             \
         add    T, 16, T

/* Defines a kernel `name` from the macro mode(n, v): n passes, version v (F or A, memory_t4.h). */
#define KERNEL(name, mode, d)         \
        .text;                        \
        .align  32;                   \
        .globl  name;                 \
        .hidden name;                 \
        .type   name, #function;      \
name:                                 \
        save    %sp, -(176 + ROOM), %sp; \
        ld      [KEY + DES_KEY_PASSES], T; \
        cmp     T, 1;                 \
        bne,pn  %icc, 1f;             \
         nop;                         \
        SCHEDULE_##d##_1;             \
        LOAD_FIRST_PASS;              \
        or      IN, OUT, LEFT;        \
        andcc   LEFT, 7, %g0;         \
        bne,pn  %xcc, name##_1_any;   \
         nop;                         \
        ba,a,pt %xcc, name##_1;       \
         nop;                         \
1:      SCHEDULE_##d##_3;             \
        LOAD_FIRST_PASS;              \
        or      IN, OUT, LEFT;        \
        andcc   LEFT, 7, %g0;         \
        bne,pn  %xcc, name##_3_any;   \
         nop;                         \
        ba,a,pt %xcc, name##_3;       \
         nop;                         \
        .size   name, . - name;       \
        FORM(name##_1, mode(1, F));   \
        FORM(name##_3, mode(3, F));   \
        FORM(name##_1_any, mode(1, A)); \
        FORM(name##_3_any, mode(3, A))

/* The mode of a kernel whose blocks do not depend on each other, two blocks at a time.  The
 * kernel's file defines as macros what happens before the rounds (BEFORE_A, BEFORE_B), after them
 * (AFTER_A, AFTER_B), and at both ends of the message. */
#define PARALLEL(n, v)                \
        AT_BEGIN;                     \
        BEGIN_##v;                    \
        subcc   NUM, 2, NUM;          \
        bl,pn   %xcc, 2f;             \
         nop;                         \
1:      LOAD_##v(X0, 0);              \
        LOAD_##v(X1, 8);              \
        NEXT_IN_##v(16);              \
        BEFORE_A;                     \
        BEFORE_B;                     \
        CRYPT_##n(2);                 \
        AFTER_A;                      \
        AFTER_B;                      \
        STORE_FIRST_##v(A0);          \
        STORE_##v(B0, 8);             \
        subcc   NUM, 2, NUM;          \
        bge,pt  %xcc, 1b;             \
         add    OUT, 16, OUT;         \
2:      andcc   NUM, 1, %g0;          \
        be,pt   %xcc, 3f;             \
         nop;                         \
        LOAD_##v(X0, 0);              \
        BEFORE_A;                     \
        CRYPT_##n(1);                 \
        AFTER_A;                      \
        AFTER_LAST_A;                 \
        STORE_FIRST_##v(A0);          \
        add     OUT, 8, OUT;          \
3:      FINISH_##v;                   \
        AT_END;                       \
        WIPE_KEYS;                    \
        RETURN

/* The mode of a kernel whose blocks depend on each other, one block at a time.  The kernel's file
 * defines BEFORE, for the input X0, and AFTER. */
#define CHAIN(n, v)                   \
        AT_BEGIN;                     \
        BEGIN_##v;                    \
        brz,pn  NUM, 2f;              \
         nop;                         \
1:      LOAD_##v(X0, 0);              \
        NEXT_IN_##v(8);               \
        BEFORE;                       \
        CRYPT_##n(1);                 \
        AFTER;                        \
        STORE_FIRST_##v(A0);          \
        subcc   NUM, 1, NUM;          \
        bne,pt  %xcc, 1b;             \
         add    OUT, 8, OUT;          \
        FINISH_##v;                   \
2:      AT_END;                       \
        WIPE_KEYS;                    \
        RETURN

#endif

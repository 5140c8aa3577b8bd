/* SPDX-License-Identifier: Apache-2.0 */
/* Macros that the Camellia kernels of the SPARC T4 share (assembly only).
 *
 * Oracle SPARC Architecture 2011: camellia_f k, x, y, t computes x ^ F(y, k) of RFC 3713 section
 * 2.4.1; camellia_fl k, x, t and camellia_fli are FL and its inverse. camellia_key.k has the
 * subkeys in the order in which encryption uses them.  Decryption uses them backwards, except that
 * the two subkeys at each end, which are added to whole blocks, keep their order.
 *
 * The first two and the last two subkeys lie in integer registers, together with the input and with
 * what the mode adds to the output.  Of the 22 or 30 subkeys between them, the first 22 stay in f0
 * to f42.  Keys of 192 and 256 bits have four more in f44 to f50, and the last four are loaded in
 * each iteration, once for two blocks where the mode processes two at once.  For the two versions
 * of memory access see memory_t4.h.
 *
 * Instructions a block besides loads and stores of text: 22 or 30 for the rounds, and 8. */
/* clang-format off */
#ifndef HR_CAMELLIA_T4_H
#define HR_CAMELLIA_T4_H

#include "../camellia_key.h"
#include "../../memory_t4.h"

/* Halves of the blocks A and B; the output is in A1:A0 and B1:B0. */
#define A0 %f52
#define A1 %f54
#define B0 %f56
#define B1 %f58
#define M0 %f60
#define M1 %f62
#define MORE %i5 /* address of the subkeys that do not fit into registers; `next` is in the frame
                  * meanwhile */

/* ---- keys ---- */

/* Addresses of the i-th of `num` subkeys in the order of use, for encryption (E) and decryption
 * (D); not for the two at each end. */
#define AT_E(num, i) [KEY + 8 * (i)]
#define AT_D(num, i) [KEY + 8 * ((num) - 1 - (i))]

#define LOAD_ENDS_E(num)              \
        ldx     [KEY], FIRST0;        \
        ldx     [KEY + 8], FIRST1;    \
        ldx     [KEY + 8 * (num) - 16], LAST0; \
        ldx     [KEY + 8 * (num) - 8], LAST1
#define LOAD_ENDS_D(num)              \
        ldx     [KEY], LAST0;         \
        ldx     [KEY + 8], LAST1;     \
        ldx     [KEY + 8 * (num) - 16], FIRST0; \
        ldx     [KEY + 8 * (num) - 8], FIRST1
#define LOAD_22(d, num)               \
        ldd     AT_##d(num, 2), %f0;  \
        ldd     AT_##d(num, 3), %f2;  \
        ldd     AT_##d(num, 4), %f4;  \
        ldd     AT_##d(num, 5), %f6;  \
        ldd     AT_##d(num, 6), %f8;  \
        ldd     AT_##d(num, 7), %f10; \
        ldd     AT_##d(num, 8), %f12; \
        ldd     AT_##d(num, 9), %f14; \
        ldd     AT_##d(num, 10), %f16; \
        ldd     AT_##d(num, 11), %f18; \
        ldd     AT_##d(num, 12), %f20; \
        ldd     AT_##d(num, 13), %f22; \
        ldd     AT_##d(num, 14), %f24; \
        ldd     AT_##d(num, 15), %f26; \
        ldd     AT_##d(num, 16), %f28; \
        ldd     AT_##d(num, 17), %f30; \
        ldd     AT_##d(num, 18), %f32; \
        ldd     AT_##d(num, 19), %f34; \
        ldd     AT_##d(num, 20), %f36; \
        ldd     AT_##d(num, 21), %f38; \
        ldd     AT_##d(num, 22), %f40; \
        ldd     AT_##d(num, 23), %f42
#define LOAD_SCHEDULE_18(d)           \
        LOAD_ENDS_##d(26);            \
        LOAD_22(d, 26)
/* The subkeys that do not fit into registers are the 29th to 32nd in the order of use: upwards from
 * k[28], or downwards from k[5]. */
#define LOAD_SCHEDULE_24(d)           \
        LOAD_ENDS_##d(34);            \
        LOAD_22(d, 34);               \
        ldd     AT_##d(34, 24), %f44; \
        ldd     AT_##d(34, 25), %f46; \
        ldd     AT_##d(34, 26), %f48; \
        ldd     AT_##d(34, 27), %f50; \
        stx     NEXT, ARGUMENT(5);    \
        mov     KEY, MORE
#define NEXT_BACK_18
#define NEXT_BACK_24 ldx ARGUMENT(5), NEXT
#define MORE_E(i) [MORE + 8 * (28 + (i))]
#define MORE_D(i) [MORE + 8 * (5 - (i))]

/* ---- rounds of one or two blocks ---- */

#define TWO_1(k, l)                   \
        camellia_f k, A1, A0, A1;     \
        camellia_f l, A0, A1, A0
#define TWO_2(k, l)                   \
        camellia_f k, A1, A0, A1;     \
        camellia_f k, B1, B0, B1;     \
        camellia_f l, A0, A1, A0;     \
        camellia_f l, B0, B1, B0
#define LAYER_1(k, l)                 \
        camellia_fl k, A0, A0;        \
        camellia_fli l, A1, A1
#define LAYER_2(k, l)                 \
        LAYER_1(k, l);                \
        camellia_fl k, B0, B0;        \
        camellia_fli l, B1, B1

#define FIRST_18(num)                 \
        TWO_##num(%f0, %f2);          \
        TWO_##num(%f4, %f6);          \
        TWO_##num(%f8, %f10);         \
        LAYER_##num(%f12, %f14);      \
        TWO_##num(%f16, %f18);        \
        TWO_##num(%f20, %f22);        \
        TWO_##num(%f24, %f26);        \
        LAYER_##num(%f28, %f30);      \
        TWO_##num(%f32, %f34);        \
        TWO_##num(%f36, %f38);        \
        TWO_##num(%f40, %f42)
#define ROUNDS_18(d, num) FIRST_18(num)
#define ROUNDS_24(d, num)             \
        FIRST_18(num);                \
        LAYER_##num(%f44, %f46);      \
        TWO_##num(%f48, %f50);        \
        ldd     MORE_##d(0), M0;      \
        ldd     MORE_##d(1), M1;      \
        TWO_##num(M0, M1);            \
        ldd     MORE_##d(2), M0;      \
        ldd     MORE_##d(3), M1;      \
        TWO_##num(M0, M1)

/* Add the last subkeys to the output, and what the mode adds, `move` of x0:x1. */
#define ADD_TO_A(move, x0, x1)        \
        move(x0, LAST0, M0);          \
        move(x1, LAST1, M1);          \
        fxor    A1, M0, A1;           \
        fxor    A0, M1, A0
#define ADD_TO_B(move, x0, x1)        \
        move(x0, LAST0, M0);          \
        move(x1, LAST1, M1);          \
        fxor    B1, M0, B1;           \
        fxor    B0, M1, B0
#define SET_A(x0, x1)                 \
        MOVE_XOR(x0, FIRST0, A0);     \
        MOVE_XOR(x1, FIRST1, A1)
#define SET_B(x0, x1)                 \
        MOVE_XOR(x0, FIRST0, B0);     \
        MOVE_XOR(x1, FIRST1, B1)

/* ---- functions ---- */

/* Defines a kernel `name` from the macro mode(d, n, v): n rounds, version v (F or A, memory_t4.h).
 */
#define KERNEL(name, mode, d)         \
        .text;                        \
        .align  32;                   \
        .globl  name;                 \
        .hidden name;                 \
        .type   name, #function;      \
name:                                 \
        save    %sp, -176, %sp;       \
        ld      [KEY + CAMELLIA_KEY_ROUNDS], T; \
        or      IN, OUT, LEFT;        \
        andcc   LEFT, 7, %g0;         \
        bne,pn  %xcc, 1f;             \
         cmp    T, 18;                \
        bne,pn  %icc, name##_256;     \
         nop;                         \
        ba,a,pt %xcc, name##_128;     \
         nop;                         \
1:      bne,pn  %icc, name##_256_any; \
         nop;                         \
        ba,a,pt %xcc, name##_128_any; \
         nop;                         \
        .size   name, . - name;       \
        FORM(name##_128, mode(d, 18, F)); \
        FORM(name##_256, mode(d, 24, F)); \
        FORM(name##_128_any, mode(d, 18, A)); \
        FORM(name##_256_any, mode(d, 24, A))

/* The mode of a kernel whose blocks do not depend on each other, two blocks at a time.  The
 * kernel's file defines as macros what happens before the rounds (BEFORE_A, BEFORE_B), after them
 * (AFTER_A, AFTER_B), and at both ends of the message. */
#define PARALLEL(d, n, v)             \
        LOAD_SCHEDULE_##n(d);         \
        AT_BEGIN;                     \
        BEGIN_##v;                    \
        subcc   NUM, 2, NUM;          \
        bl,pn   %xcc, 2f;             \
         nop;                         \
1:      LOAD_##v(X0, 0);              \
        LOAD_##v(X1, 8);              \
        LOAD_##v(X2, 16);             \
        LOAD_##v(X3, 24);             \
        NEXT_IN_##v(32);              \
        BEFORE_A;                     \
        BEFORE_B;                     \
        ROUNDS_##n(d, 2);             \
        AFTER_A;                      \
        AFTER_B;                      \
        STORE_FIRST_##v(A1);          \
        STORE_##v(A0, 8);             \
        STORE_##v(B1, 16);            \
        STORE_##v(B0, 24);            \
        subcc   NUM, 2, NUM;          \
        bge,pt  %xcc, 1b;             \
         add    OUT, 32, OUT;         \
2:      andcc   NUM, 1, %g0;          \
        be,pt   %xcc, 3f;             \
         nop;                         \
        LOAD_##v(X0, 0);              \
        LOAD_##v(X1, 8);              \
        BEFORE_A;                     \
        ROUNDS_##n(d, 1);             \
        AFTER_A;                      \
        AFTER_LAST_A;                 \
        STORE_FIRST_##v(A1);          \
        STORE_##v(A0, 8);             \
        add     OUT, 16, OUT;         \
3:      FINISH_##v;                   \
        NEXT_BACK_##n;                \
        AT_END;                       \
        RETURN

/* The mode of a kernel whose blocks depend on each other, one block at a time.  The kernel's file
 * defines BEFORE, for the input X0:X1, and AFTER. */
#define CHAIN(d, n, v)                \
        LOAD_SCHEDULE_##n(d);         \
        LOAD_IV;                      \
        BEGIN_##v;                    \
        brz,pn  NUM, 2f;              \
         nop;                         \
1:      LOAD_##v(X0, 0);              \
        LOAD_##v(X1, 8);              \
        NEXT_IN_##v(16);              \
        BEFORE;                       \
        ROUNDS_##n(d, 1);             \
        AFTER;                        \
        movdtox A1, PREV0;            \
        movdtox A0, PREV1;            \
        STORE_FIRST_##v(A1);          \
        STORE_##v(A0, 8);             \
        subcc   NUM, 1, NUM;          \
        bne,pt  %xcc, 1b;             \
         add    OUT, 16, OUT;         \
        FINISH_##v;                   \
2:      NEXT_BACK_##n;                \
        STORE_NEXT;                   \
        RETURN

#endif

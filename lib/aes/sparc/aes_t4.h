/* SPDX-License-Identifier: Apache-2.0 */
/* Macros that the AES kernels of the SPARC T4 share (assembly only).
 *
 * Oracle SPARC Architecture 2011: aes_eround01 k, s01, s23, t computes columns 0 and 1 of a round
 * of FIPS 197 section 5.1: SubBytes, ShiftRows, MixColumns, AddRoundKey; aes_eround01_l is the last
 * round, without MixColumns. aes_dround01 is section 5.3 in its plain form: InvShiftRows,
 * InvSubBytes, AddRoundKey, InvMixColumns.  So decryption uses the round keys of encryption
 * backwards, and never aes_key.dec, whose keys have been through InvMixColumns.
 *
 * - The keys of rounds 1 to n - 1 stay in floating-point registers.  The first and the last key
 *   stay in integer registers, where the input is: the first is added there, and the last is added
 *   to whatever the mode adds to the cipher's output, so that the last round's instruction adds
 *   both.
 * - A round of a block needs two registers and a third for the first half of the result.  Two
 *   blocks are computed at once where the mode has them. 26 double registers of keys (AES-256) and
 *   6 of state are all 32.
 * - Memory access, and where secrets lie: memory_t4.h.  GCM, CCM and XTS need more registers for
 *   secrets than that file provides; at their end they clear %l, %i and the stack memory where a
 *   trap puts these (WIPE_WINDOW). */
/* clang-format off */
#ifndef HR_AES_T4_H
#define HR_AES_T4_H

#include "../aes_key.h"
#include "../../memory_t4.h"

/* Round keys in the order of their use; _01 has columns 0 and 1, _23 columns 2 and 3. */
#define K1_01 %f0
#define K1_23 %f2
#define K2_01 %f4
#define K2_23 %f6
#define K3_01 %f8
#define K3_23 %f10
#define K4_01 %f12
#define K4_23 %f14
#define K5_01 %f16
#define K5_23 %f18
#define K6_01 %f20
#define K6_23 %f22
#define K7_01 %f24
#define K7_23 %f26
#define K8_01 %f28
#define K8_23 %f30
#define K9_01 %f32
#define K9_23 %f34
#define K10_01 %f36
#define K10_23 %f38
#define K11_01 %f40
#define K11_23 %f42
#define K12_01 %f44
#define K12_23 %f46
#define K13_01 %f48
#define K13_23 %f50

/* ---- keys ---- */

#define LOAD_KEY_E(r)                 \
        ldd     [KEY + 16 * r], K##r##_01; \
        ldd     [KEY + 16 * r + 8], K##r##_23
#define LOAD_KEY_D(r)                 \
        ldd     [KEY - 16 * r], K##r##_01; \
        ldd     [KEY - 16 * r + 8], K##r##_23
#define LOAD_KEYS_10(d) \
        LOAD_KEY_##d(1); LOAD_KEY_##d(2); LOAD_KEY_##d(3); LOAD_KEY_##d(4); LOAD_KEY_##d(5); \
        LOAD_KEY_##d(6); LOAD_KEY_##d(7); LOAD_KEY_##d(8); LOAD_KEY_##d(9)
#define LOAD_KEYS_12(d) LOAD_KEYS_10(d); LOAD_KEY_##d(10); LOAD_KEY_##d(11)
#define LOAD_KEYS_14(d) LOAD_KEYS_12(d); LOAD_KEY_##d(12); LOAD_KEY_##d(13)

/* Load all keys of n rounds, for encryption (E) or decryption (D). */
#define LOAD_SCHEDULE_E(n)              \
        ldx     [KEY], FIRST0;          \
        ldx     [KEY + 8], FIRST1;      \
        ldx     [KEY + 16 * n], LAST0;  \
        ldx     [KEY + 16 * n + 8], LAST1; \
        LOAD_KEYS_##n(E)
#define LOAD_SCHEDULE_D(n)              \
        ldx     [KEY], LAST0;           \
        ldx     [KEY + 8], LAST1;       \
        add     KEY, 16 * n, KEY;       \
        ldx     [KEY], FIRST0;          \
        ldx     [KEY + 8], FIRST1;      \
        LOAD_KEYS_##n(D)

/* ---- rounds ---- */

#define ROUND_E(r, s0, s1, t0, t1)               \
        aes_eround01 K##r##_01, s0, s1, t0; \
        aes_eround23 K##r##_23, s0, s1, t1
#define ROUND_D(r, s0, s1, t0, t1)               \
        aes_dround01 K##r##_01, s0, s1, t0; \
        aes_dround23 K##r##_23, s0, s1, t1
#define LAST_E(k0, k1, s0, s1, t0, t1)      \
        aes_eround01_l k0, s0, s1, t0; \
        aes_eround23_l k1, s0, s1, t1
#define LAST_D(k0, k1, s0, s1, t0, t1)      \
        aes_dround01_l k0, s0, s1, t0; \
        aes_dround23_l k1, s0, s1, t1

/* The registers of two blocks, A and B. The first half of a state is in A0 (B0) before odd rounds
 * and in A2 (B2) after them. */
#define A0 %f52
#define A1 %f54
#define A2 %f56
#define B0 %f58
#define B1 %f60
#define B2 %f62

#define ODD1(d, r) ROUND_##d(r, A0, A1, A2, A1)
#define EVEN1(d, r) ROUND_##d(r, A2, A1, A0, A1)
#define ODD2(d, r) ROUND_##d(r, A0, A1, A2, A1); ROUND_##d(r, B0, B1, B2, B1)
#define EVEN2(d, r) ROUND_##d(r, A2, A1, A0, A1); ROUND_##d(r, B2, B1, B0, B1)

/* MIDDLE_n is all rounds but the last, of num = 1 or 2 blocks.  After it A0 and B0 are free. */
#define MIDDLE_10(num, d) ODD##num(d, 1); FROM_2_TO_9(num, d)
#define MIDDLE_12(num, d) ODD##num(d, 1); FROM_2_TO_11(num, d)
#define MIDDLE_14(num, d) ODD##num(d, 1); FROM_2_TO_13(num, d)
#define FROM_2_TO_9(num, d)          \
        EVEN##num(d, 2);         \
        ODD##num(d, 3);          \
        EVEN##num(d, 4);         \
        ODD##num(d, 5);          \
        EVEN##num(d, 6);         \
        ODD##num(d, 7);          \
        EVEN##num(d, 8);         \
        ODD##num(d, 9)
#define FROM_2_TO_11(num, d) FROM_2_TO_9(num, d); EVEN##num(d, 10); ODD##num(d, 11)
#define FROM_2_TO_13(num, d) FROM_2_TO_11(num, d); EVEN##num(d, 12); ODD##num(d, 13)

/* The last round of block A, whose result goes to A0:A1, and after it that of B, to B0:B1.  The
 * round's key is `move` of x0:x1, which the mode adds, and the last round key. */
#define LAST_OF_A(d, move, x0, x1)   \
        move(x0, LAST0, A0);     \
        move(x1, LAST1, B0);     \
        LAST_##d(A0, B0, A2, A1, A0, A1)
#define LAST_OF_B(d, move, x0, x1)   \
        move(x0, LAST0, B0);     \
        move(x1, LAST1, A2);     \
        LAST_##d(B0, A2, B2, B1, B0, B1)

/* A chain of encryption, in which each block waits for the one before.  The state begins in A0:B0,
 * so that the last round, from A2:A1, has room for two results of two instructions each: with one
 * key it makes the output, in B1:B2, with another key the next block's state, in A0:B0.  The second
 * result costs the chain no time. */
#define CHAIN_10 ROUND_E(1, A0, B0, A2, A1); FROM_2_TO_9(1, E)
#define CHAIN_12 ROUND_E(1, A0, B0, A2, A1); FROM_2_TO_11(1, E)
#define CHAIN_14 ROUND_E(1, A0, B0, A2, A1); FROM_2_TO_13(1, E)
/* The last round with the two keys for output and next state; x0:x1 is the input. */
#define CHAIN_LAST(move, x0, x1)     \
        MOVE_XOR(x0, FIRST0, A0); \
        MOVE_XOR(x1, FIRST1, B0); \
        move(x0, LAST0, B1);     \
        move(x1, LAST1, B2);     \
        LAST_E(A0, B0, A2, A1, A0, B0); \
        LAST_E(B1, B2, A2, A1, B1, B2)
/* Puts into FIRST0:FIRST1 the sum of the first and the last round key, as CHAIN_LAST wants it. */
#define JOIN_FIRST_AND_LAST          \
        xor     FIRST0, LAST0, FIRST0; \
        xor     FIRST1, LAST1, FIRST1

/* ---- functions ---- */

/* Defines a kernel `name` from the macro mode(d, n, v): n rounds, version v (F or A, memory_t4.h).
 * Each of its six versions has a local symbol, for profilers. */
#define KERNEL(name, mode, d)        \
        .text;                   \
        .align  32;              \
        .globl  name;            \
        .type   name, #function; \
name:                                \
        save    %sp, -176, %sp;  \
        ld      [KEY + AES_KEY_ROUNDS], T; \
        or      IN, OUT, LEFT;   \
        andcc   LEFT, 7, %g0;    \
        bne,pn  %xcc, 1f;        \
         cmp    T, 12;           \
        be,pn   %icc, name##_192; \
         nop;                    \
        bgu,pn  %icc, name##_256; \
         nop;                    \
        ba,a,pt %xcc, name##_128; \
         nop;                    \
1:      be,pn   %icc, name##_192_any; \
         nop;                    \
        bgu,pn  %icc, name##_256_any; \
         nop;                    \
        ba,a,pt %xcc, name##_128_any; \
         nop;                    \
        .size   name, . - name;  \
        FORM(name##_128, mode(d, 10, F)); \
        FORM(name##_192, mode(d, 12, F)); \
        FORM(name##_256, mode(d, 14, F)); \
        FORM(name##_128_any, mode(d, 10, A)); \
        FORM(name##_192_any, mode(d, 12, A)); \
        FORM(name##_256_any, mode(d, 14, A))
/* The mode of a kernel whose blocks do not depend on each other, two blocks at a time.  The
 * kernel's file defines as macros what happens before the first round (BEFORE_A and BEFORE_B, which
 * put the states into A0:A1 and B0:B1), in and after the last round (AFTER_A, AFTER_B), and at both
 * ends of the message. */
#define PARALLEL(d, n, v)            \
        TWO_AT_ONCE(d, n, v);        \
        AT_END;                      \
        RETURN
#define TWO_AT_ONCE(d, n, v)         \
        LOAD_SCHEDULE_##d(n);        \
        AT_BEGIN;                    \
        BEGIN_##v;                   \
        subcc   NUM, 2, NUM;         \
        bl,pn   %xcc, 2f;            \
         nop;                        \
1:      LOAD_##v(X0, 0);             \
        LOAD_##v(X1, 8);             \
        LOAD_##v(X2, 16);            \
        LOAD_##v(X3, 24);            \
        NEXT_IN_##v(32);             \
        BEFORE_A;                    \
        BEFORE_B;                    \
        MIDDLE_##n(2, d);            \
        AFTER_A(d);                  \
        AFTER_B(d);                  \
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
        BEFORE_A;                    \
        MIDDLE_##n(1, d);            \
        AFTER_A(d);                  \
        AFTER_LAST_A;                \
        STORE_FIRST_##v(A0);         \
        STORE_##v(A1, 8);            \
        add     OUT, 16, OUT;        \
3:      FINISH_##v

#endif

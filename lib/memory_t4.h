/* SPDX-License-Identifier: Apache-2.0 */
/* Registers and memory access of the T4's cipher kernels (assembly only).
 *
 * - Each kernel exists in two versions, one of which is chosen once a call.  Version F is for in
 *   and out that are multiples of 8, version A for any addresses.  Loads of version A do not
 *   branch: the doubleword at an unaligned address is (*p << l) | (*q >> -l), where p = address &
 *   -8, q = (address + 7) & -8 and l = 8 * (address & 7); for l = 0, q is p.  So the only
 *   doublewords that are read are those that hold a byte of the input.  Stores of version A write
 *   whole doublewords; the bytes that do not fit into one are carried to the next.  Only the bytes
 *   at the message's two ends, at most 7 each, are stored one by one.  (Partial stores would make
 *   those loops unnecessary and cost a second store of each doubleword; neither has been measured
 *   on a T4.)
 * - Keys, plaintext and intermediate values lie only in %o, %g and %f registers. %l and %i, which a
 *   window trap may write to the stack, hold pointers, counts and public bytes. %o and %g are
 *   cleared at the end, because the next function's window has the same registers; %f registers are
 *   not, as in all kernels of this library.  A kernel that needs more registers for secrets clears
 *   at its end %l, %i and the stack memory where a trap puts them (WIPE_WINDOW). */
/* clang-format off */
#ifndef HR_MEMORY_T4_H
#define HR_MEMORY_T4_H

#define OUT %i0
#define IN %i1
#define NUM %i2
#define KEY %i3
#define IV %i4
#define NEXT %i5

/* Registers of version A: IN is p, Q is q (see above), OUT the address of the next doubleword to
 * store, a multiple of 8. */
#define Q %l0
#define LEFT %l1
#define RIGHT %l2
#define SHIFT %l3   /* 8 * (out & 7) */
#define BACK %l4    /* -SHIFT */
#define MASK %l5    /* 0 if SHIFT is 0, else -1 */
#define STARTED %l6 /* 0 until the first bytes of out have been stored */
#define START %i3   /* out, from where the keys have been loaded on */

/* The ciphertext before the next block, or the counter.  At first it is the IV, at the end `next`.
 */
#define PREV0 %i4
#define PREV1 %l7

#define FIRST0 %o0 /* added to a block first; AES: round key 0, in decryption round key n */
#define FIRST1 %o1
#define LAST0 %o2 /* added to a block last; AES: round key n, in decryption round key 0 */
#define LAST1 %o3
#define X0 %o4
#define X1 %o5
#define X2 %o7
#define X3 %g1
#define T %g4
#define CARRY %g5 /* version A: bytes that the next doubleword's store begins with */

/* MOVE_XOR puts a ^ b into a double register, MOVE_SECOND b. */
#define MOVE_XOR(a, b, f)            \
        xor     a, b, T;         \
        movxtod T, f
#define MOVE_SECOND(a, b, f)         \
        movxtod b, f

/* ---- memory ---- */

#define BEGIN_F
#define BEGIN_A                      \
        mov     OUT, START;      \
        and     OUT, 7, SHIFT;   \
        sll     SHIFT, 3, SHIFT; \
        neg     SHIFT, BACK;     \
        srax    BACK, 63, MASK;  \
        clr     STARTED;         \
        movrz   SHIFT, 1, STARTED; \
        andn    OUT, 7, OUT;     \
        clr     CARRY;           \
        ALIGN(IN)
#define ALIGN(p)                     \
        and     p, 7, LEFT;      \
        sll     LEFT, 3, LEFT;   \
        neg     LEFT, RIGHT;     \
        add     p, 7, Q;         \
        andn    Q, 7, Q;         \
        andn    p, 7, p

#define LOAD_F(x, at) ldx     [IN + at], x
#define LOAD_A(x, at) LOAD_ANY(IN, x, at)
/* To be used after ALIGN(p). */
#define LOAD_ANY(p, x, at)           \
        ldx     [p + at], x;     \
        ldx     [Q + at], T;     \
        sllx    x, LEFT, x;      \
        srlx    T, RIGHT, T;     \
        or      x, T, x

#define NEXT_IN_F(len) add     IN, len, IN
#define NEXT_IN_A(len) add     IN, len, IN; add     Q, len, Q

/* Stores the double register f at out + at; version A overwrites X0 and T.  An iteration's first
 * store is STORE_FIRST, at offset 0. */
#define STORE_FIRST_F(f) std     f, [OUT]
#define STORE_F(f, at) std     f, [OUT + at]
#define STORE_A(f, at)               \
        movdtox f, T;            \
        srlx    T, SHIFT, X0;    \
        or      X0, CARRY, X0;   \
        stx     X0, [OUT + at];  \
        KEEP_CARRY
#define KEEP_CARRY                   \
        sllx    T, BACK, CARRY;  \
        and     CARRY, MASK, CARRY
#define STORE_FIRST_A(f)             \
        movdtox f, T;            \
        srlx    T, SHIFT, X0;    \
        or      X0, CARRY, X0;   \
        brnz,a,pt STARTED, 9f;   \
         stx    X0, [OUT];       \
        add     OUT, 7, STARTED; \
8:      stb     X0, [STARTED];   \
        cmp     STARTED, START;  \
        srlx    X0, 8, X0;       \
        bne,pt  %xcc, 8b;        \
         sub    STARTED, 1, STARTED; \
9:      KEEP_CARRY

/* Stores the bytes that are left of the last doubleword. */
#define FINISH_F
#define FINISH_A                     \
        brz,pn  STARTED, 9f;     \
         nop;                    \
        brz,pn  SHIFT, 9f;       \
         srlx   CARRY, 56, T;    \
8:      stb     T, [OUT];        \
        sllx    CARRY, 8, CARRY; \
        subcc   SHIFT, 8, SHIFT; \
        add     OUT, 1, OUT;     \
        bne,pt  %xcc, 8b;        \
         srlx   CARRY, 56, T;    \
9:

/* LOAD_IV stands before BEGIN. */
#define LOAD_IV                      \
        ALIGN(IV);               \
        LOAD_ANY(IV, PREV1, 8);  \
        LOAD_ANY(IV, PREV0, 0)

/* STORE_NEXT stands after FINISH.  It stores the next IV unless `next` is NULL. */
#define STORE_NEXT                   \
        brz,pn  NEXT, 9f;        \
         andcc  NEXT, 7, %g0;    \
        bne,pn  %xcc, 8f;        \
         mov    8, SHIFT;        \
        stx     PREV0, [NEXT];   \
        ba,pt   %xcc, 9f;        \
         stx    PREV1, [NEXT + 8]; \
8:      srlx    PREV0, 56, T;    \
        stb     T, [NEXT];       \
        srlx    PREV1, 56, T;    \
        stb     T, [NEXT + 8];   \
        sllx    PREV0, 8, PREV0; \
        sllx    PREV1, 8, PREV1; \
        subcc   SHIFT, 1, SHIFT; \
        bne,pt  %xcc, 8b;        \
         add    NEXT, 1, NEXT;   \
9:

/* ---- functions ---- */

#define FORM(name, ...)              \
        .align  32;              \
        .type   name, #function; \
name:   __VA_ARGS__;                 \
        .size   name, . - name

#define FRAME 2047 /* %sp + FRAME is the register window's save area; the argument slots behind
                    * it may hold public words */
#define ARGUMENT(i) [%sp + FRAME + 128 + 8 * (i)]
#define KEEP_ARGUMENTS               \
        stx     OUT, ARGUMENT(0);    \
        stx     IN, ARGUMENT(1);     \
        stx     NUM, ARGUMENT(2);    \
        stx     KEY, ARGUMENT(3);    \
        stx     %i4, ARGUMENT(4);    \
        stx     %i5, ARGUMENT(5)
/* The registers are cleared before their memory, because a window trap may write them to memory in
 * between. */
#define WIPE_WINDOW                  \
        clr     %l0;             \
        clr     %l1;             \
        clr     %l2;             \
        clr     %l3;             \
        clr     %l4;             \
        clr     %l5;             \
        clr     %l6;             \
        clr     %l7;             \
        clr     %i3;             \
        clr     %i4;             \
        clr     %i5;             \
        stx     %g0, [%sp + FRAME];      \
        stx     %g0, [%sp + FRAME + 8];  \
        stx     %g0, [%sp + FRAME + 16]; \
        stx     %g0, [%sp + FRAME + 24]; \
        stx     %g0, [%sp + FRAME + 32]; \
        stx     %g0, [%sp + FRAME + 40]; \
        stx     %g0, [%sp + FRAME + 48]; \
        stx     %g0, [%sp + FRAME + 56]; \
        stx     %g0, [%sp + FRAME + 88]; \
        stx     %g0, [%sp + FRAME + 96]; \
        stx     %g0, [%sp + FRAME + 104]

#define RETURN                       \
        clr     FIRST0;          \
        clr     FIRST1;          \
        clr     LAST0;           \
        clr     LAST1;           \
        clr     X0;              \
        clr     X1;              \
        clr     X2;              \
        clr     X3;              \
        clr     T;               \
        clr     CARRY;           \
        ret;                     \
         restore %g0, 0, %o0

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of montmul and montsqr, which compute A = A B / R and A = A A / R modulo N: they are
 * those of six windows, of which W0 is the current one, and W5 that of the function, which keeps
 * its parameters:
 *
 *   window  %l0-%l7    %o0-%o5
 *   W5      A 0-7      A 8-13          A 14-31: %f24-%f58    -1/m mod 2^64: %f60
 *   W4      N 0-7      N 8-13
 *   W3      N 14-21    N 22-27
 *   W2      N 28-31    B 0-5
 *   W1      B 6-13     B 14-19
 *   W0      B 20-27    B 28-31 (%o0-%o3)
 *
 * montsqr leaves B as it is, and both leave N.  An instruction that fails sets %fcc3 to
 * "unordered" and leaves undefined values in these registers; so the caller begins again.
 *
 * A trap may send windows to the stack at any time.  Each window therefore has a frame with room
 * for it, and all of them are cleared at the end, first the registers, then the memory.  Of a
 * prime modulus everything is secret, even %f60. */

#define MODULUS_M 0
#define MODULUS_R2 8
#define MODULUS_M0 16
#define BIAS 2047
#define FRAME 176

/* clang-format off */
/* Words \at of the operand at \base, where an operand has so many. */
        .macro  load base, at, reg
        .if     (\at) < .Llimbs
        ldx     [\base + 8 * (\at)], \reg
        .endif
        .endm
        .macro  store base, at, reg
        .if     (\at) < .Llimbs
        stx     \reg, [\base + 8 * (\at)]
        .endif
        .endm
        .macro  load_double base, at, reg
        .if     (\at) < .Llimbs
        ldd     [\base + 8 * (\at)], \reg
        .endif
        .endm
        .macro  store_double base, at, reg
        .if     (\at) < .Llimbs
        std     \reg, [\base + 8 * (\at)]
        .endif
        .endm
        .macro  clear_double base, at, reg
        fzero   \reg
        .endm

/* The registers of a window for words from \at on. */
        .macro  locals op, base, at
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        \op     \base, \at+\i, %l\i
        .endr
        .endm
        .macro  outs op, base, at
        .irp    i, 0, 1, 2, 3, 4, 5
        \op     \base, \at+\i, %o\i
        .endr
        .endm
        .macro  ins op, base, at
        .irp    i, 0, 1, 2, 3, 4, 5
        \op     \base, \at+\i, %i\i
        .endr
        .endm
        .macro  four op, base, at, kind
        .irp    i, 0, 1, 2, 3
        \op     \base, \at+\i, %\kind\i
        .endr
        .endm
        .macro  doubles op, base
        .irp    i, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58
        \op     \base, 2+\i/2, %f\i
        .endr
        .endm

/* The operands of W5. */
        .macro  load_a base
        locals  load, \base, 0
        outs    load, \base, 8
        doubles load_double, \base
        .endm
/* From W5 to W2, with N. */
        .macro  enter_n base
        save    %sp, -FRAME, %sp
        locals  load, \base, 0
        outs    load, \base, 8
        save    %sp, -FRAME, %sp
        locals  load, \base, 14
        outs    load, \base, 22
        save    %sp, -FRAME, %sp
        four    load, \base, 28, l
        .endm
/* From W2 to W0, with B. */
        .macro  enter_b base
        outs    load, \base, 0
        save    %sp, -FRAME, %sp
        locals  load, \base, 6
        outs    load, \base, 14
        save    %sp, -FRAME, %sp
        locals  load, \base, 20
        four    load, \base, 28, o
        .endm

        .macro  clear_window
        .irp    r, l0, l1, l2, l3, l4, l5, l6, l7, o0, o1, o2, o3, o4, o5
        clr     %\r
        .endr
        .endm
/* The place of a window's locals, and of its ins if \num is 14. */
        .macro  clear_memory at, num
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
        .if     \i < \num
        stx     %g0, [%sp + \at + 8 * \i]
        .endif
        .endr
        .endm
/* Leaves a window for its caller's.  Its ins are the caller's outs, and cleared with them. */
        .macro  leave_cleared
        restore
        clear_window
        clear_memory BIAS-FRAME, 14
        .endm
/* Returns %g4 from W0, and stores A at %i0 if that is zero. */
        .macro  return_cleared
        clear_window
        leave_cleared                   ! W1
        leave_cleared                   ! W2
        leave_cleared                   ! W3
        leave_cleared                   ! W4
        restore                         ! W5
        brnz,pn %g4, 1f
         nop
        locals  store, %i0, 0
        outs    store, %i0, 8
        doubles store_double, %i0
1:      clear_window
        doubles clear_double, 0
        fzero   %f60
        clear_memory BIAS-FRAME, 14
        clear_memory BIAS, 8
        ret
         restore %g4, 0, %o0
        .endm

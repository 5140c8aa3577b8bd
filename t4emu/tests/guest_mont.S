/* SPDX-License-Identifier: Apache-2.0 */
/* Executes montmul or montsqr: a = a b 2^(-64 words) mod n, or a = a a 2^(-64 words) mod n.
 *
 *   uint64_t guest_montgomery(struct guest_operands *p, unsigned how);
 *
 * how is words - 1 for montmul, 32 + words - 1 for montsqr. Afterwards p->fsr is FSR, and the
 * rest of *p has the contents of the registers. Six windows below the caller's are filled, the
 * outermost first; %g1 is p, %g4 the offset to jump to. Every window takes 176 bytes of stack.
 *
 *   window  l0-l7      o0-o5 (i0-i5 of the next)
 *   5       a[0..7]    a[8..13]
 *   4       n[0..7]    n[8..13]
 *   3       n[14..21]  n[22..27]
 *   2       n[28..31]  b[0..5]
 *   1       b[6..13]   b[14..19]
 *   0       b[20..27]  o0-o3: b[28..31]          %f24..%f58: a[14..31], %f60: n0 */

#define AT_A 0
#define AT_B 256
#define AT_N 512
#define AT_N0 768
#define AT_FSR 776

.macro locals op, offset
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    \op \offset + 8 * \i, %l\i
    .endr
.endm

.macro get offset, to
    ldx [%g1 + \offset], \to
.endm

.macro put offset, from
    stx \from, [%g1 + \offset]
.endm

.macro outs op, offset
    .irp i, 0, 1, 2, 3, 4, 5
    \op \offset + 8 * \i, %o\i
    .endr
.endm

.macro four op, offset, kind
    .irp i, 0, 1, 2, 3
    \op \offset + 8 * \i, %\kind\i
    .endr
.endm

.macro doubles op
    .irp i, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58
    \op AT_A + 14 * 8 + (\i - 24) * 4, %f\i
    .endr
.endm

.macro getd offset, to
    ldd [%g1 + \offset], \to
.endm

.macro putd offset, from
    std \from, [%g1 + \offset]
.endm

    .text
    .globl guest_montgomery
    .hidden guest_montgomery
    .type guest_montgomery, #function
    .align 32
guest_montgomery:
    mov     %o0, %g1
    mov     %o7, %g5
1:  call    2f
    sllx    %o1, 2, %g4
2:  mulx    %g4, 3, %g4                 /* each entry has three instructions */
    add     %o7, %g4, %g4
    add     %g4, .Ltable - 1b, %g4
    mov     %g5, %o7
    save    %sp, -176, %sp
    locals  get, AT_A
    outs    get, AT_A+64
    save    %sp, -176, %sp
    locals  get, AT_N
    outs    get, AT_N+64
    save    %sp, -176, %sp
    locals  get, AT_N+112
    outs    get, AT_N+176
    save    %sp, -176, %sp
    four    get, AT_N+224, l
    outs    get, AT_B
    save    %sp, -176, %sp
    locals  get, AT_B+48
    outs    get, AT_B+112
    save    %sp, -176, %sp
    locals  get, AT_B+160
    four    get, AT_B+224, o
    doubles getd
    getd    AT_N0, %f60
    jmpl    %g4, %g0
    nop

.macro entries name, from
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    \name   \from + \i
    ba      .Ldone
    nop
    .endr
.endm

.Ltable:
    entries montmul, 0
    entries montmul, 8
    entries montmul, 16
    entries montmul, 24
    entries montsqr, 0
    entries montsqr, 8
    entries montsqr, 16
    entries montsqr, 24

.Ldone:
    doubles putd
    putd    AT_N0, %f60
    stx     %fsr, [%g1 + AT_FSR]
    locals  put, AT_B+160
    four    put, AT_B+224, o
    restore
    locals  put, AT_B+48
    outs    put, AT_B+112
    restore
    four    put, AT_N+224, l
    outs    put, AT_B
    restore
    locals  put, AT_N+112
    outs    put, AT_N+176
    restore
    locals  put, AT_N
    outs    put, AT_N+64
    restore
    locals  put, AT_A
    outs    put, AT_A+64
    restore
    retl
    nop
    .size   guest_montgomery, . - guest_montgomery
    .section .note.GNU-stack, "", @progbits

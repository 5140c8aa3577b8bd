/* SPDX-License-Identifier: Apache-2.0 */
/* void guest_execute(struct guest_state *state, const uint32_t *code): loads the registers from
 * `state`, calls `code`, which ends in "retl; nop", and stores the registers again. %o7 and %i6
 * are not taken from the state. */
#define D 48
#define GSR 304
#define FSR 312
#define CCR 320
#define ASI 328

.macro double_registers load
    .set offset, D
    double_bank \load, 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30
    double_bank \load, 32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62
.endm

.macro double_bank load, numbers:vararg
    .irp n, \numbers
    .if \load
    ldd [%i0 + offset], %f\n
    .else
    std %f\n, [%i0 + offset]
    .endif
    .set offset, offset + 8
    .endr
.endm

    .section ".text"
    .globl guest_execute
    .type guest_execute, #function
guest_execute:
    save %sp, -176, %sp
    double_registers 1
    ldx [%i0 + GSR], %l0
    wr %l0, 0, %gsr
    ldx [%i0 + FSR], %fsr
    ldx [%i0 + ASI], %l0
    wr %l0, 0, %asi
    .irp n, 0,1,2,3,4,5
    ldx [%i0 + 8 * \n], %o\n
    .endr
    ldx [%i0 + CCR], %l0
    wr %l0, 0, %ccr
    jmpl %i1, %o7
    nop
    rd %ccr, %l0
    stx %l0, [%i0 + CCR]
    .irp n, 0,1,2,3,4,5
    stx %o\n, [%i0 + 8 * \n]
    .endr
    rd %asi, %l0
    stx %l0, [%i0 + ASI]
    stx %fsr, [%i0 + FSR]
    rd %gsr, %l0
    stx %l0, [%i0 + GSR]
    double_registers 0
    wr %g0, 0x82, %asi
    ret
    restore
    .size guest_execute, . - guest_execute
    .section .note.GNU-stack, "", @progbits

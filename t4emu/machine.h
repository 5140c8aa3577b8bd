/* SPDX-License-Identifier: Apache-2.0 */
/* The state that an instruction of the SPARC T4 reads and changes: registers, and memory through
 * two calls. It is filled from a signal frame on a sparc64 under QEMU (frame.c), and directly in
 * the unit tests and the fuzzer, which run on any machine. */
#ifndef T4EMU_MACHINE_H
#define T4EMU_MACHINE_H

#include <stddef.h>
#include <stdint.h>

enum { T4_WINDOWS = 6, T4_FCC3_SHIFT = 36 };
enum { T4_FCC_EQUAL, T4_FCC_LESS, T4_FCC_GREATER, T4_FCC_UNORDERED };

struct t4_window {
    uint64_t l[8], i[8];
};

struct t4_machine {
    uint64_t g[8], o[8]; /* %g0 is 0 */
    /* 0 is the current window, 1 its caller's, ... The o registers of window n + 1 are the i
     * registers of window n. */
    struct t4_window window[T4_WINDOWS];
    uint64_t d[32]; /* %f0, %f2, ... %f62; %f1 is the low half of d[0] */
    uint64_t fsr, gsr;
    uint64_t pc, npc;
    uint8_t ccr, asi;
    uint8_t windows_read; /* how many of `window` are valid: 1, or T4_WINDOWS after read_windows */

    /* Memory: copy `len` bytes in memory order. Return 0, or T4_FAULT for a bad address. On
     * SPARC a bad address faults inside the call, as it would in the instruction. */
    int (*load)(struct t4_machine *m, void *to, uint64_t address, size_t len);
    int (*store)(struct t4_machine *m, uint64_t address, const void *from, size_t len);
    /* Fetches window[1..], which only Montgomery instructions need, and sets windows_read, by
     * which frame_write knows that it has to write them back. */
    int (*read_windows)(struct t4_machine *m);
    const struct t4_model *model;
};

/* The features of a particular T4, and how strictly programs are judged. */
struct t4_model {
    uint32_t cfr; /* capability bits; an instruction whose bit is 0 is illegal */
    uint8_t
        /* T4_UNDEFINED for forms that the definitions leave open, instead of a best guess. */
        die_on_undefined;
    uint8_t poison; /* undefined results are garbage: Montgomery scratch, block-init lines */
    uint32_t mont_failures; /* every n-th montmul or montsqr fails (fcc3 is unordered); 0: none */
};

enum t4_result {
    T4_DONE,         /* the registers are the new state; pc and npc are advanced */
    T4_ILLEGAL,      /* this CPU has no such instruction: the program gets SIGILL */
    T4_UNDOCUMENTED, /* a T4 has the instruction, but its operation is not public: kasumi, mpmul */
    T4_UNDEFINED,    /* with die_on_undefined: the program relies on undefined behaviour */
    T4_FAULT,        /* a load or store reported a bad address, or the address is misaligned */
};

/* ---- instructions ---- */

/* A row of opcodes.def, numbered in the order of the file; T4_NONE is no row. */
enum t4_op {
    T4_NONE,
#define T4_OP(SYM, ...) T4_##SYM,
#include "opcodes.def"
    T4_NUM_OPS
};

struct t4_insn {
    uint32_t word;
    enum t4_op op;
    uint8_t rd, rs1, rs2, rs3; /* 5-bit fields, as coded */
    uint8_t imm;               /* 1: bit 13 is set, and simm13 takes the place of rs2 */
    int16_t simm13;
    uint64_t pc; /* set by t4_execute */
};

typedef enum t4_result t4_execute_fn(struct t4_machine *m, const struct t4_insn *insn);

struct t4_opcode {
    const char *name;
    uint32_t match, mask;   /* an instruction matches if (word & mask) == match */
    uint32_t reserved;      /* bits that must be 0; otherwise the result is undefined */
    int8_t cfr_bit;         /* -1: no capability bit belongs to the instruction */
    t4_execute_fn *execute; /* NULL: T4_UNDOCUMENTED */
};
extern const struct t4_opcode t4_opcodes[T4_NUM_OPS];

/* Finds the row of an instruction word; T4_NONE if it is not an emulated instruction. */
enum t4_op t4_decode(struct t4_insn *insn, uint32_t word);
/* Whether an instruction reads and changes nothing but registers of the current window, and is none
 * that a SPARC without crypto has. */
int t4_registers_only(enum t4_op op);

/* Decodes and executes `word`, the instruction at m->pc. After T4_DONE, pc and npc are those of the
 * next instruction. */
enum t4_result t4_step(struct t4_machine *m, uint32_t word, enum t4_op *op);
/* Executes an instruction with the parts that all rows share: reserved bits, pc and npc. */
enum t4_result t4_execute(struct t4_machine *m, struct t4_insn *insn, t4_execute_fn *execute);

/* ---- registers ---- */

/* The index of a double register by its 5-bit field: %f0..%f62 are coded (n & 31) | (n >> 5). */
static inline unsigned t4_double_index(unsigned field)
{
    return (field & 1) << 4 | field >> 1;
}

static inline uint64_t t4_get_d(const struct t4_machine *m, unsigned field)
{
    return m->d[t4_double_index(field)];
}

static inline void t4_set_d(struct t4_machine *m, unsigned field, uint64_t value)
{
    m->d[t4_double_index(field)] = value;
}

/* Single registers %f0..%f31. */
static inline uint32_t t4_get_s(const struct t4_machine *m, unsigned n)
{
    return (uint32_t)(m->d[n >> 1] >> (n & 1 ? 0 : 32));
}

static inline void t4_set_s(struct t4_machine *m, unsigned n, uint32_t value)
{
    const unsigned shift = n & 1 ? 0 : 32;
    m->d[n >> 1] = (m->d[n >> 1] & ~((uint64_t)UINT32_MAX << shift)) | (uint64_t)value << shift;
}

/* Integer registers 0..31: g, o, l and i of the current window. */
uint64_t t4_get_r(const struct t4_machine *m, unsigned n);
void t4_set_r(struct t4_machine *m, unsigned n, uint64_t value);

/* The second operand: rs2 or simm13. */
uint64_t t4_operand2(const struct t4_machine *m, const struct t4_insn *insn);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of code.h: one instruction at a time, of any architecture.
 */
#ifndef TRACE_CODE_INSN_H
#define TRACE_CODE_INSN_H

#include "code.h"
#include <Zydis/Zydis.h>

enum flow {
    FLOW_NEXT,
    FLOW_COND, /* may branch */
    FLOW_CALL,
    FLOW_JUMP, /* direct, or indirect where there is no target */
    FLOW_END,  /* return, trap, or anything that does not go on */
    FLOW_BAD,  /* not an instruction: len bytes to skip */
};

/* What an instruction does to data, as far as structure is told by it. */
enum work {
    WORK_OTHER,
    WORK_MOVE,
    WORK_PAD, /* no-operation */
    WORK_AND, /* and AND NOT; the non-linear one of a circuit */
    WORK_OR,
    WORK_XOR,
    WORK_NOT,
    WORK_TERN, /* any boolean function of three */
    WORK_SHIFT,
    WORK_ROTATE,
    WORK_MUL, /* of integers */
    NUM_WORKS
};

struct insn {
    uint64_t target; /* of a direct branch or call */
    marks marks;
    uint32_t offset; /* in code->bytes */
    uint8_t len, flow, work;
    bool has_target;
    uint16_t vector_bits;
};

/* code->len of at most 4 GiB is walked. */
struct walk {
    const struct code *code;
    size_t at, end;
    ZydisDecoder zydis;
    ZydisDecodedInstruction raw; /* x86: of the last instruction; not where it is unknown */
    bool known;
    uint64_t word; /* others: of the last instruction; s390's are left-aligned in 48 bits */
};

void walk_start(struct walk *, const struct code *, size_t from);
bool walk_next(struct walk *, struct insn *out); /* false: the end */
marks walk_marks(const struct code *);           /* of every instruction, together */

static inline bool arch_is_x86(enum arch arch)
{
    return arch == ARCH_X86_64 || arch == ARCH_X86_32;
}

/* All instructions of a part of the code, of which one begins at ip where that is possible. */
struct listing {
    struct insn *at;
    size_t num, ip; /* ip: index of the instruction there */
    uint8_t *state; /* two bytes an instruction, for who reads the listing: see code_around.c */
};
/* At most 32 KiB on either side of ip.  false: nothing begins at ip, or no memory. */
bool listing_make(struct listing *, const struct code *, uint64_t ip);
void listing_free(struct listing *);
/* The instruction that begins at an address; num: none. */
size_t listing_find(const struct listing *, const struct code *, uint64_t address);

/* x86 */
void x86_start(struct walk *);
void x86_next(struct walk *, struct insn *);
bool x86_candidate(const struct code *);
/* An instruction that Zydis 4.0 does not know, by its encoding: its length, or 0. */
size_t x86_unknown(marks *out, const uint8_t *p, size_t len, bool long_mode);
/* One that the table of mnemonics tells more of. */
struct x86_mnemonic {
    marks marks;
    uint8_t work;
};
struct x86_mnemonic x86_mnemonic(ZydisMnemonic);
/* A displacement that is an address by itself or from RIP (of the instruction at `address`), or
 * false. */
bool x86_address(uint64_t *out, const struct walk *, uint64_t address);

/* All others */
void word_next(struct walk *, struct insn *);
marks words_marks(const struct code *);
uint64_t word_immediate(const struct walk *, const struct insn *); /* arm64: of a logical one; 0 */

#endif

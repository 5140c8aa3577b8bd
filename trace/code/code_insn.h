/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding of one instruction at a time, on any architecture; used by the files of code.h only.
 */
#ifndef TRACE_CODE_INSN_H
#define TRACE_CODE_INSN_H

#include "code.h"
#include <Zydis/Zydis.h>

enum flow {
    FLOW_NEXT,
    FLOW_COND, /* a conditional branch */
    FLOW_CALL,
    FLOW_JUMP, /* a direct jump, or an indirect one where there is no target */
    FLOW_END,  /* a return, a trap, or another instruction that execution does not pass */
    FLOW_BAD,  /* no valid instruction: len bytes are skipped */
};

/* An instruction's effect on data, as far as the search for structures needs it. */
enum work {
    WORK_OTHER,
    WORK_MOVE,
    WORK_PAD, /* a no-operation */
    WORK_AND, /* AND, and AND NOT: the non-linear gates of a circuit */
    WORK_OR,
    WORK_XOR,
    WORK_NOT,
    WORK_TERN, /* any boolean function of three operands */
    WORK_SHIFT,
    WORK_ROTATE,
    WORK_MUL, /* integer multiplication */
    NUM_WORKS
};

struct insn {
    uint64_t target; /* target of a direct branch or call */
    marks marks;
    uint32_t offset; /* offset in code->bytes */
    uint8_t len, flow, work;
    bool has_target;
    bool lookup, shuffle, mask; /* see struct mix */
    bool stores;                /* stores a whole vector register to memory other than the stack */
    uint16_t vector_bits;
};

/* A decoder's position in the code. At most 4 GiB of code are decoded. */
struct walk {
    const struct code *code;
    size_t at, end;
    ZydisDecoder zydis;
    /* The last instruction: on x86 in raw (not valid if Zydis does not know it), else in word
     * (s390's are left-aligned in 48 bits). */
    ZydisDecodedInstruction raw;
    bool known;
    uint64_t word;
};

void code_walk_start(struct walk *, const struct code *, size_t from);
bool code_walk_next(struct walk *, struct insn *out); /* false: the end of the code */
marks code_walk_marks(const struct code *);           /* the marks of all instructions together */

static inline bool arch_is_x86(enum arch arch)
{
    return arch == ARCH_X86_64 || arch == ARCH_X86_32;
}

/* All instructions of a part of the code. One of them begins at ip where that is possible. */
struct listing {
    struct insn *at;
    size_t num, ip; /* ip: index of the instruction at the address ip */
    uint8_t *state; /* two bytes an instruction, see code_around.c */
};
/* Lists the instructions of at most 32 KiB on either side of ip. Returns false where no
 * instruction begins at ip, or without memory. */
bool listing_make(struct listing *, const struct code *, uint64_t ip);
void listing_free(struct listing *);
/* The index of the instruction that begins at an address; num where there is none. */
size_t listing_find(const struct listing *, const struct code *, uint64_t address);

/* x86 only */
void x86_start(struct walk *);
void x86_next(struct walk *, struct insn *);
bool x86_candidate(const struct code *);
/* Recognises, by its encoding, an instruction that Zydis 4.0 does not know. Returns its length, or
 * 0. */
size_t x86_unknown(marks *out, const uint8_t *p, size_t len, bool long_mode);
/* A row of the table of x86 mnemonics (x86_mnemonics.def). */
struct x86_mnemonic {
    marks marks;
    uint8_t work;
};
struct x86_mnemonic x86_mnemonic(ZydisMnemonic);
/* Gets the address that a displacement names, absolute or relative to RIP, of the instruction at
 * `address`. Returns false where there is none. */
bool x86_address(uint64_t *out, const struct walk *, uint64_t address);

/* arm64: the pages that ADRP put into registers. */
struct pages {
    uint64_t at[32];
    uint32_t known; /* one bit for each register */
};
/* Calls fn for the address that an instruction forms, see code_references(). */
void references_arm64(struct pages *, const struct insn *, uint32_t word, uint64_t from,
                      code_reference_fn *fn, void *ctx);

/* All other architectures */
void word_next(struct walk *, struct insn *);
marks words_marks(const struct code *);
/* arm64: the immediate of a logical instruction or of a MOVI of bytes, else 0. */
uint64_t word_immediate(const struct walk *, const struct insn *);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code as bytes: which marks (classes of instructions) it holds, and what is around an
 * address. x86 is decoded by Zydis; fixed-width architectures by masks over their words.  Input is
 * hostile: every function takes any bytes.
 */
#ifndef TRACE_CODE_H
#define TRACE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum arch {
    ARCH_NONE,
    ARCH_X86_64,
    ARCH_X86_32,
    ARCH_ARM64,
    ARCH_SPARC64,
    ARCH_PPC64,
    ARCH_S390X,
    NUM_ARCHES
};

/* One function, or one window of JIT code. */
struct code {
    const uint8_t *bytes;
    size_t len;
    uint64_t address; /* of bytes[0]; a file's virtual address, or a process's */
    enum arch arch;
    bool big_endian;
};

/* Bits of a set; marks.def has a row for each: MARK(ID, "printed mnemonic"). */
enum mark_bit {
#define MARK(id, text) MARK_BIT_##id,
#include "marks.def"
#undef MARK
    NUM_MARKS
};
typedef uint64_t marks; /* OR of MARK_... */
#define MARK(id) ((marks)1 << MARK_BIT_##id)

/* A quick look at the bytes: false only where no mark of a crypto instruction can be inside. */
bool code_candidate(const struct code *);
/* Every mark in the code, decoded from its beginning. */
marks code_marks(const struct code *);

/* What surrounds one address. */
struct around {
    bool decoded;   /* ip is the start of an instruction that decoding from the beginning reaches */
    marks loop;     /* of the innermost loop around ip that holds a crypto instruction */
    marks run;      /* of the straight run (no branch target, no jump) around ip */
    marks function; /* of all the code */
    uint16_t
        vector_bits; /* widest vector register of the loop, or of the function: 0, 128, 256, 512 */
    uint16_t logic_permille; /* boolean and shift instructions of the loop or run: bitsliced code is
                                near 1000 */
    uint32_t num_insns;      /* of that loop or run */
};
void code_around(struct around *out, const struct code *, uint64_t ip);

/* Calls fn for each address that the code forms: RIP-relative operands, absolute displacements,
 * immediates, ADRP+ADD. */
typedef void code_reference_fn(void *ctx, uint64_t from, uint64_t to);
void code_references(const struct code *, code_reference_fn *fn, void *ctx);
/* Calls fn for each direct branch and call: its address and its target. */
void code_branches(const struct code *, code_reference_fn *fn, void *ctx);

/* A place for a probe that is passed exactly once in each call of the function that the code is. */
struct probe_point {
    uint64_t
        address;   /* an instruction's start in the first run of straight code; 0: none is safe */
    bool emulated; /* the kernel emulates it (push, 1-byte nop, jcc, call): 0.6 us instead of 3.9 */
};
/* targets: addresses that branches from anywhere reach, sorted; the run ends before the first
 * inside it. */
void code_probe_point(struct probe_point *out, const struct code *, const uint64_t *targets,
                      size_t num_targets);

/* Bytes of the function with displacements and branch targets as zero, into a 128-bit hash; false:
 * too short (< 4 insns). */
bool code_fingerprint(uint8_t out[16], const struct code *);

/* "AESENC+AESENCLAST": the printed names of a set, most telling first, at most max bytes. */
void marks_text(char *out, size_t max, marks);

#endif

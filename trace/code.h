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
    /* The len bytes at a virtual address of the same file, or NULL where it has none: for the
     * constants that vector code loads.  NULL: only immediates are looked at. */
    const uint8_t *(*data)(const void *ctx, uint64_t address, size_t len);
    const void *data_ctx;
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
#define MARKS_ALL (((marks)1 << NUM_MARKS) - 1)
/* Not crypto hardware: accelerated arithmetic, and checksums. */
#define MARKS_ARITHMETIC (MARK(MULX) | MARK(ADX) | MARK(IFMA) | MARK(MONTMUL) | MARK(MPMUL))
#define MARKS_CHECKSUM MARK(CRC32)
#define MARKS_CRYPTO (MARKS_ALL & ~(MARKS_ARITHMETIC | MARKS_CHECKSUM))
/* AES rounds of any kind; and what hashing with AES rounds does not use. */
#define MARKS_AES \
    (MARK(AES_ENC) | MARK(AES_DEC) | MARK(AES_ENCLAST) | MARK(AES_DECLAST) | MARK(AES_ANY))
#define MARKS_AES_CIPHER (MARK(AES_ENCLAST) | MARK(AES_DECLAST) | MARK(AES_KEY))

/* A quick look at the bytes (GB/s): false only where no mark can be inside. */
bool code_candidate(const struct code *);
/* Every mark in the code, decoded from its beginning. */
marks code_marks(const struct code *);

/* What surrounds one address.  Where a wrong start or data before ip misleads the decoder, it
 * begins anew so that it meets ip. */
struct around {
    bool decoded;   /* an instruction begins at ip; false: all else is 0 */
    bool in_loop;   /* a loop of direct branches leads through ip */
    marks loop;     /* of the innermost loop through ip that holds a crypto instruction; without
                       one, of the innermost that holds a mark */
    marks run;      /* of the straight run (no branch target, no jump) around ip */
    marks function; /* of all the code, as far as 32 KiB on either side of ip */
    /* Of that loop; where no loop has a mark, of the innermost loop; without a loop, of the run: */
    uint32_t num_insns;
    uint16_t vector_bits;    /* widest vector register: 0, 128, 256, 512 */
    uint16_t logic_permille; /* boolean, shift and rotate instructions among those that are not
                                moves: bitsliced code is near 1000 */
};
void code_around(struct around *out, const struct code *, uint64_t ip);

/* Calls fn for each address that the code forms: RIP-relative operands, 32-bit displacements and
 * immediates, 64-bit immediates; on arm64 ADR, ADRP with ADD, loads or stores, and literal loads.
 * Other architectures, and i386's GOT-relative ones: none. */
typedef void code_reference_fn(void *ctx, uint64_t from, uint64_t to);
void code_references(const struct code *, code_reference_fn *fn, void *ctx);
/* General registers (as x86 numbers them) by which loads find their place; nothing is stored in a
 * table.  Other architectures: all. */
struct code_registers {
    uint32_t given;   /* as the caller left them; of code from its entry on */
    uint32_t indexed; /* added to another one, as a look-up in a table does */
};
struct code_registers code_registers(const struct code *);
/* Calls fn for each direct branch and call: its address and its target. */
void code_branches(const struct code *, code_reference_fn *fn, void *ctx);

/* A place for a uprobe that is passed exactly once in each call of the function that the code is.
 * Recursive calls are calls; a function with a jump to its own entry has no such place.  x86 only.
 */
struct probe_point {
    uint64_t
        address;   /* an instruction's start in the first run of straight code; 0: none is safe */
    bool emulated; /* the kernel emulates it (push, 1-byte nop, jcc, call, jmp): 0.6 us instead
                      of 3.9 */
};
/* targets: addresses that branches from anywhere reach, sorted; the run ends before the first
 * inside it.  The entry itself may be among them. */
void code_probe_point(struct probe_point *out, const struct code *, const uint64_t *targets,
                      size_t num_targets);

/* The part of the code that holds ip and that no branch leaves or enters: one of several routines
 * whose borders nobody tells.  All of it where ip is outside. */
struct code code_routine(const struct code *, uint64_t ip);

/* Structures that betray software without tables; quick where neither can be inside.
 * Bitsliced: bit planes (swaps with masks 0x55.., 0x33.., 0x0f.., rows of 16 bits) in dense boolean
 * code, or the circuit of an S-box; never where AES instructions are.  Carry-less multiplication:
 * integer multiplications of operands masked with 0x11.., 0x22.., 0x44.., 0x88.. (GHASH, POLYVAL).
 * x86, arm64. */
enum { CODE_BITSLICED = 1, CODE_CLMUL = 2 };
unsigned code_structure(const struct code *); /* both at once: OR of CODE_... */
bool code_is_bitsliced(const struct code *);
bool code_is_software_clmul(const struct code *);
/* Whether code with carry-less multiplications reduces by GHASH's polynomial.  x86 only. */
bool code_is_ghash(const struct code *);

/* Algorithms of additions and rotations, by the amounts of those.  x86; of 32 KiB at most. */
enum rotations {
    ROTATIONS_OTHER,
    ROTATIONS_CHACHA,
    ROTATIONS_CHACHA_VECTOR,
    ROTATIONS_BLAKE2, /* and BLAKE3 */
    ROTATIONS_BLAKE2_VECTOR,
};
enum rotations code_rotations(const struct code *);

/* XXH3 (128 bits, canonical form) of the function's bytes with what a linker fills in as zero, and
 * without padding at its end.  false: too short (< 4 instructions) to tell functions apart. */
bool code_fingerprint(uint8_t out[16], const struct code *);

/* "AESENC+AESENCLAST": the printed names of a set, most telling first; whole names, at most max
 * bytes with the 0. */
void marks_text(char *out, size_t max, marks);

#endif

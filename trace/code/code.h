/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: which marks (classes of instructions) it contains, and which instructions surround
 * an address.  x86 is decoded by Zydis, architectures with instructions of fixed width by masks.
 * Code may be hostile: every function accepts any bytes.
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

/* The code of one function, or a part of JIT code. */
struct code {
    const uint8_t *bytes;
    size_t len;
    uint64_t address; /* address of bytes[0], in the file or in a process */
    enum arch arch;
    bool big_endian;
    /* Returns the len bytes at a virtual address of the same file, or NULL if it has none there;
     * for constants that vector code loads.  If `data` is NULL, only immediates are considered. */
    const uint8_t *(*data)(const void *ctx, uint64_t address, size_t len);
    const void *data_ctx;
};

/* A mark is a class of instructions; marks.def has a line for each. */
enum mark_bit {
#define MARK(id, text) MARK_BIT_##id,
#include "marks.def"
#undef MARK
    NUM_MARKS
};
typedef uint64_t marks; /* OR of MARK_... */
#define MARK(id) ((marks)1 << MARK_BIT_##id)
#define MARKS_ALL (((marks)1 << NUM_MARKS) - 1)
/* Marks that are not crypto hardware: accelerated arithmetic, and checksums. */
#define MARKS_ARITHMETIC (MARK(MULX) | MARK(ADX) | MARK(IFMA) | MARK(MONTMUL) | MARK(MPMUL))
#define MARKS_CHECKSUM MARK(CRC32)
#define MARKS_CRYPTO (MARKS_ALL & ~(MARKS_ARITHMETIC | MARKS_CHECKSUM))
/* AES rounds of any kind; and AES instructions that a hash table's hash does not use. */
#define MARKS_AES \
    (MARK(AES_ENC) | MARK(AES_DEC) | MARK(AES_ENCLAST) | MARK(AES_DECLAST) | MARK(AES_ANY))
#define MARKS_AES_CIPHER (MARK(AES_ENCLAST) | MARK(AES_DECLAST) | MARK(AES_KEY))

/* code_candidate looks at the bytes quickly (GB/s); if it returns false, the code has no mark. */
bool code_candidate(const struct code *);
/* code_marks decodes the code from its beginning and returns all its marks. */
marks code_marks(const struct code *);

/* How many instructions of a part of the code do what. */
struct mix {
    uint32_t works; /* all but moves */
    uint32_t xors, rotates, shifts, products;
    uint32_t masks;    /* AND with an immediate of more than a byte */
    uint32_t lookups;  /* loads with an index */
    uint32_t shuffles; /* permutations of the bytes of a vector */
};

/* The surroundings of the address ip.  If a wrong start, or data before ip, makes the decoder miss
 * ip, it starts again elsewhere so that an instruction begins at ip. */
struct around {
    bool decoded;   /* an instruction begins at ip; if false, all else is 0 */
    bool in_loop;   /* a loop of direct branches leads through ip */
    marks loop;     /* marks of the innermost loop through ip with a crypto instruction, else of the
                       innermost one with any mark */
    marks run;      /* marks of the straight code (no jump, no branch target) around ip */
    marks function; /* marks of all the code, up to 32 KiB on either side of ip */
    /* About that loop, or the innermost loop if none has a mark, or the straight code if there is
     * no loop: */
    uint32_t num_insns;
    bool stores; /* stores whole vector registers to memory other than the stack; x86, arm64 */
    uint16_t vector_bits; /* widest vector register: 0, 128, 256, 512 */
    struct mix mix;
    struct mix outer;        /* of the largest loop through ip of at most 600 instructions */
    uint16_t logic_permille; /* share of boolean, shift and rotate instructions among all but moves;
                                near 1000 in bitsliced code */
};
void code_around(struct around *out, const struct code *, uint64_t ip);

/* code_references calls fn for each address that the code forms: by RIP-relative operands, 32-bit
 * displacements and immediates, and 64-bit immediates; on arm64 by ADR, by ADRP with ADD, loads or
 * stores, and by literal loads.  It finds none on other architectures, and no GOT-relative ones of
 * i386. */
typedef void code_reference_fn(void *ctx, uint64_t from, uint64_t to);
void code_references(const struct code *, code_reference_fn *fn, void *ctx);
/* code_loads calls fn for the addresses that the code forms and loads from, not for those that it
 * only passes on: also for the address that a register holds to which the load adds an offset. The
 * same address may be told several times. */
void code_loads(const struct code *, code_reference_fn *fn, void *ctx);
/* The general registers (numbered as on x86) from which loads compute their addresses; stores are
 * not considered, because tables are only read.  All registers on other architectures. */
struct code_registers {
    uint32_t given;   /* still with the caller's value, if the code begins at a function's entry */
    uint32_t indexed; /* added to another register, as in a table look-up */
};
struct code_registers code_registers(const struct code *);
/* code_branches calls fn with the address and the target of each direct branch and call. */
void code_branches(const struct code *, code_reference_fn *fn, void *ctx);

/* A place for a uprobe that is executed exactly once in each call of the function, also in
 * recursive calls.  A function that jumps to its own entry has no such place.  x86 only. */
struct probe_point {
    uint64_t address; /* start of an instruction in the function's first straight code; 0: none is
                         safe */
    bool emulated;    /* the kernel emulates this instruction (push, 1-byte nop, jcc, call, jmp), so
                         that a hit takes 0.6 us instead of 3.9 */
};
/* code_probe_point finds such a place.  `targets` are the addresses, sorted, to which any branch in
 * the file leads; straight code ends at the first of them after the entry. */
void code_probe_point(struct probe_point *out, const struct code *, const uint64_t *targets,
                      size_t num_targets);

/* code_routine returns the part of the code around ip that no branch enters or leaves, for code of
 * several routines whose borders are unknown.  It returns all the code if ip is outside. */
struct code code_routine(const struct code *, uint64_t ip);

/* code_structure finds software that uses no tables, by its structure.
 * CODE_BITSLICED: swaps of bits with the masks 0x55.., 0x33.., 0x0f.. or rows of 16 bits, in code
 * of mostly boolean instructions; or the circuit of an S-box; and no AES instructions.  CODE_CLMUL:
 * integer multiplications of operands masked with 0x11.., 0x22.., 0x44.., 0x88.., which make
 * carry-less products (GHASH, POLYVAL).  x86, arm64. */
enum { CODE_BITSLICED = 1, CODE_CLMUL = 2 };
unsigned code_structure(const struct code *); /* OR of CODE_... */
bool code_is_bitsliced(const struct code *);
bool code_is_software_clmul(const struct code *);
/* code_is_ghash tells whether code with carry-less multiplications reduces by GHASH's polynomial.
 * x86 only. */
bool code_is_ghash(const struct code *);

/* code_rotations recognises algorithms of additions and rotations by the rotations' amounts.  x86,
 * code of at most 32 KiB. */
enum rotations {
    ROTATIONS_OTHER,
    ROTATIONS_CHACHA,
    ROTATIONS_CHACHA_VECTOR,
    ROTATIONS_BLAKE2, /* and BLAKE3 */
    ROTATIONS_BLAKE2_VECTOR,
    ROTATIONS_TABLE_HASH, /* SipHash, or Jenkins' lookup3: hash functions of hash tables */
};
enum rotations code_rotations(const struct code *);

/* code_fingerprint hashes the function's bytes by XXH3 (128 bits, canonical form), with the bytes
 * that a linker fills in as zero and without padding at its end.  It returns false if the function
 * has less than 4 instructions, too few to tell functions apart. */
bool code_fingerprint(uint8_t out[16], const struct code *);

/* marks_text writes the names of marks in the order of marks.def, such as "AESENC+AESENCLAST"; as
 * many whole names as fit max bytes with the final 0. */
void marks_text(char *out, size_t max, marks);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tracer can find: the family of an algorithm, how it was computed, and how good the
 * evidence is.
 */
#ifndef TRACE_CRYPTO_H
#define TRACE_CRYPTO_H

#include <stdint.h>

enum family {
    FAMILY_NONE,
#define FAMILY(id, ...) FAMILY_##id,
#include "families.def"
#undef FAMILY
    NUM_FAMILIES
};

/* The purpose of a family. Only ciphers, digests and MACs count as crypto in a verdict. */
enum kind {
    KIND_NONE,
    KIND_CIPHER,
    KIND_DIGEST,
    KIND_MAC,
    KIND_ARITHMETIC,
    KIND_CHECKSUM,
    KIND_HASHING,
    KIND_UNCLASSIFIED
};

/* How an algorithm was computed. */
enum how {
    HOW_NONE,
    HOW_HARDWARE, /* by the CPU's instructions for this algorithm */
    HOW_VECTOR, /* vector software, of an algorithm for which this architecture has no instructions
                 */
    HOW_SOFTWARE,   /* any other software, vpaes and SSSE3 SHA included: the variant says which */
    HOW_ARITHMETIC, /* arithmetic of long numbers: MULX, ADX, IFMA and the like, or by its constants
                       or name */
    HOW_CHECKSUM,   /* a checksum, with or without instructions for it */
    HOW_HASHING,    /* AES rounds as the hash function of a hash table */
    HOW_UNCLASSIFIED, /* looks like crypto, but nothing names the algorithm */
    NUM_HOWS
};

/* Grades of evidence, best first; printed as a letter in brackets. */
enum grade {
    GRADE_A = 'A', /* a crypto instruction in the loop, or the straight run of code, around the
                      sampled IP */
    GRADE_B = 'B', /* the function contains the instruction, refers to the constants, or has the
                      structure */
    GRADE_C = 'C', /* a register points into a table of constants */
    GRADE_D = 'D', /* the fingerprint of the function */
    GRADE_E = 'E', /* the name of the function only */
};

/* Where the name of a function comes from. */
enum name_source {
    NAME_NONE,        /* no name: printed as +0x1234 */
    NAME_SYMBOL,      /* .symtab, .dynsym, debuginfo */
    NAME_PCLNTAB,     /* Go's function table */
    NAME_PERFMAP,     /* a JIT's perf map */
    NAME_FINGERPRINT, /* by fingerprint, printed with ~ */
    NAME_KERNEL,      /* /proc/kallsyms */
};

/* The classification of a function, or of a sample in it. Strings are static or live as long as
 * the object. */
struct finding {
    enum family family;
    enum how how;
    enum grade grade;
    const char *mode;    /* "CBC", "GCM"; NULL where unknown */
    const char *variant; /* "vpaes, SSSE3", "AVX2", "T-tables"; may be NULL */
    char evidence[80];   /* "AESENC+AESENCLAST in loop", "refers to T-tables", "RSI points into
                            T-tables" */
};

struct family_info {
    const char *name, *option; /* "AES", "aes" */
    enum kind kind;
    const char *x86_flags, *arm64_flags; /* names in /proc/cpuinfo; any of them suffices */
    const char *x86_set, *arm64_set;     /* "AES-NI" */
};

/* The row of families.def for this family; an empty row for FAMILY_NONE. */
const struct family_info *family_info(enum family);
/* The family with this name in --require; FAMILY_NONE where there is none. */
enum family family_by_option(const char *name);
const char *family_how_name(enum how); /* "hardware", "vector software", "software", ... */
/* Whether a verdict counts the family: whether it is a cipher, a digest or a MAC. */
int family_is_crypto(enum family);

#endif

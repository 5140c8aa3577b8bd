/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tracer can find: an algorithm's family, how it was computed, and how well that is known.
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

/* What a family is for: only cipher, digest and MAC are crypto in a verdict. */
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

/* How it was computed. */
enum how {
    HOW_NONE,
    HOW_HARDWARE,     /* the CPU's instructions for this algorithm */
    HOW_VECTOR,       /* vector software, of an algorithm for which this architecture has none */
    HOW_SOFTWARE,     /* anything else, vpaes and SSSE3 SHA included: the variant says which */
    HOW_ARITHMETIC,   /* MULX, ADX, IFMA: accelerated arithmetic */
    HOW_CHECKSUM,     /* CRC32, and PCLMUL with a CRC's constants */
    HOW_HASHING,      /* AES rounds as a hash table's hash */
    HOW_UNCLASSIFIED, /* the structure of crypto, but nothing names it */
    NUM_HOWS
};

/* Evidence, best first; printed as a letter in brackets. */
enum grade {
    GRADE_A = 'A', /* a crypto instruction in the loop, or the straight run of code, around the
                      sampled IP */
    GRADE_B = 'B', /* the sampled function holds the instruction, or refers to the constants */
    GRADE_C = 'C', /* a register points into a table of constants */
    GRADE_D = 'D', /* the function's fingerprint */
    GRADE_E = 'E', /* its name only */
};

/* Where a function's name comes from. */
enum name_source {
    NAME_NONE,        /* printed as +0x1234 */
    NAME_SYMBOL,      /* .symtab, .dynsym, debuginfo */
    NAME_PCLNTAB,     /* Go */
    NAME_PERFMAP,     /* a JIT's perf map */
    NAME_FINGERPRINT, /* printed with ~ */
    NAME_KERNEL,      /* kallsyms */
};

/* What a function, or a sample in it, turned out to be. Strings are static or live as long as the
 * object. */
struct finding {
    enum family family;
    enum how how;
    enum grade grade;
    const char *mode;    /* "CBC", "GCM"; NULL where unknown */
    const char *variant; /* "vpaes, SSSE3", "AVX2", "T-tables"; NULL */
    char evidence[80];   /* "AESENC+AESENCLAST in loop", "refers to T-tables", "RSI points into
                            T-tables" */
};

struct family_info {
    const char *name, *option; /* "AES", "aes" */
    enum kind kind;
    const char *x86_flags, *arm64_flags; /* of /proc/cpuinfo; any of them */
    const char *x86_set, *arm64_set;     /* "AES-NI" */
};

/* The row of families.def; of FAMILY_NONE an empty one. */
const struct family_info *family_info(enum family);
/* By its name for --require; FAMILY_NONE where there is none. */
enum family family_by_option(const char *name);
const char *how_name(enum how); /* "hardware", "vector software", "software", ... */
/* Whether a verdict counts it: cipher, digest or MAC in hardware, vector or software. */
int family_is_crypto(enum family);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of classify.h on plain sets, whatever the code came from.
 */
#ifndef TRACE_CLASSIFY_RULES_H
#define TRACE_CLASSIFY_RULES_H

#include "classify.h"
#include "names.h"

#define AES_ROUNDS (MARK(AES_ENC) | MARK(AES_DEC))
#define AES_LASTS (MARK(AES_ENCLAST) | MARK(AES_DECLAST))
#define AES_FINAL (MARKS_AES_CIPHER | MARK(AES_ANY))

/* What is known about the code that is judged. */
struct facts {
    marks near;             /* of the loop or the run around a sample; else those of the function */
    marks function;         /* of the function, of what it calls and of its namesakes */
    const char *where;      /* "loop", "straight run", "function" */
    constant_set constants; /* of the function */
    struct name_info name;  /* FAMILY_NONE: it has none, or it tells nothing */
    enum grade name_grade;  /* GRADE_D: by fingerprint; GRADE_E */
    enum arch arch;
    uint16_t vector_bits;
    bool ghash;              /* beside carry-less products, GHASH's polynomial */
    bool other_loop;         /* the sample is in a loop of some length, without instructions */
    const struct code *code; /* of the function; for its structure */
};

/* A name as fact: family NONE where it tells nothing. */
void rules_add_name(struct facts *, const char *name, enum name_source);
/* A sample, by what is around it in a function that holds these instructions. */
void rules_judge(struct finding *out, struct facts *, const struct around *, marks function);
/* By instructions; *taken gets those that the row was about.  HOW_NONE: no row holds. */
void rules_marks(struct finding *out, const struct facts *, marks *taken);
/* By constants, without those of `except`. */
void rules_constants(struct finding *out, const struct facts *, constant_set except);
/* One table, found by a register. */
void rules_constant(struct finding *out, enum constant_bit, const char *reg);
/* By name alone; only names that say how. */
void rules_name(struct finding *out, const struct facts *);
/* By the shape of the code: crypto of which nothing else tells the name. */
void rules_structure(struct finding *out, const struct facts *);
/* Whether a value of the process, an address or (JIT code) a JVM's reference, points into a table.
 */
bool memory_table(enum constant_bit *, pid_t, uint64_t value, bool jit);
/* Tables whose addresses are in the code, which is mapped so far behind where it says. */
constant_set memory_references(const struct code *, pid_t, uint64_t bias, bool jit);
/* Constants that code of this family holds whichever way it computes. */
constant_set rules_shared_constants(enum family);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of classify.h as functions of plain facts: they do not depend on where the code came
 * from (a file, or the memory of a process).
 */
#ifndef TRACE_CLASSIFY_RULES_H
#define TRACE_CLASSIFY_RULES_H

#include "../names/names.h"
#include "classify.h"
#include <assert.h>

#define AES_ROUNDS (MARK(AES_ENC) | MARK(AES_DEC))
#define AES_LASTS (MARK(AES_ENCLAST) | MARK(AES_DECLAST))
#define AES_FINAL (MARKS_AES_CIPHER | MARK(AES_ANY))
/* Not a class of instructions: AES rounds in code that stores vectors, see facts.stores. */
#define STORED_ROUNDS ((marks)1 << NUM_MARKS)
static_assert(NUM_MARKS < 64, "a bit is left");

/* The facts about the code that is to be classified. */
struct facts {
    marks near;     /* marks of the loop or straight run around the sample; without a sample, of the
                       function */
    marks function; /* marks of the function, of the functions that it calls, and of functions with
                       the same stem */
    const char *where;      /* "loop", "straight run" or "function" */
    constant_set constants; /* constants that the function refers to */
    struct name_info name;  /* FAMILY_NONE: the function has no name, or the name says nothing */
    enum grade name_grade;  /* GRADE_D: a name by fingerprint; GRADE_E: any other name */
    enum arch arch;
    uint16_t vector_bits;
    bool stores;     /* the judged code stores vectors outside of the stack, as ciphers do */
    bool ghash;      /* the code has carry-less products and GHASH's polynomial */
    bool other_loop; /* the sample is in a loop of some length that has no crypto instructions */
    const struct code *code; /* code of the function, whose structure is examined */
};

/* Adds what a name says to the facts; family is FAMILY_NONE where it says nothing. */
void rules_add_name(struct facts *, const char *name, enum name_source);
/* Classifies a sample by the code around it; `function`: the marks of its function. */
void rules_judge(struct finding *out, struct facts *, const struct around *, marks function);
/* Classifies by instructions; *taken gets the marks that the matching row of rules.def names.
 * HOW_NONE: no row matches. */
void rules_marks(struct finding *out, const struct facts *, marks *taken);
/* Classifies by constants other than those of `except`. */
void rules_constants(struct finding *out, const struct facts *, constant_set except);
/* Classifies by one table into which register `reg` points. */
void rules_constant(struct finding *out, enum constant_bit, const char *reg);
/* Classifies by the name alone, if the name says how the algorithm is computed. */
void rules_name(struct finding *out, const struct facts *);
/* Classifies by the structure of the code: recognises crypto whose algorithm nothing else names. */
void rules_structure(struct finding *out, const struct facts *);
/* Whether a value of the process points into a table: the value is an address or, in JIT code, a
 * JVM's reference. */
bool memory_table(enum constant_bit *, pid_t, uint64_t value, bool jit);
/* The tables to which addresses in the code point. The code is mapped `bias` above its own
 * addresses. */
constant_set memory_references(const struct code *, pid_t, uint64_t bias, bool jit);
/* Classifies code that nothing named, by the shape of its loops and the tables from which it loads
 * (with this bias, in process pid); leaves *out where it does not look like crypto. Returns whether
 * the code may use tables that registers point to. */
bool unnamed_judge(struct finding *out, const struct around *, const struct code *, pid_t,
                   uint64_t bias);
/* Whether a table of bytes that could be that of a cipher is at this address of a process. */
bool unnamed_table_at(pid_t, uint64_t address);
void unnamed_finding(struct finding *out, const char *evidence);
/* The constants that code of this family contains in hardware and in software alike. */
constant_set rules_shared_constants(enum family);

#endif

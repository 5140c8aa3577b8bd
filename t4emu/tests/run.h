/* SPDX-License-Identifier: Apache-2.0 */
/* Programs for the emulated CPU, written as calls, and checks of their results. They run on any
 * machine; no signal frame is involved. */
#ifndef T4EMU_RUN_H
#define T4EMU_RUN_H

#include "../machine.h"
#include <stdio.h>

/* ---- the CPU ---- */

extern struct t4_machine t4;
extern struct t4_model t4_model; /* the model of this CPU: strict, with every capability */

/* Sets random registers and a strict model; callers' windows become valid only once they are
 * read. */
void reset(void);

/* F: the field of double register n (%f0, %f2, ... %f62); D: its value. */
#define F(n) ((n)&31u) | (n) >> 5
#define D(n) t4.d[(n) / 2]

/* Assembles an instruction from its 5-bit fields (one may be an immediate) and executes it. */
enum t4_result try_run(enum t4_op op, unsigned rd, unsigned rs1, unsigned rs2, unsigned rs3);
/* try_run, but any result other than T4_DONE is a failure of the check. */
void run(enum t4_op op, unsigned rd, unsigned rs1, unsigned rs2, unsigned rs3);

/* ---- checks ---- */

struct check {
    const char *name;
    void (*run)(void);
};
/* One list for each file; it ends with a NULL name. */
extern const struct check aes_checks[], camellia_checks[], crc_checks[], decode_checks[],
    des_checks[], float_checks[], hash_checks[], integer_checks[], memory_checks[], mont_checks[],
    vis_checks[];

/* The number of failures since it was set to 0, and the text of the first one. */
extern unsigned num_wrong;
extern char first_wrong[200];
/* Notes that the check fails, and why. */
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Notes a failure if the value is not the expected one. */
void expect(uint64_t value, uint64_t expected, const char *what);
/* Notes a failure if the bytes are not those of a hexadecimal text of at most 128 bytes. */
void expect_bytes(const void *bytes, const char *expected_hex, const char *what);
/* Converts a hexadecimal text to bytes. Returns how many. */
size_t from_hex(uint8_t *out, const char *hex);

/* ---- mutants ---- */

/* A CPU with a defect, which replaces the execute function of some rows. */
struct mutant {
    const char *name;
    enum t4_op op, last; /* the rows op..last */
    t4_execute_fn *execute;
    unsigned argument, last_argument; /* there is one CPU for each value */
};
/* Calls the row's own execute function. */
enum t4_result execute_row(struct t4_machine *m, const struct t4_insn *insn);
extern const struct mutant *the_mutant; /* NULL: the emulator without a defect */
extern const struct mutant mutants[];
extern const size_t num_mutants;

/* ---- ciphers built from instructions, as programs use them ---- */

enum { DES_ROUNDS = 16 };
struct des_key {
    uint64_t key[DES_ROUNDS];
};
void des_expand(struct des_key *schedule, uint64_t key);
uint64_t des_block(const struct des_key *schedule, uint64_t block, int decrypt);
/* Encrypts, decrypts and encrypts with three keys (or the reverse). */
uint64_t des3_block(const struct des_key schedule[3], uint64_t block, int decrypt);

struct camellia_key {
    uint64_t kw[4], k[24], ke[6];
    unsigned rounds;
};
void camellia_expand(struct camellia_key *schedule, const uint8_t *key, size_t key_len);
void camellia_block(uint64_t out[2], const struct camellia_key *schedule, const uint64_t in[2],
                    int decrypt);

/* Runs the cases that collect.py prints, one in each line, and prints one result for each file. */
void run_cases(FILE *lines);

/* ---- numbers: least significant word first, one bit at a time ---- */

enum { MONT_WORDS = 32 };
/* Whether a < b. */
int num_less(const uint64_t *a, const uint64_t *b, unsigned words);
/* a b mod n by doubling; a and b may be any numbers. */
void num_mul_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *n,
                 unsigned words);
/* a 2^count mod n. */
void num_shift_mod(uint64_t *out, const uint64_t *a, unsigned count, const uint64_t *n,
                   unsigned words);
/* The result of a Montgomery multiplication before the final subtraction, words + 1 words long.
 * Returns 1 if n is still to be subtracted. */
int num_montgomery_sum(uint64_t *sum, const uint64_t *a, const uint64_t *b, const uint64_t *n,
                       unsigned words);
/* -n^-1 mod 2^64. */
uint64_t num_n0(uint64_t n);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Programs for the emulated CPU, written as calls, and what their results must be.  They run on any
 * machine; no signal frame is involved. */
#ifndef T4EMU_RUN_H
#define T4EMU_RUN_H

#include "machine.h"
#include <stdio.h>

/* ---- the CPU ---- */

extern struct t4_machine t4;
extern struct t4_model t4_model; /* its own: strict, with every capability */

/* Random registers, a strict model, and callers' windows that are there only once they are read. */
void reset(void);

/* Double register n of an instruction, %f0, %f2, ... %f62. */
#define F(n) ((n)&31u) | (n) >> 5
#define D(n) t4.d[(n) / 2]

/* Assembles an instruction from its 5-bit fields, an immediate among them, and executes it. */
enum t4_result try_run(enum t4_op op, unsigned rd, unsigned rs1, unsigned rs2, unsigned rs3);
/* The same where anything but T4_DONE is wrong. */
void run(enum t4_op op, unsigned rd, unsigned rs1, unsigned rs2, unsigned rs3);

/* ---- checks ---- */

struct check {
    const char *name;
    void (*run)(void);
};
/* One list a file, that ends with a name of NULL. */
extern const struct check aes_checks[], camellia_checks[], crc_checks[], decode_checks[],
    des_checks[], float_checks[], hash_checks[], integer_checks[], memory_checks[], mont_checks[],
    vis_checks[];

/* Mistakes since it was set to 0, and the first of them. */
extern unsigned num_wrong;
extern char first_wrong[200];
/* Notes that the check fails, and why. */
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Notes it where the value is not the expected one. */
void expect(uint64_t value, uint64_t expected, const char *what);
/* The same for a block in memory. */
void expect_bytes(const void *bytes, const char *expected_hex, const char *what);
/* Bytes of a hexadecimal text, as many as there are; the count. */
size_t from_hex(uint8_t *out, const char *hex);

/* ---- mutants ---- */

/* A CPU with a defect: stands for the row's execute function. */
struct mutant {
    const char *name;
    enum t4_op op, last; /* rows op..last */
    t4_execute_fn *execute;
    unsigned argument, last_argument; /* one CPU each */
};
/* The row's own function. */
enum t4_result execute_row(struct t4_machine *m, const struct t4_insn *insn);
extern const struct mutant *the_mutant; /* NULL: the emulator as it is */
extern const struct mutant mutants[];
extern const size_t num_mutants;

/* ---- ciphers as programs write them ---- */

enum { DES_ROUNDS = 16 };
struct des_key {
    uint64_t key[DES_ROUNDS];
};
void des_expand(struct des_key *schedule, uint64_t key);
uint64_t des_block(const struct des_key *schedule, uint64_t block, int decrypt);
/* Three keys, encrypt - decrypt - encrypt. */
uint64_t des3_block(const struct des_key schedule[3], uint64_t block, int decrypt);

struct camellia_key {
    uint64_t kw[4], k[24], ke[6];
    unsigned rounds;
};
void camellia_expand(struct camellia_key *schedule, const uint8_t *key, size_t key_len);
void camellia_block(uint64_t out[2], const struct camellia_key *schedule, const uint64_t in[2],
                    int decrypt);

/* Cases of collect.py, one a line: a result a file. */
void run_cases(FILE *lines);

/* ---- numbers: least significant word first, one bit at a time ---- */

/* 1 where a < b. */
enum { MONT_WORDS = 32 };
int num_less(const uint64_t *a, const uint64_t *b, unsigned words);
/* a b mod n by doubling; a and b may be any. */
void num_mul_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *n,
                 unsigned words);
/* a 2^count mod n */
void num_shift_mod(uint64_t *out, const uint64_t *a, unsigned count, const uint64_t *n,
                   unsigned words);
/* The reduction before its final subtraction, words + 1 of them; 1 where n is to be subtracted. */
int num_montgomery_sum(uint64_t *sum, const uint64_t *a, const uint64_t *b, const uint64_t *n,
                       unsigned words);
/* -n^-1 mod 2^64 */
uint64_t num_n0(uint64_t n);

#endif

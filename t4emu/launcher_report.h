/* SPDX-License-Identifier: Apache-2.0 */
/* --report: prints the file of statistics (count.c) as tables. */
#ifndef T4EMU_LAUNCHER_REPORT_H
#define T4EMU_LAUNCHER_REPORT_H

#include <stdint.h>
#include <stdio.h>

/* An instruction of a file, an opcode, or a function, and how many times it was executed. */
struct count {
    char *file; /* NULL in a row for an opcode */
    uint64_t offset;
    char *name; /* the opcode or the function; NULL if not known */
    uint64_t count;
};

struct counts {
    struct count *rows;
    size_t len, room;
    uint64_t processes;
};

/* Reads a file of statistics, which anybody may have written. Lines in a wrong format are
 * ignored. */
void counts_read(struct counts *places, struct counts *opcodes, FILE *in);
void counts_free(struct counts *counts);
/* Merges rows with the same file and name, and sorts by frequency, the most frequent first. */
void counts_merge(struct counts *counts);

/* launcher_symbols.c: sorts the rows by file, and sets their names to those of functions, as far
 * as the files have symbols. */
void symbols_resolve(struct counts *places, const char *sysroot);

/* Reads the statistics and prints two tables: by function, and by opcode. */
void report_print(FILE *out, FILE *statistics, const char *sysroot);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* --report: the file of statistics (count.c) as tables. */
#ifndef T4EMU_LAUNCHER_REPORT_H
#define T4EMU_LAUNCHER_REPORT_H

#include <stdint.h>
#include <stdio.h>

/* An instruction of a file, an opcode, or a function, and how often it was executed. */
struct count {
    char *file; /* NULL for an opcode */
    uint64_t offset;
    char *name; /* the opcode, then the function; NULL while not known */
    uint64_t count;
};

struct counts {
    struct count *rows;
    size_t len, room;
    uint64_t processes;
};

/* Takes what it understands of a file that anybody may have written; what is no line of ours is
 * left out. */
void counts_read(struct counts *places, struct counts *opcodes, FILE *in);
void counts_free(struct counts *counts);
/* Rows of the same file and name become one, the most frequent is the first. */
void counts_merge(struct counts *counts);

/* launcher_symbols.c: rows, which are sorted by file, get names of functions where the file has a
 * symbol for them. */
void counts_resolve(struct counts *places, const char *sysroot);

/* Both tables. */
void report_print(FILE *out, FILE *statistics, const char *sysroot);

#endif

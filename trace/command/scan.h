/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace scan: finds the files, reads each, and prints what it contains.
 */
#ifndef TRACE_SCAN_H
#define TRACE_SCAN_H

#include "../families.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct scan_function { /* strings belong to the file's record */
    uint8_t family, how, grade, source;
    uint64_t start;
    const char *name, *mode, *variant, *evidence; /* "" where unknown */
};

enum scan_state {
    SCAN_WAITING,
    SCAN_READ,    /* an ELF file that was read */
    SCAN_NOT_ELF, /* not an ELF file: nothing is printed */
    SCAN_FAILED,  /* could not be read: `why` has the reason */
};

struct scan_file {
    char *path;
    uint64_t size;
    enum scan_state state;
    const char *why;
    const char *arch, *build_id;
    bool stripped, go;
    uint64_t num_all_functions;
    struct scan_function *functions;
    size_t num_functions;
    char *record; /* the record that the worker wrote */
};

struct scan {
    struct scan_file *files; /* sorted by path */
    size_t num_files, max_files;
    size_t num_unreadable; /* files and folders that could not be read */
    bool cut;              /* the list of files is not complete: budget.h has no more */
    size_t max_memory; /* bytes: a half for what is being read, a quarter for records on their way
                          from the readers, a quarter for files and results */
    bool no_cache;
};

/* Adds a file, or all regular files beneath a folder, each inode once. Symbolic links are
 * followed if they are operands, but not beneath a folder. Sets `cut` where the budget ends it.
 * Returns -1 with errno where the operand cannot be read. */
struct index;
int scan_collect(struct scan *, const char *operand, struct index *seen);
void scan_sort(struct scan *);
/* Reads the files in several processes, so that a process that crashes costs one file only. Returns
 * 0, or -1 with errno. */
int scan_work(struct scan *, unsigned num_workers);
/* Writes what one file contains, as a record for scan_decode. Returns 0, or -1 without memory. */
int scan_encode(FILE *record, const char *path, bool no_cache);
int scan_encode_failure(FILE *record, const char *why); /* of a file that was not read */
/* Fills a file's entry from its record, which the entry keeps. Returns -1 if the record is
 * damaged, or there is no memory. */
int scan_decode(struct scan_file *, char *record, size_t len);
void scan_free(struct scan *);

int scan_text(FILE *, const struct scan *, bool verbose);
int scan_json(FILE *, const struct scan *, bool lines);

#endif

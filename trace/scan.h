/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace scan: which files, what is inside of each, and how that is printed.
 */
#ifndef TRACE_SCAN_H
#define TRACE_SCAN_H

#include "crypto.h"
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
    SCAN_READ,    /* ELF, and read */
    SCAN_NOT_ELF, /* nothing to say */
    SCAN_FAILED,  /* why says so */
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
    char *record; /* what the worker wrote */
};

struct scan {
    struct scan_file *files; /* sorted by path */
    size_t num_files, max_files;
    size_t num_unreadable; /* of files and folders */
    bool no_cache;
};

/* Adds a file, or all regular files beneath a folder, each inode once.  Symbolic links are followed
 * where they are operands, not beneath.  -1: the operand cannot be read, errno. */
struct index;
int scan_collect(struct scan *, const char *operand, struct index *seen);
void scan_sort(struct scan *);
/* Reads them in several processes, so that one that dies takes one file with it. */
int scan_work(struct scan *, unsigned num_workers);
/* What one file holds, as a record for scan_decode: 0, or -1: no memory. */
int scan_encode(FILE *record, const char *path, bool no_cache);
/* Fills a file from its record, which it keeps; -1: it is damaged. */
int scan_decode(struct scan_file *, char *record, size_t len);
void scan_free(struct scan *);

int scan_text(FILE *, const struct scan *, bool verbose);
int scan_json(FILE *, const struct scan *, bool lines);

#endif

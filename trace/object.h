/* SPDX-License-Identifier: Apache-2.0
 *
 * The inventory of one ELF file: its functions, which of them hold crypto instructions, and where
 * constants of software implementations lie.  The file is hostile: it is read into private memory
 * once, and every offset is checked.
 */
#ifndef TRACE_OBJECT_H
#define TRACE_OBJECT_H

#include "code.h"
#include "constants.h"
#include "crypto.h"
#include <sys/types.h>

/* What proves that a function begins there (an IP between two proven starts belongs to the first).
 */
enum { PROOF_SYMBOL = 1, PROOF_FDE = 2, PROOF_PCLNTAB = 4, PROOF_PERFMAP = 8 };

struct function {
    uint64_t start, end; /* virtual addresses of the file; end is past the last byte */
    const char *name;    /* as the file has it: hostile, escape when printing; or NULL */
    const char *version; /* of the library that a fingerprint comes from, or NULL */
    uint8_t proof;
    uint8_t source;         /* enum name_source */
    marks marks;            /* of instructions in it; 0 unless it holds a crypto instruction */
    constant_set constants; /* those that it refers to, or holds as immediates */
    uint8_t structure;      /* of code without either: OR of CODE_BITSLICED, CODE_CLMUL */
};

struct segment { /* PT_LOAD */
    uint64_t vaddr, offset, file_len, mem_len;
    bool exec, write;
};

struct object {
    char *path;             /* for printing */
    char build_id[41 + 24]; /* hexadecimal, GNU's, else a hash of Go's; "" where there is none */
    enum arch arch;
    bool big_endian, is_go, is_static, is_stripped;
    const struct segment *segments;
    size_t num_segments;
    const struct function *functions; /* sorted by start; every function known */
    size_t num_functions;
    const struct constant_site *sites; /* constants found, sorted by address */
    size_t num_sites;
    const uint8_t *image; /* private copy of the file; NULL while nobody asks for code */
    size_t image_len;
    bool cached;
};

struct object_options {
    bool use_cache;        /* by build-id, inode and mtime, in the user's cache directory */
    bool use_debuginfo;    /* /usr/lib/debug/.build-id/... */
    bool use_fingerprints; /* names for functions that have none */
};

/* Reads the file behind fd (not closed).  NULL with *why set to a static text: "not ELF", "32-bit
 * ARM is not decoded", ... */
struct object *object_open(int fd, const char *path, const struct object_options *,
                           const char **why);
/* The same of bytes in memory, which it copies: for fuzzers and for the vDSO. */
struct object *object_parse(const uint8_t *bytes, size_t len, const char *path,
                            const struct object_options *, const char **why);
void object_free(struct object *);

/* The function around a virtual address of the file; NULL: none is known there. */
const struct function *object_function(const struct object *, uint64_t vaddr);
/* Its bytes as code; len 0 where the file has none there.  Loads the image where it is not in
 * memory; the bytes stay until the next objects_get() or object_free(). */
struct code object_code(struct object *, const struct function *);
/* A file offset as mapped: its virtual address; UINT64_MAX: no segment there. */
uint64_t object_vaddr(const struct object *, uint64_t offset);

/* Several processes map the same files: one object for a device, inode and mtime. */
struct objects;
struct objects *objects_new(const struct object_options *);
struct object *objects_get(struct objects *, int fd, const char *path, const char **why);
void objects_free(struct objects *);

#endif

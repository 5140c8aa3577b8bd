/* SPDX-License-Identifier: Apache-2.0
 *
 * The inventory of one ELF file: its functions, which of them contain crypto instructions, and
 * where the constants of software implementations are.  A file may be hostile, so it is read
 * into private memory, and every offset is checked.
 */
#ifndef TRACE_OBJECT_H
#define TRACE_OBJECT_H

#include "../code/code.h"
#include "../constants/constants.h"
#include "../families.h"
#include <sys/types.h>

/* The evidence that a function begins at an address, as bits of `proof`; 0 where object_gaps.c only
 * supposes that one begins. */
enum { PROOF_SYMBOL = 1, PROOF_FDE = 2, PROOF_PCLNTAB = 4, PROOF_PERFMAP = 8 };

struct function {
    uint64_t start, end; /* virtual addresses of the file; end is past the last byte */
    const char *name;    /* any bytes, to be escaped when printed; NULL: none is known */
    const char *version; /* version of the library that a fingerprint was made from, or NULL */
    uint8_t proof;
    uint8_t source;         /* enum name_source */
    marks marks;            /* classes of its instructions (marks.def) */
    constant_set constants; /* those that it refers to, or contains as immediates */
    uint8_t structure;      /* OR of CODE_BITSLICED, CODE_CLMUL */
};

struct segment { /* PT_LOAD */
    uint64_t vaddr, offset, file_len, mem_len;
    bool exec, write;
};

struct object {
    char *path;             /* for printing */
    char build_id[41 + 24]; /* hexadecimal: GNU's, else a hash of Go's; "" if there is neither */
    enum arch arch;
    bool big_endian, is_go, is_static, is_stripped;
    const struct segment *segments;
    size_t num_segments;
    const struct function *functions; /* all functions that are known, sorted by start */
    size_t num_functions;
    const struct constant_site *sites; /* constants found, sorted by address */
    size_t num_sites;
    const uint8_t *image; /* private copy of the file, whose holes are zeros (object_image.h); NULL
                             while it is not in memory */
    size_t image_len;
    const char *note; /* what of it was not read, or NULL; a static text */
    bool cached;
};

struct object_options {
    bool use_cache;        /* keep inventories in the cache directory */
    bool use_debuginfo;    /* look for symbols in /usr/lib/debug/.build-id/... */
    bool use_fingerprints; /* look for names of functions that have none */
};

/* object_open reads the file that is open as fd, and leaves it open.  On failure it returns NULL
 * and sets *why to a static text: "not ELF", "32-bit ARM is not decoded", ...; a reason of budget.h
 * if memory or time did not suffice. */
struct object *object_open(int fd, const char *path, const struct object_options *,
                           const char **why);
/* object_parse does the same with bytes in memory, which it copies: for fuzzers and for the vDSO.
 */
struct object *object_parse(const uint8_t *bytes, size_t len, const char *path,
                            const struct object_options *, const char **why);
void object_free(struct object *);

/* object_function returns the function around a virtual address of the file, or NULL. */
const struct function *object_function(const struct object *, uint64_t vaddr);
/* object_code returns the code of a function; its len is 0 if the file has none there.  It loads
 * the file's image if that is not in memory.  The bytes stay valid until the next objects_get() or
 * object_free(), and until the next object_code() of another object. */
struct code object_code(struct object *, const struct function *);
/* Moves *offset to the next byte of the image, before `end`, that is not in a hole. Returns how
 * many follow without one, 0 if none. */
size_t object_next_data(const struct object *, uint64_t *offset, uint64_t end);
/* object_vaddr returns the virtual address of a file offset, UINT64_MAX if no segment maps it. */
uint64_t object_vaddr(const struct object *, uint64_t offset);

/* The objects of all files that processes map: one for each device, inode, size and mtime. */
struct objects;
struct objects *objects_new(const struct object_options *);
struct object *objects_get(struct objects *, int fd, const char *path, const char **why);
void objects_free(struct objects *);

#endif

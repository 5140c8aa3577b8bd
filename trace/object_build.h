/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files object*.c share: a reader of ELF that trusts nothing, and the list that the
 * sources of functions fill.
 *
 * The reader is our own, not libelf: what an attacker writes into a file then meets no code that
 * was not fuzzed under sanitizers here, and all that is needed are five structures of elf.h.
 */
#ifndef TRACE_OBJECT_BUILD_H
#define TRACE_OBJECT_BUILD_H

#include "object.h"
#include <elf.h>

enum {
    MAX_SEGMENTS = 128,
    MAX_HEADERS = 4096,
    MAX_SECTIONS = 65536,
    MAX_NAME = 4096,         /* bytes of one symbol's name */
    MAX_FUNCTIONS = 4 << 20, /* of one file */
};
#define MAX_IMAGE ((size_t)1 << 30)

/* ---- object_elf.c ---- */

struct elf {
    const uint8_t *bytes;
    size_t len;
    bool is64, big;
    uint16_t machine, type;
    uint64_t entry, phoff, shoff;
    size_t num_headers, num_sections;
    const uint8_t *names; /* of sections */
    size_t names_len;
    enum arch arch;
    struct segment segments[MAX_SEGMENTS]; /* file_len is within the file */
    size_t num_segments;
};

struct elf_section {
    const char *name; /* "" where it has none */
    uint32_t type, link;
    uint64_t flags, addr, entsize;
    const uint8_t *bytes; /* NULL where the file has none for it */
    size_t len;
};

/* One program header's bytes. */
struct elf_header {
    uint32_t type, flags;
    uint64_t vaddr, align;
    const uint8_t *bytes;
    size_t len;
};

/* Headers only; false: not ELF.  bytes must outlive the elf. */
bool elf_read_tables(struct elf *, const uint8_t *bytes, size_t len);
bool elf_has_symtab(const struct elf *);
/* A program or library with code that is decoded; false with *why: a static text. */
bool elf_read(struct elf *, const uint8_t *bytes, size_t len, const char **why);
/* size is 1, 2, 4 or 8, in the file's byte order; p[0..size) must be there. */
uint64_t elf_word(const struct elf *, const uint8_t *p, size_t size);
/* false: there is no i-th one. */
bool elf_header_at(struct elf_header *, const struct elf *, size_t i);
bool elf_section_at(struct elf_section *, const struct elf *, size_t i);
bool elf_header_find(struct elf_header *, const struct elf *, uint32_t type);
bool elf_section_find(struct elf_section *, const struct elf *, const char *name);
/* The file's bytes for an address, up to the end of its segment; NULL: none. */
const uint8_t *elf_at(const struct elf *, uint64_t vaddr, size_t *len);
/* The value of the first dynamic entry with this tag. */
bool elf_dynamic(const struct elf *, int64_t tag, uint64_t *value);
/* A string of a table; NULL where it does not end in time. */
const char *elf_string(const uint8_t *table, size_t len, uint64_t offset);
/* Hexadecimal build-id; "" where there is none. */
void elf_build_id(char *out, size_t max, const struct elf *, bool *is_go);
bool elf_is_static(const struct elf *);

/* ---- object_functions.c: the list, and what fills it ---- */

struct function_list {
    struct function *at;
    size_t num, max;
    bool failed; /* no memory */
};

/* end <= start: not known.  Ignored where start is not in code. */
void functions_add(struct function_list *, const struct elf *, const struct function *);
void functions_from_symbols(struct function_list *, const struct elf *code, const struct elf *file);
/* Sorts, makes one of equal starts, and sets ends, so that none overlaps the next. */
void functions_merge(struct function_list *, const struct elf *);

/* ---- object_frames.c ---- */
void functions_from_frames(struct function_list *, const struct elf *);

/* ---- object_go.c: false: the file has no pclntab ---- */
bool functions_from_pclntab(struct function_list *, const struct elf *);

/* ---- object_debuginfo.c: bytes are malloc'd, NULL where there is none ---- */
uint8_t *debuginfo_read(const char *build_id, size_t *len);
/* A regular file of at most MAX_IMAGE bytes, read into memory; NULL with *why. */
uint8_t *image_read(int fd, size_t *len, const char **why);

/* ---- object_gaps.c: code that no function covers ---- */
void functions_add_gaps(struct function_list *, const struct elf *, const struct constant_site *,
                        size_t num_sites);

/* ---- object_inventory.c ---- */

/* Fills marks, constants and fingerprints' names; finds the sites; drops gaps without crypto. */
bool inventory(struct function_list *, const struct elf *, struct constant_site **sites,
               size_t *num_sites, bool use_fingerprints);
struct code elf_code(const struct elf *, uint64_t start, uint64_t end);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files object*.c share: a reader of ELF files that trusts nothing in them,
 * and the list of functions, which is filled from several sources.
 *
 * The reader is our own, not libelf, so that the inventory of a hostile file needs only code that
 * is fuzzed under sanitizers in this project. It uses only a few structures of elf.h.
 */
#ifndef TRACE_OBJECT_BUILD_H
#define TRACE_OBJECT_BUILD_H

#include "object.h"
#include "object_image.h"
#include <elf.h>

enum {
    MAX_SEGMENTS = 128,
    MAX_HEADERS = 4096,
    MAX_SECTIONS = 65536,
    MAX_NAME = 4096,         /* bytes in the name of a symbol */
    MAX_FUNCTIONS = 4 << 20, /* functions in one file */
};
#define MAX_IMAGE ((size_t)1 << 30)

/* ---- object_elf.c ---- */

struct elf {
    const uint8_t *bytes;
    size_t len;
    const struct extent *extents; /* the parts that are there, sorted; NULL: all bytes are */
    size_t num_extents;
    bool is64, big;
    uint16_t machine, type;
    uint64_t entry, phoff, shoff;
    size_t num_headers, num_sections;
    const uint8_t *names; /* names of sections */
    size_t names_len;
    enum arch arch;
    struct segment segments[MAX_SEGMENTS]; /* file_len bytes of each segment are within the file */
    size_t num_segments;
};

struct elf_section {
    const char *name; /* "" where it has no name */
    uint32_t type, link;
    uint64_t flags, addr, entsize;
    const uint8_t *bytes; /* NULL where the file has no bytes for the section */
    size_t len;
};

/* The contents of one program header. */
struct elf_header {
    uint32_t type, flags;
    uint64_t vaddr, align;
    const uint8_t *bytes;
    size_t len;
};

/* Reads the headers only; false where it is no ELF file. bytes must outlive the elf. */
bool elf_read_tables(struct elf *, const uint8_t *bytes, size_t len);
bool elf_has_symtab(const struct elf *);
/* Reads a program or library whose code can be decoded. Returns false with *why, a static text,
 * for other files. */
bool elf_read(struct elf *, const uint8_t *bytes, size_t len, const char **why);
/* The same two for an image, of which no bytes are offered but those that were read. */
bool elf_read_image_tables(struct elf *, const struct image *);
bool elf_read_image(struct elf *, const struct image *, const char **why);
/* Reads a number in the file's byte order; size is 1, 2, 4 or 8, and p[0..size) must be
 * readable. */
uint64_t elf_word(const struct elf *, const uint8_t *p, size_t size);
/* Return false where there is no i-th header or section. */
bool elf_header_at(struct elf_header *, const struct elf *, size_t i);
bool elf_section_at(struct elf_section *, const struct elf *, size_t i);
/* Where the contents of a header or a section are, as far as they are within the file. Return false
 * where there is no i-th one. */
bool elf_header_place(uint64_t *offset, uint64_t *len, uint32_t *type, const struct elf *,
                      size_t i);
bool elf_section_place(uint64_t *offset, uint64_t *len, uint32_t *type, uint64_t *flags,
                       const struct elf *, size_t i);
bool elf_header_find(struct elf_header *, const struct elf *, uint32_t type);
bool elf_section_find(struct elf_section *, const struct elf *, const char *name);
/* Moves *offset to the next byte of the file, before `end`, that is there. Returns how many are
 * there from it on, 0 if none. */
size_t elf_next_data(const struct elf *, uint64_t *offset, uint64_t end);
/* The bytes of the file for an address, up to the end of its segment or to the next hole; NULL
 * where there are none. */
const uint8_t *elf_at(const struct elf *, uint64_t vaddr, size_t *len);
/* Gets the value of the first dynamic entry with this tag; false where there is none. */
bool elf_dynamic(const struct elf *, int64_t tag, uint64_t *value);
/* A string in a table; NULL where it does not end within the table or is too long. */
const char *elf_string(const uint8_t *table, size_t len, uint64_t offset);
/* Gets the build-id in hexadecimal; "" where there is none. */
void elf_build_id(char *out, size_t max, const struct elf *, bool *is_go);
bool elf_is_static(const struct elf *);

/* ---- object_functions.c: the list of functions ---- */

struct function_list {
    struct function *at;
    size_t num, max;
    bool failed; /* there was no memory */
};

/* Adds a function. end <= start: the end is not known. Functions that do not start in code are
 * ignored. */
void functions_add(struct function_list *, const struct elf *, const struct function *);
/* Sorts the list, merges functions with the same start, and sets the ends, so that none overlaps
 * the next. */
void functions_merge(struct function_list *, const struct elf *);

/* ---- object_symbols.c: adds the functions that the symbols of `file` name; `code` has their code,
 * and may be another file where debug information is apart ---- */
void functions_from_symbols(struct function_list *, const struct elf *code, const struct elf *file);

/* ---- object_frames.c ---- */
void functions_from_frames(struct function_list *, const struct elf *);

/* ---- object_go.c; false: the file has no pclntab ---- */
bool object_go_functions(struct function_list *, const struct elf *);

/* ---- object_debuginfo.c ---- */
/* Reads the tables of the file of debug information. Returns false if there is none, or it cannot
 * be read; *why is then the reason if there is one, else NULL. */
bool debuginfo_read(struct image *, const char *build_id, const char **why);

/* ---- object_gaps.c: code that no function covers ---- */
void functions_add_gaps(struct function_list *, const struct elf *, const struct constant_site *,
                        size_t num_sites);

/* ---- object_inventory.c ---- */

/* Fills the functions' marks, constants, structure and names by fingerprint, finds the tables of
 * constants (sites), adds functions in the gaps between the known ones, and drops those without
 * crypto. Returns false without memory. */
bool inventory(struct function_list *, const struct elf *, struct constant_site **sites,
               size_t *num_sites, bool use_fingerprints);
struct code inventory_elf_code(const struct elf *, uint64_t start, uint64_t end);

#endif

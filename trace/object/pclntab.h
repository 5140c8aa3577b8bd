/* SPDX-License-Identifier: Apache-2.0
 *
 * Reader of pclntab, Go's table of functions. Go's runtime needs it for stack traces, so that it
 * survives -s -w and strip. The input is hostile.
 */
#ifndef TRACE_PCLNTAB_H
#define TRACE_PCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pclntab {
    const uint8_t *bytes;
    size_t len;
    bool big_endian;
    /* Bytes of a pointer (4 or 8), and of an address in the function table. */
    uint8_t pointer, pc_size;
    bool relative; /* addresses in the function table are offsets from the beginning of the text */
    uint64_t text; /* address of the text, which the header gives before Go 1.26; else 0 */
    size_t num;    /* number of functions */
    size_t table, names; /* offsets of the function table and of the names */
};

/* Reads the header that begins at bytes. Returns false where there is none of Go 1.2 to 1.26. */
bool pclntab_open(struct pclntab *, const uint8_t *bytes, size_t len);
/* Gets the i-th function, in order of address; false where there is none or the entry is
 * damaged. The name may be NULL; it points into bytes. */
bool pclntab_function(const struct pclntab *, size_t i, uint64_t *start, uint64_t *end,
                      const char **name);
/* The offset in bytes, at or after `from`, where the next header may begin; len where there is
 * none. */
size_t pclntab_search(const uint8_t *bytes, size_t len, size_t from);

#endif

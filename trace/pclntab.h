/* SPDX-License-Identifier: Apache-2.0
 *
 * Go's table of functions, which its runtime needs for stack traces: it survives -s -w and strip.
 * Hostile input.
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
    uint8_t pointer, pc_size; /* bytes of a pointer, 4 or 8; of an address in the function table */
    bool relative;            /* those addresses are offsets from the beginning of the text */
    uint64_t text;            /* which the header gives before Go 1.26; else 0 */
    size_t num;               /* functions */
    size_t table, names;      /* offsets of the function table, and of names */
};

/* Reads the header that begins at bytes.  false: it is none (Go 1.2 to 1.26 are known). */
bool pclntab_open(struct pclntab *, const uint8_t *bytes, size_t len);
/* The i-th function, in order of address; false: there is none or it is damaged.  The name may be
 * NULL; it lies in bytes. */
bool pclntab_function(const struct pclntab *, size_t i, uint64_t *start, uint64_t *end,
                      const char **name);
/* Where in bytes the next header may begin; len where there is none. */
size_t pclntab_search(const uint8_t *bytes, size_t len, size_t from);

#endif

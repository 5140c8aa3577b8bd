/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants that reveal software implementations: tables in a file (an S-box, T-tables, K256) and
 * words that compilers put into instructions (those of MD5). constants.def has a row for each.
 */
#ifndef TRACE_CONSTANTS_H
#define TRACE_CONSTANTS_H

#include "../families.h"
#include <stdbool.h>
#include <stddef.h>

enum constant_bit {
#define CONSTANT(id, family, kind, text) CONSTANT_BIT_##id,
#include "constants.def"
#undef CONSTANT
    NUM_CONSTANTS
};
typedef uint64_t constant_set; /* a set: OR of CONSTANT_... values */
#define CONSTANT(id) ((constant_set)1 << CONSTANT_BIT_##id)

struct constant_site {     /* a table that was found */
    uint64_t address, len; /* virtual address; bytes that a pointer into the table may reach */
    uint8_t bit;           /* an enum constant_bit */
};

struct constant_info {
    enum family family;
    const char *text; /* "T-tables", "K256", "vpaes k_inv" */
};
const struct constant_info *constant_info(enum constant_bit);

/* Finds every table in memory that lies at `address` and appends them to *sites (by realloc).
 * Returns how many were added, or -1 without memory. */
int constants_find(struct constant_site **sites, size_t *num_sites, const uint8_t *bytes,
                   size_t len, uint64_t address);
/* Finds algorithms whose constants code holds as immediates (such as MD5, SHA-1, unrolled
 * SHA-256 or ChaCha): those of which the code contains enough different words. */
constant_set constants_in_code(const uint8_t *bytes, size_t len, bool big_endian);
/* Finds places in code that may refer to a site, by trying every 32-bit displacement: each place
 * p with vaddr(p) + 4 + imm + displacement inside a site, or with the absolute address itself.
 * fn gets the address of the displacement. The caller decodes the function around it and
 * confirms. */
typedef void constants_reference_fn(void *ctx, uint64_t at, const struct constant_site *);
void constants_references(const struct constant_site *, size_t num_sites, const uint8_t *bytes,
                          size_t len, uint64_t address, constants_reference_fn *fn, void *ctx);
/* Whether the memory around a pointer of a running process is part of a table. JIT code needs
 * this, because its tables are on a heap. */
bool constants_at(enum constant_bit *out, const uint8_t *window, size_t len, size_t at);
/* Whether a table that begins with these bytes (2048 are enough) could be that of a cipher whose
 * name is not known. */
bool constants_unnamed(const uint8_t *bytes, size_t len);

#endif

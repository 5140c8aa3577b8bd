/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants that give software implementations away: tables in a file (an S-box, T-tables, K256)
 * and words that compilers put into instructions (those of MD5).  constants.def has a row for each.
 */
#ifndef TRACE_CONSTANTS_H
#define TRACE_CONSTANTS_H

#include "crypto.h"
#include <stdbool.h>
#include <stddef.h>

enum constant_bit {
#define CONSTANT(id, family, kind, text) CONSTANT_BIT_##id,
#include "constants.def"
#undef CONSTANT
    NUM_CONSTANTS
};
typedef uint64_t constant_set; /* OR of CONSTANT_... */
#define CONSTANT(id) ((constant_set)1 << CONSTANT_BIT_##id)

struct constant_site {     /* one table found */
    uint64_t address, len; /* virtual address, and how far a pointer into it may reach */
    uint8_t bit;           /* enum constant_bit */
};

struct constant_info {
    enum family family;
    const char *text; /* "T-tables", "K256", "vpaes k_inv" */
};
const struct constant_info *constant_info(enum constant_bit);

/* Finds every table in memory that lies at `address`; appends to *sites (realloc); returns how many
 * are new, or -1: no memory. */
int constants_find(struct constant_site **sites, size_t *num_sites, const uint8_t *bytes,
                   size_t len, uint64_t address);
/* Words of algorithms that code holds as immediates (MD5, SHA-1, unrolled SHA-256, ChaCha): those
 * of which enough different ones are inside. */
constant_set constants_in_code(const uint8_t *bytes, size_t len, bool big_endian);
/* Candidate references to a site from code, by brute search of 32-bit displacements (each place p
 * with vaddr(p) + 4 + imm + displacement inside a site, or the absolute address itself); fn gets
 * where the displacement stands.  The caller decodes the function around it and confirms. */
typedef void constants_reference_fn(void *ctx, uint64_t at, const struct constant_site *);
void constants_references(const struct constant_site *, size_t num_sites, const uint8_t *bytes,
                          size_t len, uint64_t address, constants_reference_fn *fn, void *ctx);
/* Whether memory around a pointer of a running process is inside a table: for JIT code, whose
 * tables are on a heap. */
bool constants_at(enum constant_bit *out, const uint8_t *window, size_t len, size_t at);

#endif

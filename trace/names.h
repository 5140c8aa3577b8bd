/* SPDX-License-Identifier: Apache-2.0
 *
 * What a function's name tells: names.def lists patterns of names with family, mode and variant,
 * and, where the prototype is known, which argument counts bytes.  fingerprints: names for
 * functions that have none.
 */
#ifndef TRACE_NAMES_H
#define TRACE_NAMES_H

#include "crypto.h"
#include <stdbool.h>
#include <stddef.h>

enum level {
    LEVEL_NONE,
    LEVEL_BLOCK /* called per block: a hot leaf */,
    LEVEL_MESSAGE /* per call of the user */
};

struct name_info {
    enum family family;
    enum how how;        /* as the name claims; HOW_NONE: it does not say */
    const char *mode;    /* or NULL */
    const char *variant; /* or NULL */
    enum level level;
    int8_t bytes_arg;    /* argument (0 first) that counts bytes or units; -1 unknown */
    uint16_t bytes_unit; /* bytes a unit: 1, 16, 64, 128 */
};
/* false: the name tells nothing.  Never trusted above what instructions say (grade E). */
bool name_lookup(struct name_info *out, const char *name);

/* OpenSSL's deprecated calls and per-call fetches, for the report on waste. */
const char *name_waste(const char *name);

/* The database of fingerprints: fingerprints.txt of the data directory, or what
 * HEADRACE_FINGERPRINTS names (not in setuid programs), read once.  NULL: not there. */
struct fingerprint {
    uint8_t hash[16];
    const char *name, *origin; /* "OpenSSL 3.0.20" */
};
const struct fingerprint *fingerprint_lookup(const uint8_t hash[16]);
/* Its path, where it could not be read or holds nothing; NULL: it is there. */
const char *fingerprints_missing(void);
/* Which file that is; zeros: none.  For what was found with it and is kept. */
struct fingerprint_version {
    uint64_t inode, size, seconds, nanoseconds;
};
struct fingerprint_version fingerprint_version(void);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the name of a function says. names.def lists patterns of names with family, mode and
 * variant, and, where the prototype is known, which argument counts bytes. Fingerprints give names
 * to functions that have none.
 */
#ifndef TRACE_NAMES_H
#define TRACE_NAMES_H

#include "../families.h"
#include <stdbool.h>
#include <stddef.h>

enum level {
    LEVEL_NONE,
    LEVEL_BLOCK /* called once per block: a hot leaf */,
    LEVEL_MESSAGE /* called once per call of the user */
};

struct name_info {
    enum family family;
    enum how how;        /* how the name says it is computed; HOW_NONE: it does not say */
    const char *mode;    /* may be NULL */
    const char *variant; /* may be NULL */
    enum level level;
    int8_t bytes_arg;    /* index of the argument that counts bytes or units, from 0; -1: unknown */
    uint16_t bytes_unit; /* bytes in a unit: 1, 16, 64, 128 */
};
/* Looks a name up in names.def. Returns false where it says nothing. Names are the weakest
 * evidence (grade E): instructions overrule them. */
bool name_lookup(struct name_info *out, const char *name);

/* Returns a sentence on the waste that the name of a function shows, for the report: OpenSSL's
 * deprecated calls, and algorithms fetched for each call. NULL: none. */
const char *name_waste(const char *name);

/* The database of fingerprints: fingerprints.txt beside the program (in a build tree) or in the
 * data directory, or the file that the variable HEADRACE_FINGERPRINTS names (ignored in setuid
 * programs). It is read once. */
struct fingerprint {
    uint8_t hash[16];
    const char *name, *origin; /* where it comes from: "OpenSSL 3.0.20" */
};
const struct fingerprint *fingerprint_lookup(const uint8_t hash[16]);
/* The path of the database, where it could not be read or is empty; NULL where it is there. */
const char *fingerprints_missing(void);
/* Identifies the database file; all zeros if there is none. It is a part of the key of cached
 * inventories. */
struct fingerprint_version {
    uint64_t inode, size, seconds, nanoseconds;
};
struct fingerprint_version fingerprint_version(void);

#endif

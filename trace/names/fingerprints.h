/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads databases of fingerprints other than the installed one (names.h), for the tool that builds
 * them.
 */
#ifndef TRACE_FINGERPRINTS_H
#define TRACE_FINGERPRINTS_H

#include "names.h"
#include <stdint.h>

struct fingerprints {
    struct fingerprint *at; /* sorted by hash */
    size_t num;
    char *text; /* the text into which the names point */
};

/* Return false where the text is no database, or without memory; the result is empty then. */
bool fingerprints_parse(struct fingerprints *, const char *text, size_t len);
bool fingerprints_read(struct fingerprints *, const char *path);
const struct fingerprint *fingerprints_find(const struct fingerprints *, const uint8_t hash[16]);
void fingerprints_free(struct fingerprints *);
/* Comparison function for qsort. */
int fingerprint_order(const void *, const void *);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Databases of fingerprints other than the shipped one (names.h): for the tool that builds them.
 */
#ifndef TRACE_FINGERPRINTS_H
#define TRACE_FINGERPRINTS_H

#include "names.h"
#include <stdint.h>

struct fingerprints {
    struct fingerprint *at; /* sorted by hash */
    size_t num;
    char *text; /* that the names point into */
};

/* false: not such a file, or no memory; then it is empty. */
bool fingerprints_parse(struct fingerprints *, const char *text, size_t len);
bool fingerprints_read(struct fingerprints *, const char *path);
const struct fingerprint *fingerprints_find(const struct fingerprints *, const uint8_t hash[16]);
void fingerprints_free(struct fingerprints *);
/* For qsort. */
int fingerprint_order(const void *, const void *);

#endif

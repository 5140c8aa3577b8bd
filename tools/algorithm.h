/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ALGORITHM_H
#define ALGORITHM_H

#include <headrace/headrace.h>
#include <stdbool.h>

/* Whether both OpenSSL and our provider have this row: then their speed can be compared. */
bool tool_in_provider(const struct hr_algorithm *row);

/* The row of this name, also as protocols, lists of digests and Solaris spell it, or NULL:
 * "hmac-sha256", "HMAC-SHA2-256", "sha256_hmac", "SHA512/256". */
const struct hr_algorithm *tool_algorithm_find(const char *name);
/* The same; else says so with near matches, and returns NULL. */
const struct hr_algorithm *tool_algorithm(const char *name);

#endif

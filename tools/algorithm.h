/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ALGORITHM_H
#define ALGORITHM_H

#include <headrace/headrace.h>
#include <stdbool.h>

/* Whether both OpenSSL and our provider have this row: then their speed can be compared. */
bool tool_in_provider(const struct hr_algorithm *row);

/* The row of this name; else says so with near matches, and returns NULL. */
const struct hr_algorithm *tool_algorithm(const char *name);

#endif

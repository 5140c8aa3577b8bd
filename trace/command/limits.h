/* SPDX-License-Identifier: Apache-2.0
 *
 * The options --max-memory and --max-time of trace and scan.
 */
#ifndef TRACE_LIMITS_H
#define TRACE_LIMITS_H

#include <stddef.h>

/* Reads the two options' texts; NULL: the value stays. Returns 0, or the status of a usage error
 * that was printed, in the name of `command`. */
int limits_read(size_t *memory, double *seconds, const char *memory_text, const char *time_text,
                const char *command);

#endif

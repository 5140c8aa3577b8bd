/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds crypto hardware that exists but was not used, and needless work. It reports only what rows
 * prove, each time with the evidence and a remedy.
 */
#ifndef TRACE_WASTE_H
#define TRACE_WASTE_H

#include "report.h"

/* Adds a sentence to the report's `waste`. Returns 0, or -1 without memory. */
__attribute__((format(printf, 2, 3))) int waste_add(struct report *, const char *format, ...);
/* Fills the report's `waste`. Returns 0, or -1 without memory. */
int waste_find(struct report *);
/* Finds clues in a text such as /proc/PID/environ or cmdline, whose words end in NUL. */
unsigned waste_clues_in(const char *words, size_t len, bool environment);
enum { CLUES_READ = 1 }; /* bit 0 of the clues: the process's environment could be read */

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto hardware that is there and was not used, and work that need not be done: only what rows
 * prove, each with its evidence and a remedy.
 */
#ifndef TRACE_WASTE_H
#define TRACE_WASTE_H

#include "report.h"

/* Fills waste. 0, or -1: no memory. */
int waste_find(struct report *);
/* Clues in a text such as /proc/PID/environ or cmdline: words that end in NUL. */
unsigned waste_clues_in(const char *words, size_t len, bool environment);
enum { CLUES_READ = 1 }; /* the process's environment could be read */

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The live view of --system: verdicts, and processes by their share, shown anew like top.
 */
#ifndef TRACE_LIVE_H
#define TRACE_LIVE_H

#include "report.h"

enum { LIVE_SECONDS = 2 };
/* Paints the terminal at stdout; not 0: it cannot be written. */
int live_print(const struct report *);

#endif

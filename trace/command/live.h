/* SPDX-License-Identifier: Apache-2.0
 *
 * The live view of --system: verdicts, and processes by their share, painted again and again as top
 * does.
 */
#ifndef TRACE_LIVE_H
#define TRACE_LIVE_H

#include "../report/report.h"

enum { LIVE_SECONDS = 2 };
/* Paints the terminal at stdout. Returns not 0 where it cannot be written. */
int live_print(const struct report *);

#endif

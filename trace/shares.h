/* SPDX-License-Identifier: Apache-2.0
 *
 * How rows count, the same for every judge and printer of a report.
 */
#ifndef TRACE_SHARES_H
#define TRACE_SHARES_H

#include "report.h"

/* Whether a verdict counts the row: crypto, in hardware, software or vector software. */
bool share_is_crypto(const struct report_row *);
/* Of all samples, 0..1. */
double share_of(uint64_t samples, const struct report *);

#endif

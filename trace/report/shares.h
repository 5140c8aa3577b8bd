/* SPDX-License-Identifier: Apache-2.0
 *
 * How the samples of rows are counted; the same in all verdicts and formats.
 */
#ifndef TRACE_SHARES_H
#define TRACE_SHARES_H

#include "report.h"

/* Whether a verdict counts the row: crypto in hardware, software or vector software. */
bool verdict_share_is_crypto(const struct report_row *);
/* `samples` as a part of the report's samples, 0 to 1; 0 if the report has none. */
double verdict_share_of(uint64_t samples, const struct report *);

#endif

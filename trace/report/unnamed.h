/* SPDX-License-Identifier: Apache-2.0
 *
 * Code that looks like crypto, but whose algorithm is not known. Nothing excludes that it is the
 * algorithm that a condition asks about.
 */
#ifndef TRACE_UNNAMED_H
#define TRACE_UNNAMED_H

#include "report.h"

/* The share of CPU up to which such code is not mentioned, and fails no condition. */
#define UNNAMED_TOLERATED 0.01

/* Makes the verdict about one of the families of such code, AESBASED or UNNAMED. Returns false if
 * its share is at most UNNAMED_TOLERATED. */
bool unnamed_verdict(struct verdict *, enum family, const struct report *);
/* Finds the verdict on code that may compute `family` in software. Returns false if there is none.
 * Code on AES instructions that was found not to be AES is no such code for AES. */
bool unnamed_may_be(struct verdict *, enum family, const struct report *);

#endif

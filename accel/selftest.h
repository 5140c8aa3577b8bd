/* SPDX-License-Identifier: Apache-2.0 */
/* The power-on self-test: every kernel that this CPU can run computes known answers, which another
 * implementation gave (selftest.def). */
#ifndef HR_SELFTEST_H
#define HR_SELFTEST_H

#include <stddef.h>

enum { SELFTEST_TEXT = 128 };

/* On as many threads as there are CPUs, which have ended when it returns.
 * How many kernels were found right; -1: `wrong` names one that is not. */
int selftest_run(char wrong[SELFTEST_TEXT]);

#endif

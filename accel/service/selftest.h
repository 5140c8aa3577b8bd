/* SPDX-License-Identifier: Apache-2.0 */
/* The power-on self-test: every kernel that this CPU can run computes known answers, which another
 * implementation gave (selftest.def). */
#ifndef HR_SELFTEST_H
#define HR_SELFTEST_H

#include <stddef.h>

enum { SELFTEST_TEXT = 128 };

/* selftest_run uses a thread for each CPU, at most 8, which have ended when it returns.  Returns
 * the number of kernels that computed the known answers, or -1; then `wrong` says why. */
int selftest_run(char wrong[SELFTEST_TEXT]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The second builds of tests run under Valgrind's memcheck, which reports what depends on a secret
 * (secret.h). */
#ifndef HR_MEMCHECK_H
#define HR_MEMCHECK_H

#include "secret.h"

#ifdef HR_CT_VALGRIND
#define CT_ERRORS() ((unsigned)VALGRIND_COUNT_ERRORS)
enum { IS_MEMCHECK = 1 };
#else
#define CT_ERRORS() 0u
enum { IS_MEMCHECK = 0 };
#endif

#endif

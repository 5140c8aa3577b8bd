/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_API_TEST_H
#define HR_API_TEST_H

#include "test.h"

void wants(int got, int want, const char *what);

/* Each checks every row of its class, or what they have beside it, and prints results. */
void check_aeads(void);
void check_des_keys(void);
void check_nmacs(void);
void check_xts(void);

#endif

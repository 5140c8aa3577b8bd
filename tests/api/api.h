/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_API_TEST_H
#define HR_API_TEST_H

#include "../test.h"

void wants(int got, int want, const char *what);

/* Each of these functions checks the calls of one class or of DES keys, and prints the results. */
void check_aeads(void);
void check_des_keys(void);
void check_nmacs(void);
void check_cmacs(void);
void check_xts(void);

#endif

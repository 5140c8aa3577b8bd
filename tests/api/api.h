/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_API_TEST_H
#define HR_API_TEST_H

#include "../test.h"

enum { CANARY = 0x5a };

void wants(int got, int want, const char *what);
/* wants_canary complains of bytes that are not CANARY. */
void wants_canary(const void *p, size_t len, const char *what);

/* Each of these functions checks the calls of one class or of DES keys, and prints the results. */
void check_aeads(void);
void check_des_keys(void);
void check_nmacs(void);
void check_cmacs(void);
void check_xts(void);
void check_wraps(void);

#endif

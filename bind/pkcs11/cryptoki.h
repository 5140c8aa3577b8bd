/* SPDX-License-Identifier: Apache-2.0 */
/* The types and constants of PKCS#11 3.2, from a header in the public domain that ./x fetches. */
#ifndef HR_P11_CRYPTOKI_H
#define HR_P11_CRYPTOKI_H

#include <pkcs11.h>

/* Marks what the specification calls a CK_RV that may not be ignored. */
#define RV __attribute__((warn_unused_result)) CK_RV

#endif

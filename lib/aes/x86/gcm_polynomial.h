/* SPDX-License-Identifier: Apache-2.0 */
/* The polynomial x^63 + x^62 + x^57 in each half of four blocks.  Code that sees its value
 * broadcasts it from a register instead of loading it. */
#ifndef HR_GCM_POLYNOMIAL_H
#define HR_GCM_POLYNOMIAL_H

#include "../../internal.h"

extern const uint8_t gcm_polynomial_table[4][16] __attribute__((aligned(64), visibility("hidden")));

#endif

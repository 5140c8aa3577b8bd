/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA-87 in C. */
#define SET 87
#define SUFFIX c
#include "mldsa_unit.h"

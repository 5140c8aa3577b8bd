/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA-44 in C. */
#define SET 44
#define SUFFIX c
#include "mldsa_unit.h"

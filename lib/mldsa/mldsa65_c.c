/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA-65 in C. */
#define SET 65
#define SUFFIX c
#include "mldsa_unit.h"

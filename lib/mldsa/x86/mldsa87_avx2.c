/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA-87 with AVX2. */
#include "mldsa_avx2.h"
#define SET 87
#include "../mldsa_unit.h"

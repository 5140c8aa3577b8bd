/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA-44 with AVX2. */
#include "mldsa_avx2.h"
#define SET 44
#include "../mldsa_unit.h"

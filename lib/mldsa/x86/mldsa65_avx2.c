/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA-65 with AVX2. */
#include "mldsa_avx2.h"
#define SET 65
#include "../mldsa_unit.h"

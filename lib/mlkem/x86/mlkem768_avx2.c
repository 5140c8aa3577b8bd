/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM-768 with AVX2. */
#include "mlkem_avx2.h"
#define SET 768
#include "../mlkem_unit.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM-1024 with AVX2. */
#include "mlkem_avx2.h"
#define SET 1024
#include "../mlkem_unit.h"

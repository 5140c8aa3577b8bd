/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM-512 with AVX2. */
#include "mlkem_avx2.h"
#define SET 512
#include "../mlkem_unit.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM-512 with NEON. */
#include "mlkem_neon.h"
#define SET 512
#include "../mlkem_unit.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM-1024 with NEON. */
#include "mlkem_neon.h"
#define SET 1024
#include "../mlkem_unit.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM-768 with NEON. */
#include "mlkem_neon.h"
#define SET 768
#include "../mlkem_unit.h"

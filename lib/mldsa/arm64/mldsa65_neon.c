/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA-65 with NEON. */
#include "mldsa_neon.h"
#define SET 65
#include "../mldsa_unit.h"

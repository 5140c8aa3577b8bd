/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA-87 with NEON. */
#include "mldsa_neon.h"
#define SET 87
#include "../mldsa_unit.h"

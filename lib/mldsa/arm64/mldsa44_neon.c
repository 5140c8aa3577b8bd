/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA-44 with NEON. */
#include "mldsa_neon.h"
#define SET 44
#include "../mldsa_unit.h"

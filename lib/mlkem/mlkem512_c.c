/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM-512 in C. */
#define SET 512
#define SUFFIX c
#include "mlkem_unit.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM-1024 in C. */
#define SET 1024
#define SUFFIX c
#include "mlkem_unit.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM-768 in C. */
#define SET 768
#define SUFFIX c
#include "mlkem_unit.h"

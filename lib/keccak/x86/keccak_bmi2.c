/* SPDX-License-Identifier: Apache-2.0 */
/* Keccak-f[1600] of one state in general registers, with ANDN for chi, and with RORX, which rotates
 * into another register.  Every CPU with BMI2 has BMI1, which ANDN belongs to. */
#define TARGET __attribute__((target("bmi,bmi2")))
#include "../keccak_one.h"

KECCAK_KERNELS(bmi2)

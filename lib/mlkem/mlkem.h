/* SPDX-License-Identifier: Apache-2.0 */
/* The code of ML-KEM, by parameter set and backend (mlkem_unit.h). */
#ifndef HR_MLKEM_H
#define HR_MLKEM_H

#include "kem.h"

extern const struct kem_code mlkem512_c, mlkem768_c, mlkem1024_c;
extern const struct kem_code mlkem512_avx2, mlkem768_avx2, mlkem1024_avx2;
extern const struct kem_code mlkem512_neon, mlkem768_neon, mlkem1024_neon;

#endif

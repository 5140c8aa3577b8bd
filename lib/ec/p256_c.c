/* SPDX-License-Identifier: Apache-2.0 */
/* P-256 in portable C, in Montgomery's form with R = 2^256. */
#include "ec.h"

#define CURVE p256
#define LIMBS 4
#define DOMAIN p256_domain
static const uint64_t FIELD[LIMBS] = { UINT64_MAX, 0xffffffff, 0, 0xffffffff00000001 };

static inline void field_mul(uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    mont_mul_limbs(z, x, y, FIELD, 1, LIMBS);
}

#include "ec_formulas.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* P-384 in portable C, in Montgomery's form with R = 2^384. */
#include "ec.h"

#define CURVE p384
#define LIMBS 6
#define DOMAIN p384_domain
static const uint64_t FIELD[LIMBS] = { 0xffffffff, 0xffffffff00000000, UINT64_MAX - 1,
                                       UINT64_MAX, UINT64_MAX,         UINT64_MAX };

static inline void field_mul(uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    mont_mul_limbs(z, x, y, FIELD, 0x100000001, LIMBS);
}

#include "ec_formulas.h"

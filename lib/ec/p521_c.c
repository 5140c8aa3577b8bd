/* SPDX-License-Identifier: Apache-2.0 */
/* P-521 in portable C.  Its p is 2^521 - 1, so that the bits of a product from 521 on are added to
 * those below. */
#include "ec.h"

#define CURVE p521
#define LIMBS 9
#define DOMAIN p521_domain
enum { TOP_BITS = 521 - 64 * (LIMBS - 1) };
static const uint64_t FIELD[LIMBS] = { UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                       UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                       UINT64_MAX, UINT64_MAX, (1 << TOP_BITS) - 1 };

static inline void field_mul(uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    uint64_t product[2 * LIMBS] = { 0 }, high[LIMBS];
    for (size_t i = 0; i < LIMBS; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < LIMBS; j++) {
            const bn_wide sum = (bn_wide)x[j] * y[i] + product[i + j] + carry;
            product[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        product[i + LIMBS] = carry;
    }
    for (size_t i = 0; i < LIMBS; i++)
        high[i] = product[LIMBS - 1 + i] >> TOP_BITS | product[LIMBS + i] << (64 - TOP_BITS);
    product[LIMBS - 1] &= FIELD[LIMBS - 1];
    bn_mod_add(z, product, high, FIELD, LIMBS);
}

#include "ec_formulas.h"

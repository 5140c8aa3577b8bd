/* SPDX-License-Identifier: Apache-2.0 */
#include "mont.h"

void mont_mul(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct modulus *modulus)
{
    switch (modulus->num) {
    case 4:
        mont_mul_limbs(z, x, y, modulus->m, modulus->m0, 4);
        break;
    case 6:
        mont_mul_limbs(z, x, y, modulus->m, modulus->m0, 6);
        break;
    case 9:
        mont_mul_limbs(z, x, y, modulus->m, modulus->m0, 9);
        break;
    default:
        mont_mul_limbs(z, x, y, modulus->m, modulus->m0, modulus->num);
    }
}

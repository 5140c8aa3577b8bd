/* SPDX-License-Identifier: Apache-2.0 */
#include "mont.h"
#include "../secret.h"

static __attribute__((noinline)) void mul_any(uint64_t *z, const uint64_t *x, const uint64_t *y,
                                              const struct modulus *modulus)
{
    uint64_t t[MONT_MAX_LIMBS];
    mont_mul_in(t, z, x, y, modulus->m, modulus->m0, modulus->num);
    wipe_bytes(t, modulus->num * sizeof *t);
}

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
        mul_any(z, x, y, modulus);
    }
}

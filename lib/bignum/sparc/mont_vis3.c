/* SPDX-License-Identifier: Apache-2.0 */
/* Montgomery multiplication of numbers of any size, limb by limb, for CPUs with VIS 3: what montmul
 * does not take, or where it is missing. */
#include "../../internal.h"
#include "../mont_kernels.h"

void mont_row_vis3(uint64_t *t, const uint64_t *x, const uint64_t *y, const struct modulus *m);

void mont_mul_vis3(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct modulus *m)
{
    uint64_t t[MONT_MAX_LIMBS + 1];
    const size_t num = m->num, len = (num + 1) * sizeof *t;
    memset(t, 0, len);
    for (size_t i = 0; i < num; i++)
        mont_row_vis3(t, x, y + i, m);
    bn_reduce_once(z, t[num], t, m->m, num);
    wipe_bytes(t, len);
}

void mont_steps_vis3(uint64_t *z, const uint64_t *x, unsigned squarings, const uint64_t *y,
                     const struct modulus *m)
{
    mont_steps_by(mont_mul_vis3, z, x, squarings, y, m);
}

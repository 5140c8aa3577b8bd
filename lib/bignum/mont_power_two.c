/* SPDX-License-Identifier: Apache-2.0 */
/* The product of two powers, of which all is public: two bits of both exponents at a time (Straus,
 * "Addition chains of vectors", 1964). */
#include "../internal.h"
#include "mont_kernels.h"
#include "mont_power.h"

enum { BITS = 2, SIDE = 1 << BITS };

/* table[SIDE * a + b] = x^a y^b */
static void fill(uint64_t *table, const uint64_t *x, const uint64_t *y, const struct modulus *m,
                 const struct mont_kernel *kernel)
{
    const size_t num = m->num;
    uint64_t *const by_x = table + SIDE * num, *const by_y = table + num;
    uint64_t one[MONT_POWER_LIMBS] = { 1 };
    kernel->mul(table, m->r2, one, m);
    kernel->mul(by_x, x, m->r2, m);
    kernel->mul(by_y, y, m->r2, m);
    for (size_t i = 2; i < (size_t)SIDE * SIDE; i++)
        if (i != SIDE)
            kernel->mul(table + i * num, table + (i - (i < SIDE ? 1 : SIDE)) * num,
                        i < SIDE ? by_y : by_x, m);
}

void mont_power_two_vartime(uint64_t *z, const uint64_t *x, const uint64_t *e, const uint64_t *y,
                            const uint64_t *f, size_t e_num, const struct modulus *m)
{
    uint64_t table[SIDE * SIDE * MONT_POWER_LIMBS], one[MONT_POWER_LIMBS] = { 1 };
    const struct mont_kernel *const kernel = mont_kernel(m->num);
    unsigned squarings = 0, started = 0;
    fill(table, x, y, m, kernel);
    memcpy(z, table, m->num * sizeof *z);
    for (size_t at = 64 * e_num; at;) {
        at -= BITS;
        const uint64_t a = e[at / 64] >> at % 64 & (SIDE - 1),
                       b = f[at / 64] >> at % 64 & (SIDE - 1);
        squarings += started ? BITS : 0;
        if (!(a | b))
            continue;
        kernel->steps(z, z, squarings, table + (SIDE * a + b) * m->num, m);
        squarings = 0;
        started = 1;
    }
    kernel->steps(z, z, squarings, one, m); /* which also leaves Montgomery's form */
}

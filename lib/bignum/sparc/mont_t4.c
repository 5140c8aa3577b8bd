/* SPDX-License-Identifier: Apache-2.0 */
/* Montgomery multiplication by the T4's montmul and montsqr.  An instruction that fails, which the
 * CPU reports, has destroyed its operands; all steps are then repeated from memory, a few times,
 * and at last computed in software. */
#include "../mont_kernels.h"

enum { TRIES = 3 };

typedef int run_fn(uint64_t *z, const uint64_t *x, unsigned squarings, const uint64_t *y,
                   const struct modulus *m);
run_fn mont_run_t4_8, mont_run_t4_16, mont_run_t4_24, mont_run_t4_32;

void mont_steps_t4(uint64_t *z, const uint64_t *x, unsigned squarings, const uint64_t *y,
                   const struct modulus *m)
{
    static run_fn *const run[] = { mont_run_t4_8, mont_run_t4_16, mont_run_t4_24, mont_run_t4_32 };
    for (unsigned i = 0; i < TRIES; i++)
        if (!run[m->num / 8 - 1](z, x, squarings, y, m))
            return;
    mont_steps_c(z, x, squarings, y, m);
}

void mont_mul_t4(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct modulus *m)
{
    mont_steps_t4(z, x, 0, y, m);
}

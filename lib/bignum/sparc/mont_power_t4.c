/* SPDX-License-Identifier: Apache-2.0 */
/* Powers by the T4's montmul and montsqr.  An instruction that fails, which the CPU reports, has
 * destroyed its operands; the power is then computed again, and at last step by step, where a
 * failure costs less. */
#include "../../internal.h"
#include "../mont_kernels.h"

enum { TRIES = 2, MOST_LIMBS = 32, MOST_E_LIMBS = 64, DIGITS = 16 }; /* digits of a limb */

typedef int power_fn(uint64_t *z, uint64_t *table, const int8_t *digits, const uint64_t *x,
                     const struct modulus *m);
power_fn mont_power_t4_8, mont_power_t4_16, mont_power_t4_24, mont_power_t4_32;

/* Digits of 4 bits, highest first, and -1. */
static void split(int8_t *digits, const uint64_t *e, size_t e_num)
{
    while (e_num--)
        for (unsigned shift = 64; shift; shift -= 4)
            *digits++ = (int8_t)(e[e_num] >> (shift - 4) & 15);
    *digits = -1;
}

static int try_power(uint64_t *z, const uint64_t *x, const uint64_t *e, size_t e_bits,
                     const struct modulus *m)
{
    static power_fn *const powers[] = { mont_power_t4_8, mont_power_t4_16, mont_power_t4_24,
                                        mont_power_t4_32 };
    uint64_t table[MOST_LIMBS * 17] __attribute__((aligned(128)));
    int8_t digits[DIGITS * MOST_E_LIMBS + 1];
    const size_t e_num = (e_bits + 63) / 64;
    int failed = 1;
    if (e_num > MOST_E_LIMBS)
        return failed;
    split(digits, e, e_num);
    for (unsigned i = 0; i < TRIES && failed; i++)
        failed = powers[m->num / 8 - 1](z, table, digits + DIGITS * e_num - (e_bits + 3) / 4, x, m);
    wipe_bytes(table, m->num * 17 * sizeof *table);
    wipe_bytes(digits, DIGITS * e_num);
    return failed;
}

void mont_power_t4(uint64_t *z, const uint64_t *x, const uint64_t *e, size_t e_bits,
                   const struct modulus *m)
{
    if (try_power(z, x, e, e_bits, m))
        mont_power_by(mont_kernel(m->num), z, x, e, e_bits, m);
}

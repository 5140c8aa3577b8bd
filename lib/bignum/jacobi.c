/* SPDX-License-Identifier: Apache-2.0 */
/* The Jacobi symbol (x / n) by the binary algorithm: twos leave x, each with the sign of (2 / n),
 * the smaller of two odd numbers is n, by quadratic reciprocity, and is subtracted from the other
 * (Cohen, "A Course in Computational Algebraic Number Theory", section 1.4). */
#include "../internal.h"
#include "mont_power.h"

/* z = z >> shift */
static void shift_down(uint64_t *z, unsigned shift, size_t num)
{
    for (size_t i = 0; i < num; i++)
        z[i] = z[i] >> shift | (i + 1 < num ? z[i + 1] << 1 << (63 - shift) : 0);
}

/* Takes the twos out of x, which is not zero; returns the change of sign, 0 or 1. */
static unsigned take_twos(uint64_t *x, uint64_t n, size_t num)
{
    const unsigned two = (n & 7) == 3 || (n & 7) == 5; /* (2 / n) = -1 */
    unsigned sign = 0;
    while (!x[0]) { /* 64 twos are an even number */
        memmove(x, x + 1, (num - 1) * sizeof *x);
        x[num - 1] = 0;
    }
    const unsigned twos = (unsigned)__builtin_ctzll(x[0]);
    sign ^= two & twos;
    shift_down(x, twos, num);
    return sign & 1;
}

int bn_jacobi_vartime(const uint64_t *x, const uint64_t *n, size_t num)
{
    uint64_t room[2][MONT_POWER_LIMBS], *a = room[0], *b = room[1];
    unsigned sign = 0;
    memcpy(a, x, num * sizeof *a);
    memcpy(b, n, num * sizeof *b);
    while (!bn_is_zero(a, num)) {
        sign ^= take_twos(a, b[0], num);
        if (bn_less(a, b, num)) {
            uint64_t *const smaller = a;
            a = b;
            b = smaller;
            sign ^= a[0] & b[0] & 2 ? 1 : 0; /* both are 3 modulo 4 */
        }
        bn_sub(a, a, b, num);
        while (num > 1 && !a[num - 1] && !b[num - 1])
            num--;
    }
    if (b[0] != 1 || !bn_is_zero(b + 1, num - 1))
        return 0;
    return sign ? -1 : 1;
}

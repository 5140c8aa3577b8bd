/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic modulo odd numbers of at least 2 bits that are known at run time.  Numbers are below
 * the modulus and not in Montgomery's form, unless a comment says otherwise.  Times depend on the
 * numbers of limbs and on the number of bits of the modulus, and on no other value. */
#ifndef HR_MONT_POWER_H
#define HR_MONT_POWER_H

#include "mont.h"

/* The most limbs of a modulus of mont_power and mont_inverse. */
enum { MONT_POWER_LIMBS = 128, MONT_INVERSE_LIMBS = 64 };

/* mont_init describes the odd modulus m; it writes num limbs to r2, to which *modulus refers. */
void mont_init(struct modulus *modulus, const uint64_t *m, size_t num, uint64_t *r2);
/* mont_m0 returns -1/m mod 2^64 for the lowest limb of m. */
uint64_t mont_m0(uint64_t low);
/* bn_bits returns the number of bits of x, which is taken as public. */
size_t bn_bits(const uint64_t *x, size_t num);

/* z = x * y mod m */
void mont_product(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct modulus *m);
/* z = x mod m, for any x of x_num limbs. */
void mont_reduce(uint64_t *z, const uint64_t *x, size_t x_num, const struct modulus *m);
/* z = x^e mod m, e of e_num limbs, or below 2^e_bits, where e_bits > 0; z may be x. */
void mont_power_bits(uint64_t *z, const uint64_t *x, const uint64_t *e, size_t e_bits,
                     const struct modulus *m);
void mont_power(uint64_t *z, const uint64_t *x, const uint64_t *e, size_t e_num,
                const struct modulus *m);
/* The same for a public exponent, which is not zero, and up to MONT_MAX_LIMBS. */
void mont_power_vartime(uint64_t *z, const uint64_t *x, const uint64_t *e, size_t e_num,
                        const struct modulus *m);
/* z = x^e y^f mod m for public numbers, e and f of e_num limbs. */
void mont_power_two_vartime(uint64_t *z, const uint64_t *x, const uint64_t *e, const uint64_t *y,
                            const uint64_t *f, size_t e_num, const struct modulus *m);
/* z = 1 / x mod m; returns all ones, or zero if x has no inverse.  z may be x. */
uint64_t mont_inverse(uint64_t *z, const uint64_t *x, const struct modulus *m);
/* z = the greatest common divisor of x and m; m->r2 is not used. */
void mont_gcd(uint64_t *z, const uint64_t *x, const struct modulus *m);
/* mont_inverse for a public x and m, in half of the time. */
uint64_t mont_inverse_vartime(uint64_t *z, const uint64_t *x, const struct modulus *m);

/* bn_jacobi_vartime returns the Jacobi symbol (x / n), 1, -1 or 0, for an odd n. */
int bn_jacobi_vartime(const uint64_t *x, const uint64_t *n, size_t num);

#endif

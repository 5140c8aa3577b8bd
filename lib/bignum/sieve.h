/* SPDX-License-Identifier: Apache-2.0 */
/* The odd primes below SIEVE_BELOW, and whether one of them divides a number. */
#ifndef HR_SIEVE_H
#define HR_SIEVE_H

#include <stddef.h>
#include <stdint.h>

enum { SIEVE_BELOW = 4096, SIEVE_PRIMES = 563, SIEVE_GROUPS = 128 };

struct sieve {
    /* 1 / p mod 2^64, and the greatest quotient of a 64-bit number by p */
    struct {
        uint64_t inverse, most;
    } prime[SIEVE_PRIMES];
    /* Products of as many primes as fit 64 bits, -1 / product mod 2^64, and the first prime that
     * comes after them. */
    struct {
        uint64_t product, m0;
        size_t end;
    } group[SIEVE_GROUPS];
    size_t num_primes, num_groups;
};

void sieve_init(struct sieve *sieve);
/* sieve_divides returns whether one of the primes divides x.  The time tells the product in which
 * it is; it is the same for all x that none divides. */
int sieve_divides(const struct sieve *sieve, const uint64_t *x, size_t num);

#endif

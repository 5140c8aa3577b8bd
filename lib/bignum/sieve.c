/* SPDX-License-Identifier: Apache-2.0 */
/* Division of a secret number by small primes, without an instruction that divides, whose time
 * could depend on the number.  It is reduced modulo products of primes by Montgomery's reduction,
 * whose factor of a power of two changes nothing for odd primes.  An odd p divides the rest r just
 * if r / p mod 2^64 is at most (2^64 - 1) / p (Granlund and Montgomery, "Division by invariant
 * integers using multiplication", 1994, section 9). */
#include "sieve.h"
#include "../internal.h"
#include "mont_power.h"

static void add_prime(struct sieve *s, uint32_t p)
{
    const size_t last = s->num_groups - 1;
    if (s->num_groups && s->group[last].product <= UINT64_MAX / p)
        s->group[last].product *= p;
    else
        s->group[s->num_groups++].product = p;
    s->prime[s->num_primes].inverse = 0 - mont_m0(p);
    s->prime[s->num_primes++].most = UINT64_MAX / p;
    s->group[s->num_groups - 1].end = s->num_primes;
}

/* Eratosthenes' sieve of odd numbers. */
void sieve_init(struct sieve *s)
{
    uint8_t composite[SIEVE_BELOW / 2] = { 0 };
    memset(s, 0, sizeof *s);
    for (uint32_t p = 3; p < SIEVE_BELOW; p += 2) {
        if (composite[p / 2])
            continue;
        for (uint32_t multiple = p * p; multiple < SIEVE_BELOW; multiple += 2 * p)
            composite[multiple / 2] = 1;
        add_prime(s, p);
    }
    for (size_t i = 0; i < s->num_groups; i++)
        s->group[i].m0 = mont_m0(s->group[i].product);
}

/* Returns x / 2^(64 num) mod m, or m instead of 0. */
static uint64_t reduce(const uint64_t *x, size_t num, uint64_t m, uint64_t m0)
{
    uint64_t rest = 0;
    for (size_t i = 0; i < num; i++) {
        const uint64_t u = (x[i] + rest) * m0;
        rest = (uint64_t)(((bn_wide)u * m + x[i] + rest) >> 64);
    }
    return rest;
}

int sieve_divides(const struct sieve *s, const uint64_t *x, size_t num)
{
    size_t prime = 0;
    for (size_t i = 0; i < s->num_groups; i++) {
        const uint64_t rest = reduce(x, num, s->group[i].product, s->group[i].m0);
        uint64_t divides = 0;
        for (; prime < s->group[i].end; prime++) {
            const uint64_t quotient = rest * s->prime[prime].inverse;
            divides |= ~(uint64_t)(((bn_wide)s->prime[prime].most - quotient) >> 64);
        }
        CT_PUBLIC(&divides, sizeof divides);
        if (divides)
            return 1;
    }
    return 0;
}

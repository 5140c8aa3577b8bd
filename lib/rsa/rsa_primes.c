/* SPDX-License-Identifier: Apache-2.0 */
/* Random primes p and q (FIPS 186-5, appendix A.1.3): each candidate is drawn anew, from sqrt(2)
 * 2^(bits - 1) on, so that the product of two has twice as many bits.  What is found out about a
 * candidate that is thrown away says nothing of those that become primes; all steps take the same
 * time for all numbers that pass.
 *
 * Candidates are 3 modulo 4, as the standard allows (its inputs a and b).  Miller and Rabin's test
 * (appendix B.3.1) is then one power: b^((x - 1) / 2) is 1 or -1.  Candidates that have no small
 * factor are tested side by side, in lanes; not in those of doubles, as a key is made once. */
#include "../bignum/mont_lanes.h"
#include "../bignum/sieve.h"
#include "rsa_generate.h"

enum {
    BATCH = MONT_LANES_MOST, /* candidates that are tested side by side */
    ROUNDS = 8,  /* more tests of each that passes; table B.1 asks for 4 or 5 in all, and
                    FIPS 186-4 for 7 of 512 bits */
    TRIES = 128, /* drawing a base again so often; each time fewer than half are refused */
};
/* Limit of candidates for each bit of a prime, where a prime has been found with all but a chance
 * of 2^-40 for any e.  The standard has 10 for q, and e above 65,536. */
enum { CANDIDATES_OF_BIT = 128 };

/* The square root of 1/2, times 2^64, rounded up. */
static const uint64_t root = UINT64_C(0xb504f333f9de6485);

struct search {
    struct sieve sieve;
    const struct rsa_source *source;
    size_t bits, num, candidates;
    uint64_t e;
};

/* A test of x to a base. */
struct test {
    uint64_t x[RSA_PRIME_LIMBS], r2[RSA_PRIME_LIMBS], base[RSA_PRIME_LIMBS];
    uint64_t exponent[RSA_PRIME_LIMBS], power[RSA_PRIME_LIMBS];
};

/* ---- random numbers ---- */

static int draw(uint64_t *z, const struct search *s)
{
    const int error = s->source->random(s->source->ctx, z, s->num * sizeof *z);
    CT_SECRET(z, s->num * sizeof *z);
    z[s->num - 1] >>= 64 * s->num - s->bits;
    return error;
}

static uint64_t top_word(const uint64_t *x, const struct search *s)
{
    const size_t last = s->num - 1, shift = 64 * s->num - s->bits;
    return shift ? x[last] << shift | x[last - 1] >> (64 - shift) : x[last];
}

/* Any number from 2 to x - 2. */
static int draw_base(uint64_t *base, const uint64_t *x, const struct search *s)
{
    static const uint64_t one[RSA_PRIME_LIMBS] = { 1 };
    uint64_t last[RSA_PRIME_LIMBS];
    int error = HR_ESYSTEM;
    memcpy(last, x, s->num * sizeof *last);
    last[0] ^= 1; /* x - 1 */
    for (int i = 0; i < TRIES; i++) {
        error = draw(base, s);
        uint64_t good = bn_less(one, base, s->num) & bn_less(base, last, s->num);
        CT_PUBLIC(&good, sizeof good);
        if (error || good)
            break;
        error = HR_ESYSTEM;
    }
    WIPE(&last);
    return error;
}

/* ---- candidates ---- */

uint64_t rsa_invert_word(uint64_t *z, const uint64_t *x, size_t num, uint64_t e)
{
    struct modulus modulus;
    uint64_t r2;
    mont_init(&modulus, &e, 1, &r2);
    mont_reduce(z, x, num, &modulus);
    return mont_inverse(z, z, &modulus);
}

/* Whether x is long enough, has no small factor, and x - 1 none in common with e. */
static int is_candidate(uint64_t *x, const struct search *s)
{
    uint64_t top = top_word(x, s), good = bn_less(&root, &top, 1), inverse;
    WIPE(&top);
    CT_PUBLIC(&good, sizeof good);
    if (!good || sieve_divides(&s->sieve, x, s->num))
        return 0;
    x[0] ^= 1;
    good = rsa_invert_word(&inverse, x, s->num, s->e);
    x[0] ^= 1;
    CT_PUBLIC(&good, sizeof good);
    WIPE(&inverse);
    return good != 0;
}

static int draw_candidate(uint64_t *x, struct search *s)
{
    while (s->candidates) {
        s->candidates--;
        const int error = draw(x, s);
        if (error)
            return error;
        x[(s->bits - 1) / 64] |= UINT64_C(1) << (s->bits - 1) % 64;
        x[0] |= 3;
        if (is_candidate(x, s))
            return 0;
    }
    return HR_ESYSTEM;
}

/* ---- tests ---- */

static int passes(const struct test *t, size_t num)
{
    static const uint64_t one[RSA_PRIME_LIMBS] = { 1 };
    uint64_t last[RSA_PRIME_LIMBS];
    memcpy(last, t->x, num * sizeof *last);
    last[0] ^= 1;
    uint64_t good = bn_equal(t->power, one, num) | bn_equal(t->power, last, num);
    CT_PUBLIC(&good, sizeof good);
    WIPE(&last);
    return good != 0;
}

/* Tests each x by a base of its own; returns HR_ESYSTEM, or the tests that passed as bits. */
static int run_tests(struct test *tests, size_t count, const struct search *s)
{
    struct mont_lane lane[BATCH] = { 0 };
    for (size_t i = 0; i < count; i++) {
        struct test *const t = &tests[i];
        const int error = draw_base(t->base, t->x, s);
        if (error)
            return error;
        bn_halve(t->exponent, t->x, s->num);
        lane[i] = (struct mont_lane){
            .z = t->power, .x = t->base, .e = t->exponent, .e_bits = s->bits - 1, .strict = 1
        };
        mont_init(&lane[i].m, t->x, s->num, t->r2);
    }
    if (mont_lanes_power(lane, count))
        return 0; /* x is even: a fault of the computer */
    int passed = 0;
    for (size_t i = 0; i < count; i++)
        passed |= passes(&tests[i], s->num) << i;
    return passed;
}

/* The tests after the first.  Returns 1 if x passes them all, else 0 or HR_ESYSTEM. */
static int is_prime(const uint64_t *x, const struct search *s)
{
    struct test tests[ROUNDS];
    static_assert(ROUNDS <= BATCH, "the rounds go side by side");
    for (size_t i = 0; i < ROUNDS; i++)
        memcpy(tests[i].x, x, s->num * sizeof *x);
    const int passed = run_tests(tests, ROUNDS, s);
    WIPE(&tests);
    return passed < 0 ? passed : passed == (1 << ROUNDS) - 1;
}

/* ---- the search ---- */

static int fill(struct test *tests, struct search *s)
{
    int error = 0;
    for (size_t i = 0; i < BATCH && !error; i++)
        error = draw_candidate(tests[i].x, s);
    return error ? error : run_tests(tests, BATCH, s);
}

/* Returns how many primes were found, at most `wanted`, or HR_ESYSTEM. */
static int find_some(uint64_t *found[], int wanted, struct search *s)
{
    struct test tests[BATCH];
    int num = 0, passed = fill(tests, s);
    for (size_t i = 0; i < BATCH && passed > 0 && num < wanted; i++) {
        const int prime = passed >> i & 1 ? is_prime(tests[i].x, s) : 0;
        if (prime < 0)
            passed = prime;
        if (prime > 0)
            memcpy(found[num++], tests[i].x, s->num * sizeof *tests[i].x);
    }
    WIPE(&tests);
    return passed < 0 ? passed : num;
}

/* Makes p the greater one, and returns whether p - q is at least 2^(bits - 100) (step 5.4), as it
 * is with all but a chance of 2^-98. */
static int order(struct rsa_primes *z)
{
    uint64_t difference[RSA_PRIME_LIMBS];
    const size_t low = z->bits - 100;
    const uint64_t swap = bn_mask(bn_sub(difference, z->p, z->q, z->num));
    for (size_t i = 0; i < z->num; i++) {
        const uint64_t change = (z->p[i] ^ z->q[i]) & swap;
        z->p[i] ^= change;
        z->q[i] ^= change;
    }
    bn_sub(difference, z->p, z->q, z->num);
    difference[low / 64] &= UINT64_MAX << low % 64;
    uint64_t near = bn_is_zero(difference + low / 64, z->num - low / 64);
    CT_PUBLIC(&near, sizeof near);
    WIPE(&difference);
    return !near;
}

int rsa_find_primes(struct rsa_primes *z, uint64_t e, const struct rsa_source *source)
{
    uint64_t *found[] = { z->p, z->q };
    struct search s = { .source = source, .bits = z->bits, .num = z->num, .e = e };
    s.candidates = z->bits * CANDIDATES_OF_BIT;
    sieve_init(&s.sieve);
    for (int num = 0; num < 2;) {
        const int more = find_some(found + num, 2 - num, &s);
        if (more < 0)
            return more;
        num += more;
    }
    return order(z) ? 0 : HR_ESYSTEM;
}

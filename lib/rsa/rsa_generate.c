/* SPDX-License-Identifier: Apache-2.0 */
/* New keys.  d is 1 / e modulo the least common multiple L of p - 1 and q - 1 (FIPS 186-5, appendix
 * A.1.1).  As e is one word, an inverse modulo a long L is one modulo e: d = (1 + k L) / e, where k
 * = -1 / L mod e.  dp and dq come by the same formula from p - 1 and q - 1. */
#include "rsa_generate.h"
#include "../pk/random.h"
#include "../pk/stack.h"
#include <headrace/algorithms.h>

enum {
    DEFAULT_E = 65537,
    WHOLE = 2 * RSA_PRIME_LIMBS,
    MOST_HALF_BYTES = RSA_GENERATE_MOST / 16,
    E_BYTES = 8,
};

/* ---- the numbers ---- */

struct numbers {
    struct rsa_primes primes;
    uint64_t n[WHOLE], d[WHOLE], dp[RSA_PRIME_LIMBS], dq[RSA_PRIME_LIMBS], qinv[RSA_PRIME_LIMBS];
    uint64_t e;
};

/* z = x / y for an odd y that divides x, from the lowest limb on; x becomes 0. */
static void divide_exactly(uint64_t *z, uint64_t *x, size_t x_num, const uint64_t *y, size_t y_num)
{
    const uint64_t inverse = 0 - mont_m0(y[0]);
    for (size_t i = 0; i < x_num; i++) {
        uint64_t carry = 0;
        z[i] = x[i] * inverse;
        for (size_t j = 0; i + j < x_num; j++) {
            const bn_wide product = (bn_wide)z[i] * (j < y_num ? y[j] : 0) + carry;
            carry = (uint64_t)(product >> 64) + (x[i + j] < (uint64_t)product);
            x[i + j] -= (uint64_t)product;
        }
    }
}

/* z = 1 / e mod m, which are prime to each other; returns zero if they are not. */
static uint64_t invert_e(uint64_t *z, const uint64_t *m, size_t num, uint64_t e)
{
    uint64_t k, product[WHOLE + 1] = { 1 }, quotient[WHOLE + 1];
    const uint64_t found = rsa_invert_word(&k, m, num, e);
    k = e - k;
    rsa_multiply_add(product, &k, 1, m, num);
    divide_exactly(quotient, product, num + 1, &e, 1);
    memcpy(z, quotient, num * sizeof *z);
    WIPE(&k);
    WIPE(&product);
    WIPE(&quotient);
    return found;
}

/* L = 2 a b / gcd(a, b), where a = (p - 1) / 2 and b = (q - 1) / 2 are odd. */
static void common_multiple(uint64_t *z, const struct rsa_primes *primes)
{
    uint64_t a[RSA_PRIME_LIMBS], b[RSA_PRIME_LIMBS], gcd[RSA_PRIME_LIMBS], part[RSA_PRIME_LIMBS];
    const size_t num = primes->num;
    bn_halve(a, primes->p, num);
    bn_halve(b, primes->q, num);
    mont_gcd(gcd, a, &(struct modulus){ .m = b, .m0 = mont_m0(b[0]), .num = num });
    divide_exactly(part, b, num, gcd, num);
    memset(z, 0, 2 * num * sizeof *z);
    rsa_multiply_add(z, a, num, part, num);
    bn_add(z, z, z, 2 * num);
    WIPE(&a);
    WIPE(&b);
    WIPE(&gcd);
    WIPE(&part);
}

static uint64_t invert_q(uint64_t *z, const struct rsa_primes *primes)
{
    struct modulus p;
    uint64_t r2[RSA_PRIME_LIMBS];
    mont_init(&p, primes->p, primes->num, r2);
    const uint64_t found = mont_inverse(z, primes->q, &p);
    WIPE(&r2);
    WIPE(&p);
    return found;
}

/* Returns whether d is above 2^(nlen / 2), as the standard asks, and all numbers exist, as they do
 * unless the computer makes a mistake. */
static int derive(struct numbers *z)
{
    uint64_t multiple[WHOLE], less[RSA_PRIME_LIMBS];
    const struct rsa_primes *const primes = &z->primes;
    const size_t num = primes->num, len = num * sizeof *less;
    memset(z->n, 0, sizeof z->n);
    rsa_multiply_add(z->n, primes->p, num, primes->q, num);
    common_multiple(multiple, primes);
    uint64_t good = invert_e(z->d, multiple, 2 * num, z->e) & invert_q(z->qinv, primes);
    good &= ~bn_is_zero(z->d + num, num);
    memcpy(less, primes->p, len);
    less[0] ^= 1;
    good &= invert_e(z->dp, less, num, z->e);
    memcpy(less, primes->q, len);
    less[0] ^= 1;
    good &= invert_e(z->dq, less, num, z->e);
    CT_PUBLIC(&good, sizeof good);
    WIPE(&multiple);
    WIPE(&less);
    return good != 0;
}

/* ---- the key ---- */

struct writer {
    uint8_t *at;
};

static struct hr_number put(struct writer *w, const uint64_t *x, size_t len)
{
    const struct hr_number number = { w->at, len };
    bn_to_bytes(w->at, len, x);
    w->at += len;
    return number;
}

static size_t word_bytes(uint64_t x)
{
    return (bn_bits(&x, 1) + 7) / 8;
}

static void write_numbers(struct hr_rsa_numbers *out, const struct numbers *z)
{
    struct writer w = { out->bytes };
    const size_t half = (z->primes.bits + 7) / 8, whole = z->primes.bits / 4;
    static_assert(sizeof out->bytes == 2 * 2 * MOST_HALF_BYTES + E_BYTES + 5 * MOST_HALF_BYTES,
                  "the numbers of the longest key");
    out->parts.n = put(&w, z->n, whole);
    out->parts.e = put(&w, &z->e, word_bytes(z->e));
    out->parts.d = put(&w, z->d, whole);
    out->parts.p = put(&w, z->primes.p, half);
    out->parts.q = put(&w, z->primes.q, half);
    out->parts.dp = put(&w, z->dp, half);
    out->parts.dq = put(&w, z->dq, half);
    out->parts.qinv = put(&w, z->qinv, half);
    CT_PUBLIC(out->bytes, whole);
}

/* A signature of the new key must verify: FIPS 140-3's test of pairs. */
static int check_pair(const struct hr_rsa_key *key)
{
    static const struct hr_rsa_options pkcs1 = { .padding = HR_RSA_PKCS1, .digest = HR_SHA256 };
    uint8_t digest[32] = { 1 }, sig[RSA_GENERATE_MOST / 8];
    size_t len = sizeof sig;
    const int error = hr_rsa_sign(sig, &len, digest, sizeof digest, key, &pkcs1);
    return error ? error : hr_rsa_verify(sig, len, digest, sizeof digest, key, &pkcs1);
}

/* The key's own checks find any number that does not fit the others. */
static int make_key(struct hr_rsa_key *key, struct hr_rsa_numbers *out, struct numbers *z,
                    const struct rsa_source *source)
{
    int error = rsa_find_primes(&z->primes, z->e, source);
    if (error)
        return error;
    if (!derive(z))
        return HR_EFAULT;
    write_numbers(out, z);
    error = hr_rsa_key_init(key, &out->parts);
    if (!error)
        error = check_pair(key);
    return error && error != HR_ESYSTEM ? HR_EFAULT : error;
}

static __attribute__((noinline)) int generate(struct hr_rsa_key *key, struct hr_rsa_numbers *out,
                                              uint32_t bits, uint64_t e,
                                              const struct rsa_source *source)
{
    struct hr_rsa_numbers own;
    struct numbers z = { .primes = { .bits = bits / 2, .num = (bits + 127) / 128 }, .e = e };
    const int error = make_key(key, out ? out : &own, &z, source);
    WIPE(&z);
    WIPE(&own);
    return error;
}

int rsa_generate(struct hr_rsa_key *key, struct hr_rsa_numbers *numbers, uint32_t bits, uint64_t e,
                 const struct rsa_source *source)
{
    if (!key)
        return HR_EINVAL;
    hr_rsa_key_wipe(key);
    hr_rsa_numbers_wipe(numbers);
    e = e ? e : DEFAULT_E;
    if (bits < RSA_GENERATE_LEAST || bits > RSA_GENERATE_MOST || bits % 8)
        return HR_EKEYLEN;
    if (!(e & 1) || e < 3)
        return HR_EKEY;
    const int error = generate(key, numbers, bits, e, source);
    pk_wipe_deep_stack();
    if (error) {
        hr_rsa_key_wipe(key);
        hr_rsa_numbers_wipe(numbers);
    }
    return error;
}

static int from_system(void *ctx, void *out, size_t len)
{
    (void)ctx;
    return system_random(out, len);
}

int hr_rsa_key_generate(struct hr_rsa_key *key, struct hr_rsa_numbers *numbers, uint32_t bits,
                        uint64_t e)
{
    return rsa_generate(key, numbers, bits, e, &(struct rsa_source){ from_system, NULL });
}

void hr_rsa_numbers_wipe(struct hr_rsa_numbers *numbers)
{
    if (numbers)
        WIPE(numbers);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of RSA.  The parts of a private key must fit each other (RFC 8017 section 3.2): n = p q, d e
 * = 1 modulo p - 1 and q - 1, dp and dq are d modulo these, and qinv q = 1 modulo p. */
#include "../class.h"
#include "../pk/number.h"
#include "../pk/stack.h"
#include "rsa.h"
#include <headrace/algorithms.h>

static void multiply(uint64_t *z, const uint64_t *x, size_t x_num, const uint64_t *y, size_t y_num)
{
    memset(z, 0, y_num * sizeof *z);
    rsa_multiply_add(z, x, x_num, y, y_num);
}

/* ---- public parts ---- */

/* A long exponent of a long key would make verification take long; OpenSSL has the same limit. */
enum { MOST_BITS_OF_LONG_E = 3072, MOST_E_BITS = 64 };

static int check_exponent(const struct rsa_key *key, size_t bits)
{
    const size_t e_bits = bn_bits(key->e, key->e_num);
    if (e_bits < 2 || !(key->e[0] & 1) || (bits > MOST_BITS_OF_LONG_E && e_bits > MOST_E_BITS))
        return HR_EKEY;
    if (key->e_num != key->num)
        return key->e_num < key->num ? 0 : HR_EKEY;
    return bn_less(key->e, key->n, key->num) ? 0 : HR_EKEY;
}

static int load_public(struct rsa_key *key, const struct hr_rsa_parts *parts, size_t most)
{
    if (!number_load(key->n, most, &parts->n))
        return HR_EKEYLEN;
    const size_t bits = bn_bits(key->n, most);
    if (bits < 1024)
        return HR_EKEYLEN;
    if (!(key->n[0] & 1))
        return HR_EKEY;
    struct modulus modulus;
    key->num = (uint32_t)(bits + 63) / 64;
    key->bytes = (uint32_t)(bits + 7) / 8;
    mont_init(&modulus, key->n, key->num, key->r2);
    key->m0 = modulus.m0;
    if (!number_load(key->e, RSA_PRIVATE_LIMBS, &parts->e))
        return HR_EKEY;
    key->e_num = (uint32_t)(bn_bits(key->e, RSA_PRIVATE_LIMBS) + 63) / 64;
    return key->e_num ? check_exponent(key, bits) : HR_EKEY;
}

/* ---- private parts ---- */

static int load_half(struct rsa_half *half, const struct hr_number *prime,
                     const struct hr_number *exponent)
{
    if (!number_load(half->p, RSA_HALF_LIMBS, prime))
        return HR_EKEY;
    CT_SECRET(half->p, sizeof half->p);
    const size_t bits = bn_bits(half->p, RSA_HALF_LIMBS);
    uint64_t odd = half->p[0] & 1;
    CT_PUBLIC(&odd, sizeof odd);
    if (bits < 128 || !odd)
        return HR_EKEY;
    struct modulus modulus;
    half->num = (bits + 63) / 64;
    mont_init(&modulus, half->p, half->num, half->r2);
    half->m0 = modulus.m0;
    uint64_t fits = number_load(half->d, half->num, exponent);
    CT_SECRET(half->d, half->num * sizeof *half->d);
    fits &= bn_less(half->d, half->p, half->num);
    CT_PUBLIC(&fits, sizeof fits);
    return fits ? 0 : HR_EKEY;
}

/* Divides z, which is not zero, by all twos: by as many as a power of two each time. */
static void make_odd(uint64_t *z, size_t num)
{
    for (size_t limbs = 32; limbs; limbs /= 2) {
        if (limbs >= num)
            continue;
        const uint64_t zero = bn_is_zero(z, limbs);
        for (size_t i = 0; i < num; i++)
            z[i] = ((i + limbs < num ? z[i + limbs] : 0) & zero) | (z[i] & ~zero);
    }
    for (unsigned bits = 32; bits; bits /= 2) {
        const uint64_t zero = bn_word_is_zero(z[0] << (64 - bits));
        for (size_t i = 0; i < num; i++) {
            const uint64_t above = i + 1 < num ? z[i + 1] << (64 - bits) : 0;
            z[i] = ((z[i] >> bits | above) & zero) | (z[i] & ~zero);
        }
    }
}

/* Returns all ones if odd, of num limbs, divides x, of x_num limbs and as many as odd has beyond.
 * Montgomery's reduction by all limbs of x leaves 0 or odd just then; it overwrites x. */
static uint64_t is_multiple(uint64_t *x, size_t x_num, const uint64_t *odd, size_t num)
{
    const uint64_t m0 = mont_m0(odd[0]);
    uint64_t top = 0;
    for (size_t i = 0; i < x_num; i++) {
        const uint64_t u = x[i] * m0;
        uint64_t carry = 0;
        for (size_t j = 0; j < num; j++) {
            const bn_wide sum = (bn_wide)u * odd[j] + x[i + j] + carry;
            x[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        const bn_wide sum = (bn_wide)x[i + num] + carry + top;
        x[i + num] = (uint64_t)sum;
        top = (uint64_t)(sum >> 64);
    }
    x += x_num;
    return bn_word_is_zero(top) & (bn_is_zero(x, num) | bn_equal(x, odd, num));
}

enum { HALF_ROOM = RSA_HALF_LIMBS + 2 * RSA_PRIVATE_LIMBS };

/* Returns all ones if p - 1 divides x: its odd part, and its power of two. */
static uint64_t divides(uint64_t x[HALF_ROOM], size_t x_num, const struct rsa_half *half)
{
    uint64_t m[RSA_HALF_LIMBS];
    const size_t num = half->num;
    uint64_t low = 0, below = UINT64_MAX;
    memcpy(m, half->p, num * sizeof *m);
    m[0] ^= 1;
    for (size_t i = 0; i < num && i < x_num; i++) {
        low |= x[i] & ~m[i] & (m[i] - 1) & below; /* the bits below m's lowest one */
        below &= bn_word_is_zero(m[i]);
    }
    make_odd(m, num);
    const uint64_t fits = bn_word_is_zero(low) & is_multiple(x, x_num, m, num);
    WIPE(&m);
    return fits;
}

/* Returns all ones if the exponent is d modulo p - 1, and inverse to e. */
static uint64_t half_fits(const struct rsa_half *half, const uint64_t *d, const struct rsa_key *key)
{
    static const uint64_t one[HALF_ROOM] = { 1 };
    uint64_t x[HALF_ROOM] = { 0 };
    const size_t num = key->num > half->num ? key->num : half->num;
    const size_t product_num = half->num + key->e_num;
    memcpy(x, half->d, half->num * sizeof *x);
    uint64_t fits = ~bn_mask(bn_sub(x, d, x, key->num));
    fits &= divides(x, num, half);
    memset(x, 0, sizeof x);
    multiply(x, half->d, half->num, key->e, key->e_num);
    fits &= ~bn_mask(bn_sub(x, x, one, product_num));
    fits &= divides(x, product_num, half);
    WIPE(&x);
    return fits;
}

static uint64_t product_fits(const struct rsa_key *key)
{
    uint64_t product[2 * RSA_HALF_LIMBS];
    const size_t num = key->p.num + key->q.num;
    multiply(product, key->p.p, key->p.num, key->q.p, key->q.num);
    uint64_t fits = num < key->num ? 0 : bn_equal(product, key->n, key->num);
    for (size_t i = key->num; i < num; i++)
        fits &= bn_word_is_zero(product[i]);
    WIPE(&product);
    return fits;
}

static uint64_t qinv_fits(const struct rsa_key *key)
{
    const struct rsa_half *const p = &key->p;
    const struct modulus modulus = { .m = p->p, .r2 = p->r2, .m0 = p->m0, .num = p->num };
    uint64_t x[RSA_HALF_LIMBS], one[RSA_HALF_LIMBS] = { 1 };
    mont_reduce(x, key->q.p, key->q.num, &modulus);
    mont_product(x, x, key->qinv, &modulus);
    const uint64_t fits = bn_equal(x, one, p->num) & bn_less(key->qinv, p->p, p->num);
    WIPE(&x);
    return fits;
}

static __attribute__((noinline)) int load_private(struct rsa_key *key,
                                                  const struct hr_rsa_parts *parts)
{
    uint64_t d[RSA_PRIVATE_LIMBS];
    uint8_t bytes[RSA_PRIVATE_BYTES];
    int error = load_half(&key->p, &parts->p, &parts->dp);
    if (!error)
        error = load_half(&key->q, &parts->q, &parts->dq);
    if (error)
        return error;
    uint64_t fits =
        number_load(d, key->num, &parts->d) & number_load(key->qinv, key->p.num, &parts->qinv);
    CT_SECRET(d, sizeof d);
    CT_SECRET(key->qinv, sizeof key->qinv);
    fits &= bn_less(d, key->n, key->num) & product_fits(key);
    fits &= half_fits(&key->p, d, key) & half_fits(&key->q, d, key) & qinv_fits(key);
    CT_PUBLIC(&fits, sizeof fits);
    bn_to_bytes(bytes, key->bytes, d);
    error = fits ? hr_digest(key->d_digest, HR_SHA256, bytes, key->bytes) : HR_EKEY;
    WIPE(&d);
    WIPE(&bytes);
    return error;
}

/* ---- the calls ---- */

static int finish(struct rsa_key *key, enum rsa_kind kind, int error)
{
    key->kind = kind;
    if (error)
        wipe_bytes(key, sizeof *key);
    return error;
}

int hr_rsa_key_init(struct hr_rsa_key *public, const struct hr_rsa_parts *parts)
{
    struct rsa_key *key = (struct rsa_key *)public;
    if (!key || !parts || numbers_missing(&parts->n, sizeof *parts / sizeof parts->n))
        return HR_EINVAL;
    memset(key, 0, sizeof *key);
    int error = load_public(key, parts, RSA_PRIVATE_LIMBS);
    if (!error)
        error = load_private(key, parts);
    pk_wipe_deep_stack();
    return finish(key, RSA_PRIVATE, error);
}

int hr_rsa_key_init_public(struct hr_rsa_key *public, const struct hr_rsa_parts *parts)
{
    struct rsa_key *key = (struct rsa_key *)public;
    if (!key || !parts || numbers_missing(&parts->n, 2))
        return HR_EINVAL;
    memset(key, 0, sizeof *key);
    return finish(key, RSA_PUBLIC, load_public(key, parts, RSA_LIMBS));
}

void hr_rsa_key_wipe(struct hr_rsa_key *key)
{
    if (key)
        wipe_bytes(key, sizeof(struct rsa_key));
}

size_t hr_rsa_size(const struct hr_rsa_key *public)
{
    const struct rsa_key *key = (const struct rsa_key *)public;
    return key && key->kind ? key->bytes : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Powers and inverses in a curve's field and modulo its order. */
#include "ec.h"

/* A multiplication: in the field, or modulo n. */
typedef void times_fn(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct ec *ec);

static void field_times(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct ec *ec)
{
    ec->kernel->mul(z, x, y);
}

void ec_order_mul(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct ec *ec)
{
    const struct modulus n = { ec->domain->n, ec->domain->n_r2, ec->domain->n_m0, ec->domain->num };
    mont_mul(z, x, y, &n);
}

/* z = x^exponent, with four bits of the exponent at a time.  The exponent, which is public, decides
 * which operations are done. */
static void power(uint64_t *z, const uint64_t *x, const uint64_t *exponent, const uint64_t *one,
                  times_fn *times, const struct ec *ec)
{
    enum { WIDTH = 4 };
    const size_t num = ec->domain->num;
    uint64_t powers[1 << WIDTH][EC_LIMBS], result[EC_LIMBS];
    ec_copy(powers[0], one, num);
    for (size_t i = 1; i < COUNT(powers); i++)
        times(powers[i], powers[i - 1], x, ec);
    ec_copy(result, one, num);
    for (size_t bit = 64 * num; bit;) {
        bit -= WIDTH;
        for (int i = 0; i < WIDTH; i++)
            times(result, result, result, ec);
        const uint64_t digit = exponent[bit / 64] >> bit % 64 & (COUNT(powers) - 1);
        if (digit)
            times(result, result, powers[digit], ec);
    }
    ec_copy(z, result, num);
    WIPE(&powers);
    WIPE(&result);
}

static const uint64_t two[EC_LIMBS] = { 2 };

void ec_inverse(uint64_t *z, const uint64_t *x, const struct ec *ec)
{
    uint64_t exponent[EC_LIMBS];
    if (ec->kernel->inverse) {
        ec->kernel->inverse(z, x);
        return;
    }
    bn_sub(exponent, ec->domain->p, two, ec->domain->num);
    power(z, x, exponent, ec->domain->one, field_times, ec);
}

/* p = 3 mod 4 for all these curves: the root is x^((p + 1) / 4). */
void ec_square_root(uint64_t *z, const uint64_t *x, const struct ec *ec)
{
    const size_t num = ec->domain->num;
    uint64_t exponent[EC_LIMBS + 1];
    ec_copy(exponent, ec->domain->p, num);
    exponent[num] = 0;
    for (size_t i = 0; !++exponent[i]; i++)
        ;
    for (size_t i = 0; i < num; i++)
        exponent[i] = exponent[i] >> 2 | exponent[i + 1] << 62;
    power(z, x, exponent, ec->domain->one, field_times, ec);
}

void ec_order_inverse(uint64_t *z, const uint64_t *x, const struct ec *ec)
{
    const struct ec_domain *const domain = ec->domain;
    uint64_t t[3 * EC_LIMBS], in_form[EC_LIMBS];
    if (ec->kernel->mod_inverse) {
        ec->kernel->mod_inverse(domain->num, z, x, domain->n, t);
        WIPE(&t);
        return;
    }
    static const uint64_t one[EC_LIMBS] = { 1 };
    uint64_t exponent[EC_LIMBS];
    bn_sub(exponent, domain->n, two, domain->num);
    ec_order_mul(in_form, x, domain->n_r2, ec);
    power(in_form, in_form, exponent, domain->n_one, ec_order_mul, ec);
    ec_order_mul(z, in_form, one, ec);
    WIPE(&in_form);
}

uint64_t ec_scalar(uint64_t *z, const uint8_t *in, const struct ec *ec)
{
    const size_t num = ec->domain->num;
    bn_from_bytes(z, num, in, ec->domain->bytes);
    return bn_less(z, ec->domain->n, num) & ~bn_is_zero(z, num);
}

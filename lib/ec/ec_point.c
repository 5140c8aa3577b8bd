/* SPDX-License-Identifier: Apache-2.0 */
/* Points as coordinates and as bytes. */
#include "ec.h"

static const uint64_t one_number[EC_LIMBS] = { 1 };

void ec_affine(uint64_t *out, const uint64_t *p, const struct ec *ec)
{
    const size_t num = ec->domain->num;
    const struct ec_kernel *const kernel = ec->kernel;
    uint64_t inverse[EC_LIMBS], square[EC_LIMBS];
    ec_inverse(inverse, p + 2 * num, ec);
    kernel->sqr(square, inverse);
    kernel->mul(out, p, square);
    kernel->mul(square, square, inverse);
    kernel->mul(out + num, p + num, square);
    WIPE(&inverse);
    WIPE(&square);
}

void ec_affine_x(uint64_t *x, const uint64_t *p, const struct ec *ec)
{
    uint64_t inverse[EC_LIMBS];
    ec_inverse(inverse, p + 2 * ec->domain->num, ec);
    ec->kernel->sqr(inverse, inverse);
    ec->kernel->mul(x, p, inverse);
    ec->kernel->mul(x, x, one_number);
    WIPE(&inverse);
}

/* z = x^3 - 3x + b. */
static void right_side(uint64_t *z, const uint64_t *x, const struct ec *ec)
{
    const struct ec_domain *const domain = ec->domain;
    uint64_t square[EC_LIMBS], three[EC_LIMBS];
    bn_mod_add(three, domain->one, domain->one, domain->p, domain->num);
    bn_mod_add(three, three, domain->one, domain->p, domain->num);
    ec->kernel->sqr(square, x);
    bn_mod_sub(square, square, three, domain->p, domain->num);
    ec->kernel->mul(square, square, x);
    bn_mod_add(z, square, domain->b, domain->p, domain->num);
}

/* coordinate_vartime reads a coordinate, which must be below p. */
static int coordinate_vartime(uint64_t *z, const uint8_t *in, const struct ec *ec)
{
    bn_from_bytes(z, ec->domain->num, in, ec->domain->bytes);
    if (!bn_less(z, ec->domain->p, ec->domain->num))
        return HR_EKEY;
    ec->kernel->mul(z, z, ec->domain->enter);
    return 0;
}

/* root_vartime finds the y of a compressed point; `odd` is 1 if it is an odd number. */
static int root_vartime(uint64_t *y, const uint64_t *right, unsigned odd, const struct ec *ec)
{
    static const uint64_t zero[EC_LIMBS];
    const struct ec_domain *const domain = ec->domain;
    uint64_t square[EC_LIMBS], number[EC_LIMBS];
    ec_square_root(y, right, ec);
    ec->kernel->sqr(square, y);
    if (!bn_equal(square, right, domain->num))
        return HR_EKEY;
    ec->kernel->mul(number, y, one_number);
    if ((number[0] & 1) != odd)
        bn_mod_sub(y, zero, y, domain->p, domain->num);
    return 0;
}

int ec_decode_vartime(uint64_t *out, const uint8_t *in, size_t in_len, const struct ec *ec)
{
    const size_t bytes = ec->domain->bytes, num = ec->domain->num;
    uint64_t right[EC_LIMBS], square[EC_LIMBS];
    const int compressed = in_len == 1 + bytes;
    if (!compressed && in_len != 1 + 2 * bytes)
        return HR_EKEYLEN;
    if (compressed ? in[0] != 2 && in[0] != 3 : in[0] != 4)
        return HR_EKEY;
    if (coordinate_vartime(out, in + 1, ec))
        return HR_EKEY;
    right_side(right, out, ec);
    if (compressed)
        return root_vartime(out + num, right, in[0] & 1, ec);
    if (coordinate_vartime(out + num, in + 1 + bytes, ec))
        return HR_EKEY;
    ec->kernel->sqr(square, out + num);
    return bn_equal(square, right, num) ? 0 : HR_EKEY;
}

void ec_encode(uint8_t *out, const uint64_t *point, const struct ec *ec)
{
    const size_t bytes = ec->domain->bytes, num = ec->domain->num;
    uint64_t number[EC_LIMBS];
    out[0] = 4;
    for (size_t i = 0; i < 2; i++) {
        ec->kernel->mul(number, point + i * num, one_number);
        bn_to_bytes(out + 1 + i * bytes, bytes, number);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* a * G + b * point for public numbers, in time that depends on them: b in the non-adjacent form of
 * width 5, a in the windows of the comb, whose additions fall into the last doublings of b's. */
#include "ec_window.h"

enum { WIDTH = 5, ODD = 1 << (WIDTH - 2), MAX_DIGITS = 64 * EC_LIMBS + 1 };

static uint64_t bits_vartime(const uint64_t *k, size_t bit, size_t len, size_t num)
{
    return bit < 64 * num ? ec_bits(k, bit, len, num) : 0;
}

/* digits = the non-adjacent form of k: each is 0 or odd, below 2^(WIDTH - 1) in size, and no WIDTH
 * neighbours have two that are not 0.  Returns their number. */
static size_t recode_vartime(int8_t *digits, const uint64_t *k, size_t bits, size_t num)
{
    uint64_t carry = 0;
    size_t len = 0;
    memset(digits, 0, MAX_DIGITS);
    for (size_t bit = 0; bit <= bits;) {
        if ((bits_vartime(k, bit, 1, num) ^ carry) == 0) {
            bit++;
            continue;
        }
        const uint64_t window = bits_vartime(k, bit, WIDTH, num) + carry;
        carry = window >> (WIDTH - 1);
        digits[bit] = (int8_t)((int)window - (int)(carry << WIDTH));
        len = bit + 1;
        bit += WIDTH;
    }
    return len;
}

/* odd = point, 3 point, 5 point, ... as Jacobian points. */
static void odd_multiples(uint64_t *odd, const uint64_t *point, const struct ec *ec)
{
    const size_t num = ec->domain->num, words = 3 * num;
    uint64_t two[3 * EC_LIMBS];
    ec_copy(odd, point, 2 * num);
    ec_copy(odd + 2 * num, ec->domain->one, num);
    ec->kernel->twice(two, odd);
    for (size_t i = 1; i < ODD; i++)
        ec->kernel->add(odd + i * words, odd + (i - 1) * words, two);
}

/* Whether two points of the same or opposite x have the same y; q_z is NULL for 1. */
static int same_y_vartime(const uint64_t *p, const uint64_t *q, const uint64_t *q_z,
                          const struct ec *ec)
{
    const size_t num = ec->domain->num;
    uint64_t t[EC_LIMBS], left[EC_LIMBS], right[EC_LIMBS];
    ec->kernel->sqr(t, p + 2 * num);
    ec->kernel->mul(t, t, p + 2 * num);
    ec->kernel->mul(right, t, q + num);
    ec_copy(left, p + num, num);
    if (q_z) {
        ec->kernel->sqr(t, q_z);
        ec->kernel->mul(t, t, q_z);
        ec->kernel->mul(left, left, t);
    }
    return bn_equal(left, right, num) != 0;
}

/* sum += q, whatever these points are; `affine`: q is x, y. */
static void add_vartime(uint64_t *sum, const uint64_t *q, int affine, const struct ec *ec)
{
    const size_t num = ec->domain->num;
    const uint64_t *const q_z = affine ? NULL : q + 2 * num;
    uint64_t result[3 * EC_LIMBS];
    (affine ? ec->kernel->add_affine : ec->kernel->add)(result, sum, q);
    if (bn_is_zero(result + 2 * num, num) && !bn_is_zero(sum + 2 * num, num) &&
        same_y_vartime(sum, q, q_z, ec))
        ec->kernel->twice(result, sum);
    ec_copy(sum, result, 3 * num);
}

/* Adds digit * multiple of a table whose entries have `words` limbs; `entry` is the index. */
static void add_entry_vartime(uint64_t *sum, const uint64_t *table, size_t entry, int negative,
                              size_t words, const struct ec *ec)
{
    uint64_t point[3 * EC_LIMBS];
    ec_copy(point, table + entry * words, words);
    ec_negate(point + ec->domain->num, negative ? ~UINT64_C(0) : 0, ec->domain->p, ec->domain->num);
    add_vartime(sum, point, words == 2 * (size_t)ec->domain->num, ec);
}

/* Adds those windows of k * G whose index is `first` modulo the comb's step. */
static void add_comb_vartime(uint64_t *sum, const uint64_t *k, uint64_t negate, size_t first,
                             const struct ec *ec)
{
    const struct ec_domain *const domain = ec->domain;
    const size_t num = domain->num, row_words = ((size_t)2 * num) << (domain->width - 1);
    const size_t num_windows = ec_num_windows(domain, domain->width);
    const uint64_t *row = ec->comb;
    for (size_t i = first; i < num_windows; i += domain->step, row += row_words) {
        const struct ec_digit digit = ec_digit(k, i, domain->width, num);
        if (digit.size)
            add_entry_vartime(sum, row, digit.size - 1, (digit.negative ^ negate) != 0, 2 * num,
                              ec);
    }
}

void ec_multiply_two_vartime(uint64_t *out, const uint64_t *a, const uint64_t *b,
                             const uint64_t *point, const struct ec *ec)
{
    const struct ec_domain *const domain = ec->domain;
    const size_t num = domain->num, comb_bits = (size_t)domain->width * domain->step;
    uint64_t half[EC_LIMBS], odd[ODD * 3 * EC_LIMBS], sum[3 * EC_LIMBS] = { 0 };
    int8_t digits[MAX_DIGITS];
    const uint64_t negate = ec_halve(half, a, domain);
    const size_t len = recode_vartime(digits, b, domain->bits, num);
    odd_multiples(odd, point, ec);
    for (size_t bit = len > comb_bits ? len : comb_bits; bit-- > 0;) {
        if (!bn_is_zero(sum + 2 * num, num))
            ec->kernel->twice(sum, sum);
        if (digits[bit])
            add_entry_vartime(sum, odd, (size_t)(digits[bit] < 0 ? -digits[bit] : digits[bit]) / 2,
                              digits[bit] < 0, 3 * num, ec);
        if (bit % domain->width == 0 && bit < comb_bits)
            add_comb_vartime(sum, half, negate, bit / domain->width, ec);
    }
    ec_copy(out, sum, 3 * num);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplication of a point by a secret scalar: windows with signed digits, whose multiples are
 * read by looking at every entry of a table. */
#include "ec_c.h"
#include "ec_window.h"

static void look_up(uint64_t *out, const uint64_t *table, size_t num_entries, size_t words,
                    uint64_t index, const struct ec_kernel *kernel)
{
    (kernel->look_up ? kernel->look_up : ec_look_up_c)(out, table, num_entries, words, index);
}

static void twice_often(uint64_t *p, size_t times, const struct ec_kernel *kernel)
{
    for (size_t i = 0; i < times; i++)
        kernel->twice(p, p);
}

enum { WIDTH = 5, ENTRIES = 1 << (WIDTH - 1) };

/* table = point, 2 point, ... as Jacobian points. */
static void multiples(uint64_t *table, const uint64_t *point, const struct ec *ec)
{
    const size_t num = ec->domain->num, words = 3 * num;
    ec_copy(table, point, 2 * num);
    ec_copy(table + 2 * num, ec->domain->one, num);
    for (size_t j = 2; j <= ENTRIES; j += 2) {
        ec->kernel->twice(table + (j - 1) * words, table + (j / 2 - 1) * words);
        if (j < ENTRIES)
            ec->kernel->add_affine(table + j * words, table + (j - 1) * words, point);
    }
}

void ec_multiply(uint64_t *out, const uint64_t *k, const uint64_t *point, const struct ec *ec)
{
    const struct ec_domain *const domain = ec->domain;
    const size_t num = domain->num, words = 3 * num;
    uint64_t table[ENTRIES * 3 * EC_LIMBS + 1], half[EC_LIMBS];
    uint64_t sum[3 * EC_LIMBS] = { 0 }, entry[3 * EC_LIMBS + 1];
    const uint64_t negate = ec_halve(half, k, domain);
    multiples(table, point, ec);
    table[ENTRIES * words] = 0;
    for (size_t i = ec_num_windows(domain, WIDTH); i-- > 0;) {
        const struct ec_digit digit = ec_digit(half, i, WIDTH, num);
        look_up(entry, table, ENTRIES, words, digit.size, ec->kernel);
        ec_negate(entry + num, digit.negative, domain->p, num);
        twice_often(sum, WIDTH, ec->kernel);
        ec->kernel->add(sum, sum, entry);
    }
    ec_negate(sum + num, negate, domain->p, num);
    ec_copy(out, sum, words);
    WIPE(&table);
    WIPE(&half);
    WIPE(&sum);
    WIPE(&entry);
}

/* The multiple of the base point, with a number of limbs that the compiler knows. */
BN_INLINE void multiply_base(uint64_t *out, const uint64_t *k, const struct ec *ec, size_t num)
{
    const struct ec_domain *const domain = ec->domain;
    const size_t width = domain->width, step = domain->step;
    const size_t num_windows = ec_num_windows(domain, width);
    const size_t entries = (size_t)1 << (width - 1);
    uint64_t half[EC_LIMBS], sum[3 * EC_LIMBS] = { 0 }, more[3 * EC_LIMBS], entry[2 * EC_LIMBS];
    const uint64_t negate = ec_halve(half, k, domain);
    for (size_t first = step; first-- > 0;) {
        const uint64_t *row = ec->comb;
        if (first + 1 < step)
            twice_often(sum, width, ec->kernel);
        for (size_t i = first; i < num_windows; i += step, row += entries * 2 * num) {
            const struct ec_digit digit = ec_digit(half, i, width, num);
            look_up(entry, row, entries, 2 * num, digit.size, ec->kernel);
            ec_negate(entry + num, digit.negative, domain->p, num);
            ec->kernel->add_affine(more, sum, entry);
            bn_select(sum, bn_word_is_zero(digit.size), sum, more, 3 * num);
        }
    }
    ec_negate(sum + num, negate, domain->p, num);
    ec_copy(out, sum, 3 * num);
    WIPE(&half);
    WIPE(&sum);
    WIPE(&more);
    WIPE(&entry);
}

void ec_multiply_base(uint64_t *out, const uint64_t *k, const struct ec *ec)
{
    switch (ec->domain->num) {
    case 4:
        multiply_base(out, k, ec, 4);
        break;
    case 6:
        multiply_base(out, k, ec, 6);
        break;
    default:
        multiply_base(out, k, ec, 9);
    }
}

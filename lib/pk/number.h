/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers from outside. */
#ifndef HR_LIB_NUMBER_H
#define HR_LIB_NUMBER_H

#include "../bignum/bignum.h"
#include <headrace/number.h>

/* number_load reads a number; returns all ones if it fits num limbs. */
static inline uint64_t number_load(uint64_t *z, size_t num, const struct hr_number *number)
{
    const size_t room = 8 * num, over = number->len > room ? number->len - room : 0;
    uint64_t high = 0;
    for (size_t i = 0; i < over; i++)
        high |= number->bytes[i];
    bn_from_bytes(z, num, number->bytes + over, number->len - over);
    return bn_word_is_zero(high);
}

/* numbers_missing returns whether one of so many numbers has no bytes. */
static inline int numbers_missing(const struct hr_number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!numbers[i].bytes || !numbers[i].len)
            return 1;
    return 0;
}

#endif

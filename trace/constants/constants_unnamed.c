/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises by its values a table that could be one of a cipher: a permutation of the bytes, or
 * 256 words of which each bit is either set in about half of them or always zero. CRC tables are
 * linear maps of their index, and so are tables that reverse bits or count up; these are none.
 */
#include "constants.h"
#include <string.h>

enum { ENTRIES = 256 };

static uint64_t entry(const uint8_t *bytes, unsigned width, unsigned i)
{
    uint64_t x = 0;
    for (unsigned k = 0; k < width; k++)
        x |= (uint64_t)bytes[i * width + k] << 8 * k;
    return x;
}

/* Whether the entries are a linear map (over GF(2)) of their index, but for the entry 0. */
static bool is_affine(const uint8_t *bytes, unsigned width)
{
    const uint64_t zero = entry(bytes, width, 0);
    for (unsigned i = 1; i < ENTRIES; i++) {
        const unsigned low = i & -i;
        if (i != low && (entry(bytes, width, i) ^ entry(bytes, width, low) ^
                         entry(bytes, width, i ^ low)) != zero)
            return false;
    }
    return true;
}

static bool is_permutation(const uint8_t *bytes)
{
    uint64_t seen[4] = { 0 };
    unsigned steps = 0;
    for (unsigned i = 0; i < ENTRIES; i++) {
        seen[bytes[i] / 64] |= (uint64_t)1 << bytes[i] % 64;
        steps += (uint8_t)(bytes[i] - bytes[(i + 1) % ENTRIES]) == 0xff;
    }
    /* Orders of characters consist of runs that count up. */
    return (seen[0] & seen[1] & seen[2] & seen[3]) == UINT64_MAX && steps < ENTRIES / 8;
}

/* Whether each bit of the entries is set in about half of them, or in none, as where a table is
 * masked or joined with a permutation of bits; and at least eight are set in half. */
static bool is_words(const uint8_t *bytes, unsigned width)
{
    enum { OFF = 40, LEAST = 8 }; /* OFF: five standard deviations */
    unsigned balanced = 0;
    for (unsigned bit = 0; bit < 8 * width; bit++) {
        unsigned ones = 0;
        for (unsigned i = 0; i < ENTRIES; i++)
            ones += bytes[i * width + bit / 8] >> bit % 8 & 1;
        if (ones && (ones < ENTRIES / 2 - OFF || ones > ENTRIES / 2 + OFF))
            return false;
        balanced += ones != 0;
    }
    return balanced >= LEAST;
}

bool constants_unnamed(const uint8_t *bytes, size_t len)
{
    if (len >= ENTRIES && is_permutation(bytes))
        return !is_affine(bytes, 1);
    for (unsigned width = 4; width <= 8; width += 4)
        if (len >= (size_t)width * ENTRIES && is_words(bytes, width))
            return !is_affine(bytes, width);
    return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* AES (FIPS 197): two columns of a round, and a part of key expansion. Both S-boxes are computed
 * from their definition, inverse and affine map, at the first use. */
#include "sem.h"

static uint8_t times_x(uint8_t a)
{
    return (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
}

static uint8_t times(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (; b; b >>= 1, a = times_x(a))
        product ^= b & 1 ? a : 0;
    return product;
}

/* The inverse of a, as a^254; 0 for 0. */
static uint8_t inverse(uint8_t a)
{
    uint8_t power = a, result = 1;
    for (int bit = 1; bit < 8; bit++) {
        power = times(power, power);
        result = times(result, power);
    }
    return result;
}

static uint8_t rotate(uint8_t a, int n)
{
    return (uint8_t)(a << n | a >> (8 - n));
}

/* SubBytes and its inverse (sections 5.1.1 and 5.3.2). */
static uint8_t sub(uint8_t a)
{
    const uint8_t b = inverse(a);
    return b ^ rotate(b, 1) ^ rotate(b, 2) ^ rotate(b, 3) ^ rotate(b, 4) ^ 0x63;
}

static uint8_t inverse_sub(uint8_t a)
{
    return inverse(rotate(a, 1) ^ rotate(a, 3) ^ rotate(a, 6) ^ 0x05);
}

static uint8_t boxes[2][256];

static void make_boxes(void)
{
    static int made; /* several threads may compute the tables at once: the bytes are the same */
    if (__atomic_load_n(&made, __ATOMIC_ACQUIRE))
        return;
    for (unsigned a = 0; a < 256; a++) {
        boxes[1][a] = inverse_sub((uint8_t)a);
        boxes[0][a] = sub((uint8_t)a);
    }
    __atomic_store_n(&made, 1, __ATOMIC_RELEASE);
}

static uint8_t row(uint32_t column, unsigned r)
{
    return (uint8_t)(column >> (24 - 8 * r));
}

/* times_x of the four bytes of a column. */
static uint32_t times_x_each(uint32_t column)
{
    return (column & 0x7f7f7f7f) << 1 ^ (column >> 7 & 0x01010101) * 0x1b;
}

static uint32_t rotate_rows(uint32_t column, unsigned rows)
{
    return column << 8 * rows | column >> (32 - 8 * rows);
}

/* MixColumns and its inverse (sections 5.1.3 and 5.3.3). Row r of the result is the sum of rows r,
 * r + 1, r + 2 and r + 3, times 2, 3, 1 and 1; of the inverse, times 14, 11, 13 and 9. */
static uint32_t mix(uint32_t column, int decrypt)
{
    const uint32_t by2 = times_x_each(column);
    if (!decrypt)
        return by2 ^ rotate_rows(by2 ^ column, 1) ^ rotate_rows(column, 2) ^ rotate_rows(column, 3);
    const uint32_t by4 = times_x_each(by2), by8 = times_x_each(by4), by9 = by8 ^ column;
    return by8 ^ by4 ^ by2 ^ rotate_rows(by9 ^ by2, 1) ^ rotate_rows(by9 ^ by4, 2) ^
           rotate_rows(by9, 3);
}

void sem_aes_columns(uint32_t out[2], const uint32_t state[4], const uint32_t key[2],
                     unsigned first_column, int decrypt, int last)
{
    make_boxes();
    for (unsigned i = 0; i < 2; i++) {
        uint32_t column = 0;
        for (unsigned r = 0; r < 4; r++) {
            const unsigned from = first_column + i + (decrypt ? 4 - r : r);
            column = column << 8 | boxes[decrypt][row(state[from & 3], r)];
        }
        if (decrypt)
            out[i] = last ? column ^ key[i] : mix(column ^ key[i], 1);
        else
            out[i] = (last ? column : mix(column, 0)) ^ key[i];
    }
}

uint32_t sem_aes_sub_word(uint32_t word)
{
    uint32_t out = 0;
    make_boxes();
    for (unsigned r = 0; r < 4; r++)
        out = out << 8 | boxes[0][row(word, r)];
    return out;
}

uint32_t sem_aes_rcon(unsigned round)
{
    uint8_t a = 1;
    while (round-- > 0)
        a = times_x(a);
    return (uint32_t)a << 24;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* AES, FIPS 197: two columns of a round, and what key expansion needs.  Both S-boxes are computed
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

/* a^254, which is 0 for 0. */
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

/* Sections 5.1.1 and 5.3.2. */
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
    static int made; /* threads may make them at the same time: the same bytes */
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

/* Sections 5.1.3 and 5.3.3: coefficients of the first row; the others are its rotations. */
static uint32_t mix(uint32_t column, int decrypt)
{
    static const uint8_t coefficients[2][4] = { { 2, 3, 1, 1 }, { 14, 11, 13, 9 } };
    uint32_t out = 0;
    for (unsigned r = 0; r < 4; r++) {
        uint8_t sum = 0;
        for (unsigned i = 0; i < 4; i++)
            sum ^= times(row(column, i), coefficients[decrypt][(i - r) & 3]);
        out = out << 8 | sum;
    }
    return out;
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "hex.h"

unsigned hex_value(unsigned char c)
{
    const unsigned number = c - '0', letter = (c | 0x20) - 'a';
    const unsigned is_number = (~number & (number - 10)) >> 31,
                   is_letter = (~letter & (letter - 6)) >> 31;
    return (number & -is_number) | ((letter + 10) & -is_letter) |
           ((1 - is_number - is_letter) << 8);
}

bool hex_read(uint8_t *out, size_t out_len, const char *digits)
{
    unsigned all = 0, upper = 0;
    for (size_t i = 0; i < out_len; i++) {
        const unsigned char a = (unsigned char)digits[2 * i], b = (unsigned char)digits[2 * i + 1];
        const unsigned high = hex_value(a), low = hex_value(b);
        upper |= (~a | ~b) & 0x20u; /* the bit that digits and small letters have */
        all |= high | low;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return all < 16 && !upper;
}

static char digit(unsigned n)
{
    return (char)(n + '0' + ((9 - n) >> 31) * ('a' - '0' - 10));
}

void hex_write(char *out, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        out[2 * i] = digit(bytes[i] >> 4);
        out[2 * i + 1] = digit(bytes[i] & 15);
    }
}

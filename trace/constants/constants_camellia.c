/* SPDX-License-Identifier: Apache-2.0
 *
 * The S-boxes of Camellia, alone and joined with the permutation P (RFC 3713, 2.4.1 and 2.4.2).
 */
#include "constants_private.h"

/* clang-format off */
static const uint8_t s1[256] = {
    112, 130, 44, 236, 179, 39, 192, 229, 228, 133, 87, 53, 234, 12, 174, 65, 35, 239, 107, 147,
    69, 25, 165, 33, 237, 14, 79, 78, 29, 101, 146, 189, 134, 184, 175, 143, 124, 235, 31, 206, 62,
    48, 220, 95, 94, 197, 11, 26, 166, 225, 57, 202, 213, 71, 93, 61, 217, 1, 90, 214, 81, 86, 108,
    77, 139, 13, 154, 102, 251, 204, 176, 45, 116, 18, 43, 32, 240, 177, 132, 153, 223, 76, 203,
    194, 52, 126, 118, 5, 109, 183, 169, 49, 209, 23, 4, 215, 20, 88, 58, 97, 222, 27, 17, 28, 50,
    15, 156, 22, 83, 24, 242, 34, 254, 68, 207, 178, 195, 181, 122, 145, 36, 8, 232, 168, 96, 252,
    105, 80, 170, 208, 160, 125, 161, 137, 98, 151, 84, 91, 30, 149, 224, 255, 100, 210, 16, 196,
    0, 72, 163, 247, 117, 219, 138, 3, 230, 218, 9, 63, 221, 148, 135, 92, 131, 2, 205, 74, 144,
    51, 115, 103, 246, 243, 157, 127, 191, 226, 82, 155, 216, 38, 200, 55, 198, 59, 129, 150, 111,
    75, 19, 190, 99, 46, 233, 121, 167, 140, 159, 110, 188, 142, 41, 245, 249, 182, 47, 253, 180,
    89, 120, 152, 6, 106, 231, 70, 113, 186, 212, 37, 171, 66, 136, 162, 141, 250, 114, 7, 185, 85,
    248, 238, 172, 10, 54, 73, 42, 104, 60, 56, 241, 164, 64, 40, 211, 123, 187, 201, 67, 193, 21,
    227, 173, 244, 119, 199, 128, 158,
};
/* clang-format on */

static uint8_t rotate8(unsigned x, unsigned n)
{
    return (uint8_t)(x << n | x >> (8 - n));
}

/* Output of box 1 to 4. */
static uint8_t box(unsigned number, unsigned x)
{
    switch (number) {
    case 2:
        return rotate8(s1[x], 1);
    case 3:
        return rotate8(s1[x], 7);
    case 4:
        return s1[rotate8(x, 1)];
    default:
        return s1[x];
    }
}

void camellia_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 256; i++)
        out[i] = box(variant + 1, i);
}

/* Boxes combined with P, which copies each output to three of four bytes. */
void camellia_sp_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 256; i++)
        out[i] = box(variant / 4 + 1, i) * (0x01010101 ^ (uint64_t)1 << 8 * (variant & 3));
}

/* The same with both halves of P in one 64-bit word, of box 1. */
void camellia_sp8_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 256; i++)
        out[i] = s1[i] * (variant ? UINT64_C(0x0101010000000001) : UINT64_C(0x0100000101010001));
}

/* Tables of s1 and s4 side by side. */
void camellia_two_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 256; i++) {
        out[2 * i] = s1[i] * 0x01010100u;
        out[2 * i + 1] = box(4, i) * 0x01010001u;
    }
}

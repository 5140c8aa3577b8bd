/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia (RFC 3713): F of section 2.4.1, FL of 2.4.2 and FLINV of 2.4.3. */
#include "sem.h"

static const uint8_t sbox1[256] = {
    112, 130, 44,  236, 179, 39,  192, 229, 228, 133, 87,  53,  234, 12,  174, 65,  35,  239, 107,
    147, 69,  25,  165, 33,  237, 14,  79,  78,  29,  101, 146, 189, 134, 184, 175, 143, 124, 235,
    31,  206, 62,  48,  220, 95,  94,  197, 11,  26,  166, 225, 57,  202, 213, 71,  93,  61,  217,
    1,   90,  214, 81,  86,  108, 77,  139, 13,  154, 102, 251, 204, 176, 45,  116, 18,  43,  32,
    240, 177, 132, 153, 223, 76,  203, 194, 52,  126, 118, 5,   109, 183, 169, 49,  209, 23,  4,
    215, 20,  88,  58,  97,  222, 27,  17,  28,  50,  15,  156, 22,  83,  24,  242, 34,  254, 68,
    207, 178, 195, 181, 122, 145, 36,  8,   232, 168, 96,  252, 105, 80,  170, 208, 160, 125, 161,
    137, 98,  151, 84,  91,  30,  149, 224, 255, 100, 210, 16,  196, 0,   72,  163, 247, 117, 219,
    138, 3,   230, 218, 9,   63,  221, 148, 135, 92,  131, 2,   205, 74,  144, 51,  115, 103, 246,
    243, 157, 127, 191, 226, 82,  155, 216, 38,  200, 55,  198, 59,  129, 150, 111, 75,  19,  190,
    99,  46,  233, 121, 167, 140, 159, 110, 188, 142, 41,  245, 249, 182, 47,  253, 180, 89,  120,
    152, 6,   106, 231, 70,  113, 186, 212, 37,  171, 66,  136, 162, 141, 250, 114, 7,   185, 85,
    248, 238, 172, 10,  54,  73,  42,  104, 60,  56,  241, 164, 64,  40,  211, 123, 187, 201, 67,
    193, 21,  227, 173, 244, 119, 199, 128, 158,
};

static uint8_t rotate8(uint8_t a, unsigned n)
{
    return (uint8_t)(a << n | a >> (8 - n));
}

static uint32_t rotate32(uint32_t a)
{
    return a << 1 | a >> 31;
}

/* The S-boxes SBOX1 to SBOX4. */
static uint8_t substitute(unsigned box, uint8_t a)
{
    switch (box) {
    case 1:
        return sbox1[a];
    case 2:
        return rotate8(sbox1[a], 1);
    case 3:
        return rotate8(sbox1[a], 7);
    default:
        return sbox1[rotate8(a, 1)];
    }
}

uint64_t sem_camellia_f(uint64_t in, uint64_t key)
{
    static const uint8_t boxes[8] = { 1, 2, 3, 4, 2, 3, 4, 1 };
    /* which of t1..t8 are summed up in each of y1..y8; t1 is the most significant bit */
    static const uint8_t sums[8] = { 0xb7, 0xdb, 0xed, 0x7e, 0xc7, 0x6b, 0x3d, 0x9e };
    const uint64_t x = in ^ key;
    uint8_t t[8];
    for (unsigned i = 0; i < 8; i++)
        t[i] = substitute(boxes[i], (uint8_t)(x >> (56 - 8 * i)));
    uint64_t out = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint8_t y = 0;
        for (unsigned j = 0; j < 8; j++)
            y ^= sums[i] >> (7 - j) & 1 ? t[j] : 0;
        out = out << 8 | y;
    }
    return out;
}

uint64_t sem_camellia_fl(uint64_t in, uint64_t key)
{
    uint32_t x1 = (uint32_t)(in >> 32), x2 = (uint32_t)in;
    const uint32_t k1 = (uint32_t)(key >> 32), k2 = (uint32_t)key;
    x2 ^= rotate32(x1 & k1);
    x1 ^= x2 | k2;
    return (uint64_t)x1 << 32 | x2;
}

uint64_t sem_camellia_fl_inverse(uint64_t in, uint64_t key)
{
    uint32_t y1 = (uint32_t)(in >> 32), y2 = (uint32_t)in;
    const uint32_t k1 = (uint32_t)(key >> 32), k2 = (uint32_t)key;
    y1 ^= y2 | k2;
    y2 ^= rotate32(y1 & k1);
    return (uint64_t)y1 << 32 | y2;
}

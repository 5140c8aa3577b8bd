/* SPDX-License-Identifier: Apache-2.0 */
/* Made by tools/gen/aes_nibbles.py, which has the derivation: the tables of aes_nibble.h. */
#ifndef HR_AES_NIBBLES_H
#define HR_AES_NIBBLES_H

#include "../internal.h"

/* clang-format off */

/* 1/x and a/x. */
static const alignas(16) uint8_t nibble_fields[2][16] = {
    { 128,   1,  12,   8,   6,  15,   4,  14,   3,  13,  11,  10,   2,   9,   7,   5 },
    { 128,  13,  10,  12,   5,   4,   6,   9,  14,   7,   2,  15,   3,   1,   8,  11 },
};

/* A byte's two nibbles to encryption's map. */
static const alignas(16) uint8_t nibble_enter[2][16] = {
    {   0,   1,  79,  78,  18,  19,  93,  92,  17,  16,  94,  95,   3,   2,  76,  77 },
    {   0, 217, 239,  54, 220,   5,  51, 234,  62, 231, 209,   8, 226,  59,  13, 212 },
};

/* The same with 0x63 added, for round keys. */
static const alignas(16) uint8_t nibble_enter_key[2][16] = {
    { 125, 124,  50,  51, 111, 110,  32,  33, 108, 109,  35,  34, 126, 127,  49,  48 },
    {   0, 217, 239,  54, 220,   5,  51, 234,  62, 231, 209,   8, 226,  59,  13, 212 },
};

/* 1 times the S-box's value, under the map. */
static const alignas(16) uint8_t nibble_sub1[2][16] = {
    {   0,   9,  62, 220,  47, 250, 226, 243, 196,  55,  24,  17, 205, 213,  38, 235 },
    {   0, 117, 157, 164,  36, 245,  57, 128, 104, 232, 204, 185,  29, 209,  81,  76 },
};

/* 2 times the S-box's value, under the map. */
static const alignas(16) uint8_t nibble_sub2[2][16] = {
    {   0, 250, 134,  62,  95, 155, 184,  97,  29, 124,  35, 217, 231, 196, 165,  66 },
    {   0,  10, 128,  80,  34, 120, 208, 114, 248, 138, 168, 162, 242,  90,  40, 218 },
};

/* The S-box's value, in the clear. */
static const alignas(16) uint8_t nibble_leave[2][16] = {
    {   0, 177, 128,  64, 136, 121, 192, 200, 249,  49, 185,   8,  72, 241,  57, 113 },
    {   0, 211, 174, 115,  52, 148, 221,  71,  58, 125,  73, 154, 233, 160, 231,  14 },
};

/* A byte's two nibbles to decryption's map; 0x63 is added. */
static const alignas(16) uint8_t nibble_inv_enter[2][16] = {
    {  19, 145, 230, 100, 236, 110,  25, 155,  89, 219, 172,  46, 166,  36,  83, 209 },
    {   0, 195, 204,  15, 168, 107, 100, 167, 252,  63,  48, 243,  84, 151, 152,  91 },
};

/* 14 times the inverse S-box's value, under the map. */
static const alignas(16) uint8_t nibble_inv_sub14[2][16] = {
    {   0,  92, 175, 196,  70, 222, 107, 130, 113, 243, 181, 233,  45, 152,  26,  55 },
    {   0, 143,  28, 192, 104,  39, 220, 168,  59, 147, 251, 116, 180,  79, 231,  83 },
};

/* 11 times the inverse S-box's value, under the map. */
static const alignas(16) uint8_t nibble_inv_sub11[2][16] = {
    {   0,  26, 222, 233, 181,  70,  55,  92, 152, 196, 113, 107, 130, 243, 175,  45 },
    {   0, 231,  39, 116, 251, 104,  83, 143,  79, 192,  59, 220, 168, 147,  28, 180 },
};

/* 13 times the inverse S-box's value, under the map. */
static const alignas(16) uint8_t nibble_inv_sub13[2][16] = {
    {   0,  84,   9, 195, 177,  38, 202, 114,  47,  93, 236, 184, 123, 151, 229, 158 },
    {   0, 146,  99, 209, 139, 200, 178,  90, 171, 241, 122, 232,  57,  67,  25,  32 },
};

/* 9 times the inverse S-box's value, under the map. */
static const alignas(16) uint8_t nibble_inv_sub9[2][16] = {
    {   0,  27, 201,  36, 109,  82, 237,  73, 155, 210, 191, 164, 128,  63, 118, 246 },
    {   0, 153, 211, 215, 179, 253,   4, 100,  46,  74, 249,  96, 183,  78,  42, 157 },
};

/* The inverse S-box's value, in the clear. */
static const alignas(16) uint8_t nibble_inv_leave[2][16] = {
    {   0, 130,  37, 146, 119, 103, 183, 229,  66, 167, 208,  82, 192,  16, 245,  53 },
    {   0, 205, 131, 161, 196, 168,  34, 101,  43,  78, 138,  71, 230, 108,   9, 239 },
};

/* 0 to 3 ShiftRows; those of InvShiftRows are in the opposite order. */
static const alignas(16) uint8_t shuffle_shift[4][16] = {
    {   0,   1,   2,   3,   4,   5,   6,   7,   8,   9,  10,  11,  12,  13,  14,  15 },
    {   0,   5,  10,  15,   4,   9,  14,   3,   8,  13,   2,   7,  12,   1,   6,  11 },
    {   0,   9,   2,  11,   4,  13,   6,  15,   8,   1,  10,   3,  12,   5,  14,   7 },
    {   0,  13,  10,   7,   4,   1,  14,  11,   8,   5,   2,  15,  12,   9,   6,   3 },
};

/* The byte 1 rows below, after 0 to 3 ShiftRows. */
static const alignas(16) uint8_t shuffle_below1[4][16] = {
    {   1,   2,   3,   0,   5,   6,   7,   4,   9,  10,  11,   8,  13,  14,  15,  12 },
    {   5,   6,   7,   4,   9,  10,  11,   8,  13,  14,  15,  12,   1,   2,   3,   0 },
    {   9,  10,  11,   8,  13,  14,  15,  12,   1,   2,   3,   0,   5,   6,   7,   4 },
    {  13,  14,  15,  12,   1,   2,   3,   0,   5,   6,   7,   4,   9,  10,  11,   8 },
};

/* The byte 2 rows below, after 0 to 3 ShiftRows. */
static const alignas(16) uint8_t shuffle_below2[4][16] = {
    {   2,   3,   0,   1,   6,   7,   4,   5,  10,  11,   8,   9,  14,  15,  12,  13 },
    {  10,  11,   8,   9,  14,  15,  12,  13,   2,   3,   0,   1,   6,   7,   4,   5 },
    {   2,   3,   0,   1,   6,   7,   4,   5,  10,  11,   8,   9,  14,  15,  12,  13 },
    {  10,  11,   8,   9,  14,  15,  12,  13,   2,   3,   0,   1,   6,   7,   4,   5 },
};

/* The byte 3 rows below, after 0 to 3 ShiftRows. */
static const alignas(16) uint8_t shuffle_below3[4][16] = {
    {   3,   0,   1,   2,   7,   4,   5,   6,  11,   8,   9,  10,  15,  12,  13,  14 },
    {  15,  12,  13,  14,   3,   0,   1,   2,   7,   4,   5,   6,  11,   8,   9,  10 },
    {  11,   8,   9,  10,  15,  12,  13,  14,   3,   0,   1,   2,   7,   4,   5,   6 },
    {   7,   4,   5,   6,  11,   8,   9,  10,  15,  12,  13,  14,   3,   0,   1,   2 },
};
/* clang-format on */

#endif

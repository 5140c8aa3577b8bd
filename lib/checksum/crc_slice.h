/* SPDX-License-Identifier: Apache-2.0 */
/* A reflected CRC of 32 bits in portable C, 16 bytes a step by 16 tables ("slicing": Kounavis and
 * Berry, A systematic approach to building high performance software-based CRC generators, 2005).
 * table[k][b] is the register, 0 before, after a byte b and k bytes of zeros: b(x) x^(8k + 32) mod
 * P, where bit 7 - i of b is the coefficient of x^i.  The register is a linear function of the
 * byte, so an entry is the sum of the entries for the byte's bits; bit 7 - i contributes R_(8k+i) =
 * x^(32+8k+i) mod P to table[k].  The compiler computes all tables from P. */
#ifndef HR_CRC_SLICE_H
#define HR_CRC_SLICE_H

#include "checksum.h"

/* clang-format off */
/* R_(i+1) = x * R_i mod P; in a reflected register, bit 0 is the coefficient of x^31. */
#define CRC_R(i, next) R##next = R##i >> 1 ^ (CRC_POLY & (0u - (R##i & 1u))),
#define CRC_R_ALL \
    CRC_R(0, 1) CRC_R(1, 2) CRC_R(2, 3) CRC_R(3, 4) CRC_R(4, 5) \
    CRC_R(5, 6) CRC_R(6, 7) CRC_R(7, 8) CRC_R(8, 9) CRC_R(9, 10) \
    CRC_R(10, 11) CRC_R(11, 12) CRC_R(12, 13) CRC_R(13, 14) CRC_R(14, 15) \
    CRC_R(15, 16) CRC_R(16, 17) CRC_R(17, 18) CRC_R(18, 19) CRC_R(19, 20) \
    CRC_R(20, 21) CRC_R(21, 22) CRC_R(22, 23) CRC_R(23, 24) CRC_R(24, 25) \
    CRC_R(25, 26) CRC_R(26, 27) CRC_R(27, 28) CRC_R(28, 29) CRC_R(29, 30) \
    CRC_R(30, 31) CRC_R(31, 32) CRC_R(32, 33) CRC_R(33, 34) CRC_R(34, 35) \
    CRC_R(35, 36) CRC_R(36, 37) CRC_R(37, 38) CRC_R(38, 39) CRC_R(39, 40) \
    CRC_R(40, 41) CRC_R(41, 42) CRC_R(42, 43) CRC_R(43, 44) CRC_R(44, 45) \
    CRC_R(45, 46) CRC_R(46, 47) CRC_R(47, 48) CRC_R(48, 49) CRC_R(49, 50) \
    CRC_R(50, 51) CRC_R(51, 52) CRC_R(52, 53) CRC_R(53, 54) CRC_R(54, 55) \
    CRC_R(55, 56) CRC_R(56, 57) CRC_R(57, 58) CRC_R(58, 59) CRC_R(59, 60) \
    CRC_R(60, 61) CRC_R(61, 62) CRC_R(62, 63) CRC_R(63, 64) CRC_R(64, 65) \
    CRC_R(65, 66) CRC_R(66, 67) CRC_R(67, 68) CRC_R(68, 69) CRC_R(69, 70) \
    CRC_R(70, 71) CRC_R(71, 72) CRC_R(72, 73) CRC_R(73, 74) CRC_R(74, 75) \
    CRC_R(75, 76) CRC_R(76, 77) CRC_R(77, 78) CRC_R(78, 79) CRC_R(79, 80) \
    CRC_R(80, 81) CRC_R(81, 82) CRC_R(82, 83) CRC_R(83, 84) CRC_R(84, 85) \
    CRC_R(85, 86) CRC_R(86, 87) CRC_R(87, 88) CRC_R(88, 89) CRC_R(89, 90) \
    CRC_R(90, 91) CRC_R(91, 92) CRC_R(92, 93) CRC_R(93, 94) CRC_R(94, 95) \
    CRC_R(95, 96) CRC_R(96, 97) CRC_R(97, 98) CRC_R(98, 99) CRC_R(99, 100) \
    CRC_R(100, 101) CRC_R(101, 102) CRC_R(102, 103) CRC_R(103, 104) CRC_R(104, 105) \
    CRC_R(105, 106) CRC_R(106, 107) CRC_R(107, 108) CRC_R(108, 109) CRC_R(109, 110) \
    CRC_R(110, 111) CRC_R(111, 112) CRC_R(112, 113) CRC_R(113, 114) CRC_R(114, 115) \
    CRC_R(115, 116) CRC_R(116, 117) CRC_R(117, 118) CRC_R(118, 119) CRC_R(119, 120) \
    CRC_R(120, 121) CRC_R(121, 122) CRC_R(122, 123) CRC_R(123, 124) CRC_R(124, 125) \
    CRC_R(125, 126) CRC_R(126, 127)

/* CRC_n(x, ...) expands to 2^n entries, the first of which is x: each bit of an entry's index adds
 * one of the r's. */
#define CRC_1(x, r7) (x), (x) ^ r7
#define CRC_2(x, r7, r6) CRC_1(x, r7), CRC_1((x) ^ r6, r7)
#define CRC_3(x, r7, r6, r5) CRC_2(x, r7, r6), CRC_2((x) ^ r5, r7, r6)
#define CRC_4(x, r7, r6, r5, r4) CRC_3(x, r7, r6, r5), CRC_3((x) ^ r4, r7, r6, r5)
#define CRC_5(x, r7, r6, r5, r4, r3) CRC_4(x, r7, r6, r5, r4), CRC_4((x) ^ r3, r7, r6, r5, r4)
#define CRC_6(x, r7, r6, r5, r4, r3, r2) \
    CRC_5(x, r7, r6, r5, r4, r3), CRC_5((x) ^ r2, r7, r6, r5, r4, r3)
#define CRC_7(x, r7, r6, r5, r4, r3, r2, r1) \
    CRC_6(x, r7, r6, r5, r4, r3, r2), CRC_6((x) ^ r1, r7, r6, r5, r4, r3, r2)
#define CRC_SLICE(r0, r1, r2, r3, r4, r5, r6, r7) \
    { CRC_7(0u, r7, r6, r5, r4, r3, r2, r1), CRC_7(r0, r7, r6, r5, r4, r3, r2, r1) }
#define CRC_SLICES \
    CRC_SLICE(R0, R1, R2, R3, R4, R5, R6, R7), \
    CRC_SLICE(R8, R9, R10, R11, R12, R13, R14, R15), \
    CRC_SLICE(R16, R17, R18, R19, R20, R21, R22, R23), \
    CRC_SLICE(R24, R25, R26, R27, R28, R29, R30, R31), \
    CRC_SLICE(R32, R33, R34, R35, R36, R37, R38, R39), \
    CRC_SLICE(R40, R41, R42, R43, R44, R45, R46, R47), \
    CRC_SLICE(R48, R49, R50, R51, R52, R53, R54, R55), \
    CRC_SLICE(R56, R57, R58, R59, R60, R61, R62, R63), \
    CRC_SLICE(R64, R65, R66, R67, R68, R69, R70, R71), \
    CRC_SLICE(R72, R73, R74, R75, R76, R77, R78, R79), \
    CRC_SLICE(R80, R81, R82, R83, R84, R85, R86, R87), \
    CRC_SLICE(R88, R89, R90, R91, R92, R93, R94, R95), \
    CRC_SLICE(R96, R97, R98, R99, R100, R101, R102, R103), \
    CRC_SLICE(R104, R105, R106, R107, R108, R109, R110, R111), \
    CRC_SLICE(R112, R113, R114, R115, R116, R117, R118, R119), \
    CRC_SLICE(R120, R121, R122, R123, R124, R125, R126, R127)
/* clang-format on */

typedef const uint32_t crc_table[16][256];

static inline uint32_t crc_slice_4(crc_table table, unsigned slice, uint32_t word)
{
    return table[slice + 3][word & 0xff] ^ table[slice + 2][word >> 8 & 0xff] ^
           table[slice + 1][word >> 16 & 0xff] ^ table[slice][word >> 24];
}

/* Returns the CRC register after len bytes; `crc` is the register before them. */
static inline uint32_t crc_slice(uint32_t crc, const uint8_t *in, size_t len, crc_table table)
{
    for (; len >= 16; len -= 16, in += 16)
        crc = crc_slice_4(table, 12, load_le32(in) ^ crc) ^
              crc_slice_4(table, 8, load_le32(in + 4)) ^ crc_slice_4(table, 4, load_le32(in + 8)) ^
              crc_slice_4(table, 0, load_le32(in + 12));
    for (; len >= 4; len -= 4, in += 4)
        crc = crc_slice_4(table, 0, load_le32(in) ^ crc);
    for (; len; len--, in++)
        crc = crc >> 8 ^ table[0][(crc ^ *in) & 0xff];
    return crc;
}

#endif

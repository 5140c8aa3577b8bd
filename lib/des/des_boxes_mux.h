/* SPDX-License-Identifier: Apache-2.0 */
/* Written by tools/gen/des_boxes from the tables of FIPS 46-3. */
#pragma once
#include "../bytes.h"

/* clang-format off */
/* The boxes' outputs for even inputs, and in what those for odd ones differ: of box i + 1 in byte
 * i, for inputs below 32 in the low half of a byte, for the others in the high one. */
static const uint64_t des_even[16] = {
    0x7b4259286bb60f1b, 0xe42db4833d50b441, 0x18d8f342c71a78bd, 0x217bcfd40aa7eb84,
    0xa53f259e5025a3d2, 0x9fc01279e3fc1e3f, 0xdee19aedbccfd62e, 0x42b7611ad60941e8,
    0x0c9ce0f1f8e85cf6, 0x5af30d56828b879a, 0xc6a5863ca44392c3, 0xbd1e386f793d3d79,
    0xf3064ba79e9ec965, 0x6069dec0256160ac, 0x395a7c0b41742550, 0x8784a7b51fd2fa07,
};
static const uint64_t des_differ[16] = {
    0x39e5daf3c63dd9eb, 0xcbfddb9ec93d39de, 0xc3a5db7ac9aad93a, 0x59655d3733adaca5,
    0xb97d7bdc3379ccc9, 0x59e5dbc76c5decfd, 0x59756f6a6ceace63, 0xf35e5d6e9cdf6a9c,
    0xf5c79a5739fcb5ac, 0xc99fb9a69979b779, 0x63a3cb33363ae6aa, 0xb3edd3369cfaa7c7,
    0x93beeb3bc67dcac9, 0x5de6d9e593ff3ca9, 0x639b6a6a663b9b66, 0x63be767f63ea3fdf,
};

/* P of outputs in the low halves: four bits a byte, the first most significant. */
static inline uint64_t des_p(uint64_t x)
{
    return rotr64(x & 0x0001000001010000, 56) |
           rotr64(x & 0x0800080800000808, 48) |
           rotr64(x & 0x0004000000020000, 41) |
           rotr64(x & 0x0000010004000400, 40) |
           rotr64(x & 0x0402000400000000, 33) |
           rotr64(x & 0x0000000000000001, 29) |
           rotr64(x & 0x0000020108040102, 24) |
           rotr64(x & 0x0200000000000000, 14) |
           rotr64(x & 0x0008040000080004, 9) |
           rotr64(x & 0x0100000202000200, 7);
}
/* clang-format on */

/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of 16 bytes that code of one kind keeps near each other, in an order of its own: the maps of
 * vpaes (Hamburg, CHES 2009, sections 3 and 4), and the byte orders of bitsliced AES. Rows that
 * other code has too (masks, rotations of bytes, ShiftRows) are left out. A row is compared by its
 * hash (XXH3, 64 bits).
 */
#include "constants_private.h"
#include <xxhash.h>

/* Sorted. */
static const uint64_t vpaes_rows[] = {
    0x0a7be57ff67ae4bd, 0x0d29ba9441b40410, 0x0f675147d1eb0e7f, 0x19bbde1d1341e87a,
    0x1a5f6bcfa92e5817, 0x1ec3f11a63ec95e3, 0x2539b42ac63edced, 0x367ab76b6af6a249,
    0x4fefbb91901ed195, 0x6cae8424e25be2bf, 0x771cddcb95ec1e6c, 0x7a3014bded119e7c,
    0x9ced7ae9ac318f29, 0x9d4c056d061b9593, 0x9f04ad738b49b10d, 0xa21614c97b3389a7,
    0xa347e0694d88e615, 0xad9604b149f5ddf0, 0xaf26c35d8068f6ae, 0xb5933d5e654cbb68,
    0xb9826741e32ea019, 0xbb2ce830d6d2bd4c, 0xbdafea50995c95b6, 0xc01335570dc740f7,
    0xc2bc3d6c51376f35, 0xc5b9add32288da4b, 0xc9bab09cdd07a0cd, 0xcae16a03d29d4dea,
    0xcc1507f5fe9e864f, 0xcd45cffe2b341acc, 0xcdc77c605fb192b0, 0xd7b9b427054ff878,
    0xe66a6b29b7b3eedf, 0xeaab6648456f73b5, 0xeb02916244ce7c63, 0xeb3afca17cdd547c,
    0xf0ab299c72d0deff, 0xf0c12577f81a8777, 0xf41d71e250d76dcf, 0xf8a05dc26bcbe636,
    0xf91bb61ce2184132,
};

static const uint64_t bitslice_rows[] = {
    0x2a8252954e084780, 0x2a8a6d39c830ecc7, 0x641a92baca457092,
    0xb6a8533a35f1e8f7, 0xe4268cb492c53bd8,
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

bool rows_have(unsigned bit, const uint8_t row[16])
{
    const bool vpaes = bit == CONSTANT_BIT_AES_VPAES;
    const uint64_t *hashes = vpaes ? vpaes_rows : bitslice_rows;
    const uint64_t hash = XXH3_64bits(row, 16);
    size_t low = 0, high = vpaes ? COUNT(vpaes_rows) : COUNT(bitslice_rows);
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (hashes[mid] == hash)
            return true;
        if (hashes[mid] < hash)
            low = mid + 1;
        else
            high = mid;
    }
    return false;
}

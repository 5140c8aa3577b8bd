/* SPDX-License-Identifier: Apache-2.0 */
/* Made by tools/gen/camellia_filters.py, which has the derivation: the linear maps around inversion
 * in the tower of aes_sbox.h that make Camellia's s1, less its constants.  A plane holds one bit of
 * 64 bytes. */
#ifndef HR_CAMELLIA_SBOX_H
#define HR_CAMELLIA_SBOX_H

#include <stdint.h>

#define CAMELLIA_INPUT 0xc5
#define CAMELLIA_OUTPUT 0x6e

static inline void camellia_to_tower(uint64_t q[8])
{
    const uint64_t t0 = q[0] ^ q[7], t1 = q[3] ^ q[6], t2 = q[2] ^ q[4], t3 = t0 ^ t1;
    const uint64_t t4 = q[0] ^ t2, t5 = q[1] ^ q[2], t6 = q[4] ^ q[6], t7 = q[4] ^ q[7];
    const uint64_t t8 = q[5] ^ t0, t9 = t2 ^ t3, t10 = t3 ^ t5;
    q[0] = t4, q[1] = t7, q[2] = t8, q[3] = t6;
    q[4] = t9, q[5] = t0, q[6] = t10, q[7] = t1;
}

static inline void camellia_from_tower(uint64_t q[8])
{
    const uint64_t t0 = q[1] ^ q[4], t1 = q[0] ^ q[5], t2 = q[6] ^ q[7], t3 = q[1] ^ q[2];
    const uint64_t t4 = q[2] ^ t1, t5 = q[3] ^ t0, t6 = q[5] ^ t2, t7 = q[7] ^ t0;
    const uint64_t t8 = t0 ^ t2, t9 = t1 ^ t7;
    const uint64_t t10 = q[5];
    const uint64_t t11 = q[7];
    q[0] = t9, q[1] = t11, q[2] = t5, q[3] = t6;
    q[4] = t3, q[5] = t4, q[6] = t10, q[7] = t8;
}

#endif

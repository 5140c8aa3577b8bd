/* SPDX-License-Identifier: Apache-2.0 */
/* Keccak in four lanes of AVX2, which has no rotation: those by 8 and 56 bits shuffle bytes. */
#define WORD_BITS 64
#include "../../hash/x86/vec_avx2.h"

#include "../../hash/x86/block_lanes.h"

#define ROL(x, n)                                                           \
    ((n) == 8    ? SHUFFLE_BYTES(x, 0x0e0d0c0b0a09080f, 0x0605040302010007) \
     : (n) == 56 ? SHUFFLE_BYTES(x, 0x080f0e0d0c0b0a09, 0x0007060504030201) \
                 : (x) << (n) | (x) >> (64 - (n)))
#define CHI(x, y, z) ((x) ^ (vec)_mm256_andnot_si256((__m256i)(y), (__m256i)(z)))
#include "../keccak_lanes.h"

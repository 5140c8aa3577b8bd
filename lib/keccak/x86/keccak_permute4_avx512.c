/* SPDX-License-Identifier: Apache-2.0 */
/* Keccak-f[1600] of four states in vectors of 32 bytes, with the rotations and three-operand logic
 * of AVX-512. */
#include "../keccak.h"

#define WORD_BITS 64
#define TARGET __attribute__((target("avx512f,avx512vl")))
#include "../../hash/x86/vec_avx2.h"

#include "../../hash/x86/block_lanes.h"

#define ROL(x, n) ((vec)_mm256_rol_epi64((__m256i)(x), n))
#define TERNARY(x, y, z, table) \
    ((vec)_mm256_ternarylogic_epi64((__m256i)(x), (__m256i)(y), (__m256i)(z), table))
#define CHI(x, y, z) TERNARY(x, y, z, 0xd2) /* x ^ (~y & z) */
#undef XOR3
#define XOR3(x, y, z) TERNARY(x, y, z, 0x96)
#include "../keccak_lanes.h"

TARGET void keccak_permute4_avx512(uint64_t states[4][KECCAK_WORDS])
{
    permute_lanes(states);
    leave();
}

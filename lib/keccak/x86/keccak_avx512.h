/* SPDX-License-Identifier: Apache-2.0 */
/* Keccak's rounds in eight lanes, with the rotations and three-operand logic of AVX-512. */
#define WORD_BITS 64
#define TARGET __attribute__((target("avx512f,avx512bw")))
#include "../../hash/x86/vec_avx512.h"

#include "../../hash/x86/block_lanes.h"

#define ROL(x, n) ((vec)_mm512_rol_epi64((__m512i)(x), n))
#define CHI(x, y, z) TERNARY(x, y, z, 0xd2) /* x ^ (~y & z) */
#undef XOR3
#define XOR3(x, y, z) TERNARY(x, y, z, 0x96)
#include "../keccak_lanes.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* Keccak-f[1600] of four states, with AVX2. */
#include "../keccak.h"

#include "keccak_avx2.h"

TARGET void keccak_permute4_avx2(uint64_t states[4][KECCAK_WORDS])
{
    permute_lanes(states);
    leave();
}

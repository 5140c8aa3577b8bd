/* SPDX-License-Identifier: Apache-2.0 */
/* Keccak-f[1600] in portable C. */
#define TARGET
#include "keccak_one.h"

const uint64_t keccak_constants[KECCAK_ROUNDS] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

void keccak_permute_c(uint64_t state[KECCAK_WORDS])
{
    permute(state);
}

void keccak_absorb_c(uint64_t state[KECCAK_WORDS], const uint8_t *in, size_t num_blocks,
                     size_t rate)
{
    absorb(state, in, num_blocks, rate);
}

void keccak_permute4_c(uint64_t states[4][KECCAK_WORDS])
{
    for (size_t i = 0; i < 4; i++)
        permute(states[i]);
}

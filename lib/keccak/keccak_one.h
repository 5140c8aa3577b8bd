/* SPDX-License-Identifier: Apache-2.0 */
/* Keccak-f[1600] of one state in general registers, for the kernels' files.  A file that includes
 * this one defines TARGET. */
#ifndef HR_KECCAK_ONE_H
#define HR_KECCAK_ONE_H

#include <stdint.h>

typedef uint64_t lane;
#define ROL(x, n) ((x) << (n) | (x) >> (64 - (n)))
#define XOR3(x, y, z) ((x) ^ (y) ^ (z))
#define CHI(x, y, z) ((x) ^ (~(y) & (z)))
#define SPREAD(word) (word)
#include "keccak_rounds.h"

INLINE TARGET void permute(uint64_t state[KECCAK_WORDS])
{
    lane a[KECCAK_WORDS];
    memcpy(a, state, sizeof a);
    keccak_rounds(a);
    memcpy(state, a, sizeof a);
}

INLINE TARGET void absorb(uint64_t state[KECCAK_WORDS], const uint8_t *in, size_t num_blocks,
                          size_t rate)
{
    for (; num_blocks; num_blocks--, in += rate) {
        for (size_t i = 0; i < rate / 8; i++)
            state[i] ^= load_le64(in + 8 * i);
        permute(state);
    }
}

/* Defines the kernels of one state for an instruction set. */
#define KECCAK_KERNELS(isa)                                                          \
    TARGET void keccak_permute_##isa(uint64_t state[KECCAK_WORDS])                   \
    {                                                                                \
        permute(state);                                                              \
    }                                                                                \
    TARGET void keccak_absorb_##isa(uint64_t state[KECCAK_WORDS], const uint8_t *in, \
                                    size_t num_blocks, size_t rate)                  \
    {                                                                                \
        absorb(state, in, num_blocks, rate);                                         \
    }

#endif

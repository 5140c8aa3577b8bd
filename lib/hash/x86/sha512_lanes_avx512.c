/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-512 of eight messages in lanes, with the rotations and three-operand logic of AVX-512. */
#include "../../batch.h"
#include "../sha2.h"

#define WORD_BITS 64
#define TARGET __attribute__((target("avx512f,avx512bw")))
#define SWAP 1
#define HALVES 1
#include "vec_avx512.h"

#include "block_lanes.h"

#include "../sha512_compress.h"

#define compress_halves(s, w) compress((s)[0], (w)[0])
#include "../../digest_lanes.h"

/* Compresses num_blocks blocks of every lane. */
TARGET void sha512_lanes_avx512(struct digest_lanes *l, size_t num_blocks)
{
    digest_lanes(l, num_blocks);
    leave();
}

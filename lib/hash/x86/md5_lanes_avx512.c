/* SPDX-License-Identifier: Apache-2.0 */
/* MD5 of 32 messages in lanes, 16 in a vector, with the rotations and three-operand logic of
 * AVX-512. */
#include "../../batch.h"

#define WORD_BITS 32
#define TARGET __attribute__((target("avx512f,avx512bw")))
#define SWAP 0
#define HALVES 2
#include "vec_avx512.h"

#include "block_lanes.h"

#include "../md5_compress.h"

#include "../../digest_lanes.h"

/* Compresses num_blocks blocks of every lane. */
TARGET void md5_lanes_avx512(struct digest_lanes *l, size_t num_blocks)
{
    digest_lanes(l, num_blocks);
    leave();
}

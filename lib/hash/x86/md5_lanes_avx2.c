/* SPDX-License-Identifier: Apache-2.0 */
/* MD5 of 16 messages in lanes, 8 in a vector, with AVX2. */
#include "../../batch.h"

#define WORD_BITS 32
#define SWAP 0
#define HALVES 2
#include "vec_avx2.h"

#include "block_lanes.h"

#include "../md5_compress.h"

#include "../../digest_lanes.h"

/* Compresses num_blocks blocks of every lane. */
TARGET void md5_lanes_avx2(struct digest_lanes *l, size_t num_blocks)
{
    digest_lanes(l, num_blocks);
    leave();
}

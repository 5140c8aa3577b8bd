/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 of eight messages in lanes, with AVX2. */
#include "../../batch.h"

#define WORD_BITS 32
#define SWAP 1
#define HALVES 1
#include "vec_avx2.h"

#include "block_lanes.h"

#include "../sha1_compress.h"

#define compress_halves(s, w) compress((s)[0], (w)[0])
#include "../../digest_lanes.h"

/* Compresses num_blocks blocks of every lane. */
TARGET void sha1_lanes_avx2(struct digest_lanes *l, size_t num_blocks)
{
    digest_lanes(l, num_blocks);
    leave();
}

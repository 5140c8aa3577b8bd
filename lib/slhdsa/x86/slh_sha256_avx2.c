/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of one block in eight lanes, with AVX2. */
#include "../../hash/sha2.h"

#define WORD_BITS 32
#include "../../hash/x86/vec_avx2.h"

#include "../../hash/x86/block_lanes.h"

#include "../../hash/sha256_compress.h"

#include "sha2_lanes.h"

TARGET void slh_sha256_avx2(struct slh_lanes *l)
{
    chain_lanes(l, l->key->seed256);
    leave();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of one block in sixteen lanes, with the rotations and three-operand logic of AVX-512. */
#include "../../hash/sha2.h"

#define WORD_BITS 32
#define TARGET __attribute__((target("avx512f,avx512bw")))
#include "../../hash/x86/vec_avx512.h"

#include "../../hash/x86/block_lanes.h"

#include "../../hash/sha256_compress.h"

#include "sha2_lanes.h"

TARGET void slh_sha256_avx512(struct slh_lanes *l)
{
    chain_lanes(l, l->key->seed256);
    leave();
}

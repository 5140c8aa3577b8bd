/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-512 of one block in eight lanes, with the rotations and three-operand logic of AVX-512. */
#include "../../hash/sha2.h"

#define WORD_BITS 64
#define TARGET __attribute__((target("avx512f,avx512bw")))
#include "../../hash/x86/vec_avx512.h"

#include "../../hash/x86/block_lanes.h"

#include "../../hash/sha512_compress.h"

#include "sha2_lanes.h"

TARGET void slh_sha512_avx512(struct slh_lanes *l)
{
    chain_lanes(l, l->key->seed512);
    leave();
}

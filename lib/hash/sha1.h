/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_SHA1_H
#define HR_SHA1_H

#include "../digest.h"

digest_blocks_fn sha1_blocks_c, sha1_blocks_shani, sha1_blocks_avx2, sha1_blocks_ce, sha1_blocks_t4;

/* SHA-1's constants, each for 20 rounds: FIPS 180-4 section 4.2.1. */
static const uint32_t sha1_k[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
hmac_blocks_fn sha1_hmac_shani, sha1_hmac_ce;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Prototypes of the kernels of SHA-256 and SHA-512, and their constants. */
#ifndef HR_SHA2_H
#define HR_SHA2_H

#include "../digest.h"

digest_blocks_fn sha256_blocks_c, sha256_blocks_shani, sha256_blocks_avx512, sha256_blocks_avx2,
    sha256_blocks_ce, sha256_blocks_t4;
hmac_blocks_fn sha256_hmac_shani, sha256_hmac_ce, sha512_hmac_ce;
digest_blocks_fn sha512_blocks_c, sha512_blocks_avx2, sha512_blocks_avx512, sha512_blocks_sha512ni,
    sha512_blocks_ce, sha512_blocks_t4;

extern const uint32_t sha256_k[64] __attribute__((aligned(64))); /* FIPS 180-4 section 4.2.2 */
extern const uint64_t sha512_k[80] __attribute__((aligned(64))); /* FIPS 180-4 section 4.2.3 */

#endif

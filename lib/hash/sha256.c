/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-224 and SHA-256, FIPS 180-4 sections 4.1.2, 5.3.2, 5.3.3 and 6.2. */
#include "../digest_rows.h"
#include "sha2.h"

static const uint32_t init224[8] = {
    0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
};
static const uint32_t init256[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* clang-format off */
static const struct digest_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86("shani", CPU(SHANI) | CPU(SSE41) | CPU(SSSE3), sha256_blocks_shani,
               sha256_hmac_shani)
    KERNEL_X86("avx512", CPU(AVX512F) | CPU(AVX512BW) | CPU(AVX512VL) | CPU(BMI2),
               sha256_blocks_avx512)
    KERNEL_X86("avx2", CPU(AVX2) | CPU(BMI2), sha256_blocks_avx2)
    KERNEL_ARM64("ce", CPU(ARM_SHA2), sha256_blocks_ce, sha256_hmac_ce)
    KERNEL_SPARC("t4", CPU(SPARC_SHA256) | CPU(SPARC_VIS), sha256_blocks_t4)
    KERNEL_C(sha256_blocks_c)
};
/* clang-format on */

static _Atomic(const struct digest_kernel *) chosen;

DIGEST_ROW(sha224, init224, 32, 4, 64, 0)
DIGEST_ROW(sha256, init256, 32, 4, 64, 0)

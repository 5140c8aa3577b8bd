/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-384, SHA-512 and SHA-512/t, FIPS 180-4 sections 4.1.3, 5.3.4 to 5.3.6 and 6.4. */
#include "../digest_rows.h"
#include "sha2.h"

static const uint64_t init384[8] = {
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};
static const uint64_t init512[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};
static const uint64_t init512_224[8] = {
    0x8c3d37c819544da2, 0x73e1996689dcd4d6, 0x1dfab7ae32ff9c82, 0x679dd514582f9fcf,
    0x0f6d2b697bd44da8, 0x77e36f7304c48942, 0x3f9d85a86a1d36c8, 0x1112e6ad91d692a1,
};
static const uint64_t init512_256[8] = {
    0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
    0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
};

/* clang-format off */
static const struct digest_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86_SHA512NI("sha512ni", CPU(SHA512NI) | CPU(AVX2), sha512_blocks_sha512ni)
    KERNEL_X86("avx2_halves", CPU(HALVES512) | CPU(AVX2) | CPU(BMI2), sha512_blocks_avx2)
    KERNEL_X86("avx512", CPU(AVX512F) | CPU(AVX512BW) | CPU(AVX512VL) | CPU(BMI2),
               sha512_blocks_avx512)
    KERNEL_X86("avx2", CPU(AVX2) | CPU(BMI2), sha512_blocks_avx2)
    KERNEL_ARM64("ce", CPU(ARM_SHA512), sha512_blocks_ce, sha512_hmac_ce)
    KERNEL_SPARC("t4", CPU(SPARC_SHA512) | CPU(SPARC_VIS), sha512_blocks_t4)
    KERNEL_C(sha512_blocks_c)
};
/* clang-format on */

static _Atomic(const struct digest_kernel *) chosen;

DIGEST_ROW(sha384, init384, 64, 8, 128, 0)
DIGEST_ROW(sha512, init512, 64, 8, 128, 0)
DIGEST_ROW(sha512_224, init512_224, 64, 8, 128, 0)
DIGEST_ROW(sha512_256, init512_256, 64, 8, 128, 0)

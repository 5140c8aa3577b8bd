/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1, FIPS 180-4 sections 4.1.1, 5.3.1 and 6.1.  It is broken for signatures, but still used
 * elsewhere. */
#include "sha1.h"
#include "../digest_rows.h"

static const uint32_t init[8] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };

/* clang-format off */
static const struct digest_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86("shani", CPU(SHANI) | CPU(SSE41) | CPU(SSSE3), sha1_blocks_shani, sha1_hmac_shani)
    KERNEL_X86("avx2", CPU(AVX2) | CPU(BMI2), sha1_blocks_avx2)
    KERNEL_ARM64("ce", CPU(ARM_SHA1), sha1_blocks_ce, sha1_hmac_ce)
    KERNEL_SPARC("t4", CPU(SPARC_SHA1) | CPU(SPARC_VIS), sha1_blocks_t4)
    KERNEL_C(sha1_blocks_c)
};
/* clang-format on */

static _Atomic(const struct digest_kernel *) chosen;

DIGEST_ROW(sha1, init, 20, 4, 64, 0)

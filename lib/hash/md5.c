/* SPDX-License-Identifier: Apache-2.0 */
/* MD5, RFC 1321.  It is broken for signatures, but still used for names, caches and HMAC. */
#include "md5.h"
#include "../digest_rows.h"

static const uint32_t init[8] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };

/* clang-format off */
static const struct digest_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86("words", CPU(ROTATE2), md5_blocks_c)
    KERNEL_X86("avx512", CPU(AVX512F) | CPU(AVX512VL), md5_blocks_avx512)
    KERNEL_SPARC("t4", CPU(SPARC_MD5) | CPU(SPARC_VIS), md5_blocks_t4)
    KERNEL_C(md5_blocks_c)
};
/* clang-format on */

static _Atomic(const struct digest_kernel *) chosen;

DIGEST_ROW(md5, init, 16, 4, 64, 1)

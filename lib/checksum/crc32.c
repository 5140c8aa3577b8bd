/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32: ISO/IEC 3309, the CRC of Ethernet, zlib and PNG. */
#include "../digest_rows.h"
#include "checksum.h"
#include "crc_k.h"

const struct crc_k crc32_k = {
    .fold = {
        { UINT64_C(0x65673b46) << 32, UINT64_C(0x9ba54c6f) << 32 },
        { UINT64_C(0x9570d495) << 32, UINT64_C(0x01b5fd1d) << 32 },
        { UINT64_C(0x653d9822) << 32, UINT64_C(0xcad38e8f) << 32 },
        { UINT64_C(0x7d657a10) << 32, UINT64_C(0x7406fa95) << 32 },
        { UINT64_C(0x7cc8e1e7) << 32, UINT64_C(0x03f9f863) << 32 },
        { UINT64_C(0xe4e45610) << 32, UINT64_C(0xc78c44a1) << 32 },
    },
    .last = 0xccaa009e,
    .mu = 0xb4e5b025f7011641,
    .p = 0x1db710641,
    .join = {
        { { UINT64_C(0xb0a62107) << 32, UINT64_C(0x9a8f75c0) << 32 },
          { UINT64_C(0x86bb7e0c) << 32, UINT64_C(0x3afb819b) << 32, UINT64_C(0xe57be23c) << 32 } },
    },
};

/* clang-format off */
static const struct digest_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86("vpclmul512", CPU(VPCLMULQDQ) | CPU(AVX512F) | CPU(AVX512VL) | CPU(SSE42),
               crc32_blocks_vpclmul512, .value = crc32_value_vpclmul512)
    KERNEL_X86("vpclmul256", CPU(VPCLMULQDQ) | CPU(AVX2) | CPU(SSE42),
               crc32_blocks_vpclmul256, .value = crc32_value_vpclmul256)
    KERNEL_X86("pclmul", CPU(PCLMUL) | CPU(SSE42), crc32_blocks_pclmul, .value = crc32_value_pclmul)
    KERNEL_ARM64("pmull", CPU(ARM_CRC32) | CPU(ARM_PMULL),
                 crc32_blocks_pmull, .value = crc32_value_pmull)
    KERNEL_ARM64("crc", CPU(ARM_CRC32), crc32_blocks_crc, .value = crc32_value_crc)
    KERNEL_C(crc32_blocks_c, .value = crc32_value_c)
};
/* clang-format on */

static _Atomic(const struct digest_kernel *) chosen;

CRC_ROW(crc32)

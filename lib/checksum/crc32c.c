/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C: RFC 3720 section 12.1, the CRC of iSCSI, SCTP, ext4 and NVMe. */
#include "../digest_rows.h"
#include "checksum.h"
#include "crc_k.h"

const struct crc_k crc32c_k = {
    .fold = {
        { UINT64_C(0x3743f7bd) << 32, UINT64_C(0x3171d430) << 32 },
        { UINT64_C(0x33ccbbbc) << 32, UINT64_C(0xa2158b34) << 32 },
        { UINT64_C(0x1c19243b) << 32, UINT64_C(0x75bba45b) << 32 },
        { UINT64_C(0x6577b245) << 32, UINT64_C(0x7417153f) << 32 },
        { UINT64_C(0xe9a5d8be) << 32, UINT64_C(0x1426a815) << 32 },
        { UINT64_C(0x75bda454) << 32, UINT64_C(0xe986c148) << 32 },
    },
    .last = 0x493c7d27,
    .mu = 0x4869ec38dea713f1,
    .p = 0x105ec76f1,
    .join = {
        { { UINT64_C(0x75c513a1) << 32, UINT64_C(0x1acaec54) << 32 },
          { UINT64_C(0xc9c5395e) << 32, UINT64_C(0x845dd03d) << 32, UINT64_C(0x75c7fca7) << 32 } },
        { { UINT64_C(0x7a0dd8bc) << 32, UINT64_C(0xa1097d47) << 32 },
          { UINT64_C(0x887a7d66) << 32, UINT64_C(0x9457c2de) << 32, UINT64_C(0x35f98786) << 32 } },
        { { UINT64_C(0xcc76af0f) << 32, UINT64_C(0xd1ae5701) << 32 },
          { UINT64_C(0x98daee94) << 32, UINT64_C(0x3771f524) << 32, UINT64_C(0xa21a10dd) << 32 } },
    },
};

/* clang-format off */
static const struct digest_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86("vpclmul512", CPU(VPCLMULQDQ) | CPU(AVX512F) | CPU(AVX512VL) | CPU(SSE42),
               crc32c_blocks_vpclmul512, .value = crc32c_value_vpclmul512)
    KERNEL_X86("vpclmul256", CPU(VPCLMULQDQ) | CPU(AVX2) | CPU(SSE42),
               crc32c_blocks_vpclmul256, .value = crc32c_value_vpclmul256)
    KERNEL_X86("pclmul", CPU(PCLMUL) | CPU(SSE42),
               crc32c_blocks_pclmul, .value = crc32c_value_pclmul)
    KERNEL_ARM64("pmull", CPU(ARM_CRC32) | CPU(ARM_PMULL),
                 crc32c_blocks_pmull, .value = crc32c_value_pmull)
    KERNEL_ARM64("crc", CPU(ARM_CRC32), crc32c_blocks_crc, .value = crc32c_value_crc)
    KERNEL_SPARC("t4", CPU(SPARC_CRC32C) | CPU(SPARC_VIS3),
                 crc32c_blocks_t4, .value = crc32c_value_t4)
    KERNEL_C(crc32c_blocks_c, .value = crc32c_value_c)
};
/* clang-format on */

static _Atomic(const struct digest_kernel *) chosen;

CRC_ROW(crc32c)

/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32: ISO/IEC 3309, the CRC of Ethernet, zlib and PNG. */
#include "checksum.h"

/* clang-format off */
static const struct digest_kernel kernels[] = { /* best first; portable C last */
    KERNEL_C(crc32_blocks_c)
};
/* clang-format on */

static _Atomic(const struct digest_kernel *) chosen;

CRC_ROW(crc32)

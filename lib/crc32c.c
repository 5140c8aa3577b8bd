/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C: RFC 3720 section 12.1, the CRC of iSCSI, SCTP, ext4 and NVMe. */
#include "checksum.h"

/* clang-format off */
static const struct digest_kernel kernels[] = { /* best first; portable C last */
    KERNEL_C(crc32c_blocks_c)
};
/* clang-format on */

static _Atomic(const struct digest_kernel *) chosen;

CRC_ROW(crc32c)

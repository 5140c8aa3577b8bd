/* SPDX-License-Identifier: Apache-2.0 */
#include "crc_vec512.h"

#include "crc_fold.h"
#include "crc_join.h"

INLINE uint32_t update(uint32_t crc, const uint8_t *in, size_t len)
{
    return crc_join(crc, in, len, &crc32c_k);
}

/* Defines crc32c_value_vpclmul512() and crc32c_blocks_vpclmul512(), which continue a CRC over the
 * bytes at `in`; `in` may have any alignment. */
CRC_KERNEL(TARGET, crc32c, vpclmul512, update)

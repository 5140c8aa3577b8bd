/* SPDX-License-Identifier: Apache-2.0 */
#include "crc_vec512.h"

#include "crc_fold.h"

INLINE uint32_t update(uint32_t crc, const uint8_t *in, size_t len)
{
    return crc_fold(crc, in, len, &crc32_k, 16, short_divide, last16_divide);
}

/* Defines crc32_value_vpclmul512() and crc32_blocks_vpclmul512(), which continue a CRC over the
 * bytes at `in`; `in` may have any alignment. */
CRC_KERNEL(TARGET, crc32, vpclmul512, update)

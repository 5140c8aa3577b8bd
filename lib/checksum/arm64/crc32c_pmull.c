/* SPDX-License-Identifier: Apache-2.0 */
#define CRC_INSTRUCTION "crc32c"
#include "crc_pmull.h"

INLINE uint32_t update(uint32_t crc, const uint8_t *in, size_t len)
{
    return crc_pmull(crc, in, len, &crc32c_k);
}

/* Defines crc32c_value_pmull() and crc32c_blocks_pmull(), which continue a CRC over the bytes at
 * `in`; `in` may have any alignment. */
CRC_KERNEL(TARGET, crc32c, pmull, update)

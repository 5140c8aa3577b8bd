/* SPDX-License-Identifier: Apache-2.0 */
#define CRC_INSTRUCTION "crc32c"
#include "crc_pmull.h"

INLINE uint32_t update(uint32_t crc, const uint8_t *in, size_t len)
{
    return crc_pmull(crc, in, len, &crc32c_k);
}

/* value = the CRC, of which value was that of the bytes before; nothing need be aligned. */
CRC_KERNEL(TARGET, crc32c, pmull, update)

/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C in portable C. RFC 3720 section 12.1: P = x^32 + x^28 + x^27 + x^26 + x^25 + x^23 + x^22
 * + x^20 + x^19 + x^18 + x^14 + x^13 + x^11 + x^10 + x^9 + x^8 + x^6 + 1. */
#include "crc_slice.h"

#define CRC_POLY 0x82f63b78u /* bit 0 is the coefficient of x^31 */
enum { R0 = CRC_POLY, CRC_R_ALL };
static const uint32_t table[16][256] = { CRC_SLICES };

static uint32_t update(uint32_t crc, const uint8_t *in, size_t len)
{
    return crc_slice(crc, in, len, table);
}

/* Defines crc32c_value_c() and crc32c_blocks_c(), which continue a CRC over the bytes at `in`; `in`
 * may have any alignment. */
CRC_KERNEL(, crc32c, c, update)

/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 in portable C. ISO/IEC 3309: P = x^32 + x^26 + x^23 + x^22 + x^16 + x^12 + x^11 + x^10 +
 * x^8 + x^7 + x^5 + x^4 + x^2 + x + 1. */
#include "crc_slice.h"

#define CRC_POLY 0xedb88320u /* bit 0 is the coefficient of x^31 */
enum { R0 = CRC_POLY, CRC_R_ALL };
static const uint32_t table[16][256] = { CRC_SLICES };

static uint32_t update(uint32_t crc, const uint8_t *in, size_t len)
{
    return crc_slice(crc, in, len, table);
}

/* Defines crc32_value_c() and crc32_blocks_c(), which continue a CRC over the bytes at `in`; `in`
 * may have any alignment. */
CRC_KERNEL(, crc32, c, update)

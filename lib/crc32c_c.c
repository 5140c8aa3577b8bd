/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C in portable C. RFC 3720 section 12.1: P = x^32 + x^28 + x^27 + x^26 + x^25 + x^23 + x^22
 * + x^20 + x^19 + x^18 + x^14 + x^13 + x^11 + x^10 + x^9 + x^8 + x^6 + 1. */
#include "crc_slice.h"

#define CRC_POLY 0x82f63b78u /* x^31 in bit 0 */
enum { R0 = CRC_POLY, CRC_R_ALL };
static const uint32_t table[16][256] = { CRC_SLICES };

static uint32_t update(uint32_t crc, const uint8_t *in, size_t len)
{
    return crc_slice(crc, in, len, table);
}

/* value = the CRC, of which value was that of the bytes before; nothing need be aligned. */
CRC_KERNEL(, crc32c, c, update)

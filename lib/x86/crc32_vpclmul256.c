/* SPDX-License-Identifier: Apache-2.0 */
#include "crc_vec256.h"

#include "crc_fold.h"

INLINE uint32_t update(uint32_t crc, const uint8_t *in, size_t len)
{
    return crc_fold(crc, in, len, &crc32_k, 16, short_divide, last16_divide);
}

/* value = the CRC, of which value was that of the bytes before; nothing need be aligned. */
CRC_KERNEL(TARGET, crc32, vpclmul256, update)

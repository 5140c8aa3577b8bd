/* SPDX-License-Identifier: Apache-2.0 */
/* The Internet checksum in portable C: words are summed in the machine's byte order (RFC 1071
 * section 2 (B)), four in each 64-bit word, whose halves are added apart so that no carry is lost
 * (deferred carries, section 2 (A)). */
#include "checksum.h"

static uint32_t update(uint32_t sum, const uint8_t *in, size_t num_blocks)
{
    uint64_t low = 0, high = 0, word;
    for (; num_blocks >= 4; num_blocks -= 4, in += 8) {
        memcpy(&word, in, 8);
        low += (uint32_t)word;
        high += word >> 32;
    }
    for (; num_blocks; num_blocks--, in += 2) {
        uint16_t half;
        memcpy(&half, in, 2);
        low += half;
    }
    return ipsum_add(sum, low, high);
}

/* value = value + words, modulo 2^16 - 1; nothing need be aligned. */
IPSUM_KERNEL(, c, update)

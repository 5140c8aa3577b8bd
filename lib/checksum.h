/* SPDX-License-Identifier: Apache-2.0 */
/* What checksums share: their kernels' prototypes, and the calls of a CRC's row.  A checksum is a
 * digest whose chaining value is the checksum so far, and whose padding is zero bytes to a whole
 * block: a CRC's block is a byte, the Internet checksum's two.  They are of public data. */
#ifndef HR_CHECKSUM_H
#define HR_CHECKSUM_H

#include "digest.h"

/* CRC kernels take and leave the value as zlib has it, with both complements made. */
digest_blocks_fn crc32_blocks_c;
digest_blocks_fn crc32c_blocks_c;
/* The state is the checksum, the complement of the sum. */
digest_blocks_fn ipsum_blocks_c;

/* A sum modulo 2^16 - 1 (RFC 1071 section 1): 0 only of nothing but zeros, else up to 0xffff. */
static inline uint16_t ipsum_fold(uint64_t sum)
{
    sum = (sum >> 32) + (uint32_t)sum;
    sum = (sum >> 32) + (uint32_t)sum;
    uint32_t half = (uint32_t)(sum >> 16) + (uint16_t)sum;
    return (uint16_t)((half >> 16) + half);
}

#define CHECKSUM_IMPL(sym, initial, bytes, block_bytes) \
    const struct digest_impl sym##_impl = {             \
        .kernels = kernels,                             \
        .num_kernels = COUNT(kernels),                  \
        .chosen = &chosen,                              \
        .direct = hr_##sym,                             \
        .init = initial,                                \
        .state_len = bytes,                             \
        .out_len = bytes,                               \
        .block_len = block_bytes,                       \
        .word_len = bytes,                              \
        .checksum = 1,                                  \
    };

#define CRC_ROW(sym)                                                             \
    static const uint32_t init[8]; /* a whole state; of no bytes the CRC is 0 */ \
    CHECKSUM_IMPL(sym, init, 4, 1)                                               \
    uint32_t hr_##sym##_update(uint32_t crc, const void *in, size_t in_len)      \
    {                                                                            \
        digest_kernel(&sym##_impl)->blocks(&crc, in, in_len);                    \
        return crc;                                                              \
    }                                                                            \
    void hr_##sym(uint8_t out[4], const void *in, size_t in_len)                 \
    {                                                                            \
        store_be32(out, hr_##sym##_update(0, in, in_len));                       \
    }

#endif

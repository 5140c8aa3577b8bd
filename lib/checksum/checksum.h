/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for checksums: their kernels' prototypes, and the calls of a CRC's row.  A checksum
 * is treated as a digest whose chaining value is the checksum so far, and whose padding is zero
 * bytes up to a whole block.  A CRC's block is one byte, the Internet checksum's two.  Checksums
 * are of public data. */
#ifndef HR_CHECKSUM_H
#define HR_CHECKSUM_H

#include "../digest.h"

/* A kernel is a pair of functions: one takes and returns a value, the other updates a state in
 * memory.  The value of CRC kernels is the CRC as zlib returns it, the complement of the register.
 * The value of Internet checksum kernels is the sum, and their state the checksum, which is the
 * sum's complement. */
#define CHECKSUM_DECLARE(sym, isa)       \
    digest_blocks_fn sym##_blocks_##isa; \
    checksum_fn sym##_value_##isa;
CHECKSUM_DECLARE(crc32, c)
CHECKSUM_DECLARE(crc32, pclmul)
CHECKSUM_DECLARE(crc32, vpclmul256)
CHECKSUM_DECLARE(crc32, vpclmul512)
CHECKSUM_DECLARE(crc32c, c)
CHECKSUM_DECLARE(crc32c, pclmul)
CHECKSUM_DECLARE(crc32c, vpclmul256)
CHECKSUM_DECLARE(crc32c, vpclmul512)
CHECKSUM_DECLARE(crc32, crc)
CHECKSUM_DECLARE(crc32, pmull)
CHECKSUM_DECLARE(crc32c, crc)
CHECKSUM_DECLARE(crc32c, pmull)
CHECKSUM_DECLARE(crc32c, t4)
CHECKSUM_DECLARE(ipsum, c)
CHECKSUM_DECLARE(ipsum, avx2)
CHECKSUM_DECLARE(ipsum, avx512)
CHECKSUM_DECLARE(ipsum, neon)
CHECKSUM_DECLARE(ipsum, vis3)
#undef CHECKSUM_DECLARE
/* Defines the two functions of a CRC's kernel from `update`, which takes and returns the CRC
 * register, without the complements. */
#define CRC_KERNEL(target, sym, isa, update)                                               \
    ALIGNED target uint32_t sym##_value_##isa(uint32_t crc, const uint8_t *in, size_t len) \
    {                                                                                      \
        return ~update(~crc, in, len);                                                     \
    }                                                                                      \
    target void sym##_blocks_##isa(void *state, const uint8_t *in, size_t num_blocks)      \
    {                                                                                      \
        uint32_t *crc = state;                                                             \
        *crc = sym##_value_##isa(*crc, in, num_blocks);                                    \
    }

/* Reduces a sum modulo 2^16 - 1 (RFC 1071 section 1).  The result is 0 only if the sum is 0,
 * otherwise 1 to 0xffff. */
static inline uint16_t ipsum_fold(uint64_t sum)
{
    sum = (sum >> 32) + (uint32_t)sum;
    sum = (sum >> 32) + (uint32_t)sum;
    uint32_t half = (uint32_t)(sum >> 16) + (uint16_t)sum;
    return (uint16_t)((half >> 16) + half);
}

/* Returns, modulo 2^16 - 1, `sum`, a sum of big-endian words, plus `low` and `high`, sums of words
 * in the machine's byte order. */
static inline uint32_t ipsum_add(uint32_t sum, uint64_t low, uint64_t high)
{
    const uint16_t words = ipsum_fold((uint64_t)ipsum_fold(low) + ipsum_fold(high));
    return ipsum_fold((uint64_t)sum + HR_BE16(words));
}

/* Adds num_blocks words of two bytes to `sum`, without vectors; num_blocks may be 0. */
static inline uint32_t ipsum_short(uint32_t sum, const uint8_t *in, size_t num_blocks)
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

/* Defines the two functions of an Internet checksum's kernel from `update`, which takes and returns
 * the sum. */
#define IPSUM_KERNEL(target, isa, update)                                                 \
    target uint32_t ipsum_value_##isa(uint32_t sum, const uint8_t *in, size_t num_blocks) \
    {                                                                                     \
        return update(sum, in, num_blocks);                                               \
    }                                                                                     \
    target void ipsum_blocks_##isa(void *state, const uint8_t *in, size_t num_blocks)     \
    {                                                                                     \
        uint16_t *checksum = state;                                                       \
        *checksum = (uint16_t)~ipsum_value_##isa((uint16_t) ~*checksum, in, num_blocks);  \
    }

/* checksum_value() runs the chosen kernel.  The first call chooses it by checksum_first(), a
 * separate function, so that later calls need no stack frame. */
uint32_t checksum_first(const struct digest_impl *impl, uint32_t value, const uint8_t *in,
                        size_t num_blocks);
static inline uint32_t checksum_value(const struct digest_impl *impl, uint32_t value,
                                      const uint8_t *in, size_t num_blocks)
{
    const struct digest_kernel *kernel = atomic_load_explicit(impl->chosen, memory_order_relaxed);
    return LIKELY(kernel) ? kernel->value(value, in, num_blocks)
                          : checksum_first(impl, value, in, num_blocks);
}

#define CHECKSUM_IMPL(sym, initial, bytes, block_bytes) \
    DIGEST_IMPL(sym, initial, bytes, bytes, bytes, block_bytes, .checksum = 1)

#define CRC_ROW(sym)                                                                \
    static const uint32_t init[8]; /* whole state; an empty message's CRC is 0 */   \
    CHECKSUM_IMPL(sym, init, 4, 1)                                                  \
    ALIGNED uint32_t hr_##sym##_update(uint32_t crc, const void *in, size_t in_len) \
    {                                                                               \
        return checksum_value(&sym##_impl, crc, in, in_len);                        \
    }                                                                               \
    void hr_##sym(uint8_t out[4], const void *in, size_t in_len)                    \
    {                                                                               \
        store_be32(out, checksum_value(&sym##_impl, 0, in, in_len));                \
    }

#endif

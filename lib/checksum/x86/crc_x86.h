/* SPDX-License-Identifier: Apache-2.0 */
/* Folding of 16 bytes at a time, and the beginning and the end of a message; the constants and the
 * notation are those of crc_k.h. */
#ifndef HR_CRC_X86_H
#define HR_CRC_X86_H

#include "../checksum.h"
#include "../crc_k.h"
#include <immintrin.h>

#define LEAF static inline __attribute__((always_inline))
#define TARGET_PCLMUL LEAF __attribute__((target("pclmul,sse4.1")))
#define TARGET_CRC32 LEAF __attribute__((target("sse4.2")))

TARGET_PCLMUL __m128i load16(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

/* Returns x moved on by 16 << i bytes, plus `next`, the 16 bytes there. */
TARGET_PCLMUL __m128i fold16(__m128i x, const struct crc_k *k, unsigned i, __m128i next)
{
    const __m128i by = load16((const uint8_t *)k->fold[i]);
    const __m128i high = _mm_clmulepi64_si128(x, by, 0x00), low = _mm_clmulepi64_si128(x, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(high, next), low);
}

/* Returns the polynomial in the lower 96 bits of x, mod P. */
TARGET_PCLMUL uint32_t divide(__m128i x, const struct crc_k *k)
{
    const __m128i by = load16((const uint8_t *)&k->mu);
    const __m128i quotient = _mm_clmulepi64_si128(x, by, 0x00);
    const __m128i product = _mm_clmulepi64_si128(quotient, by, 0x10);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(x, product), 2);
}

/* Returns the CRC register, 0 before, after the 16 bytes x. */
TARGET_PCLMUL uint32_t last16_divide(__m128i x, const struct crc_k *k)
{
    const __m128i by = _mm_loadl_epi64((const __m128i *)&k->last);
    return divide(_mm_xor_si128(_mm_clmulepi64_si128(x, by, 0x00), _mm_srli_si128(x, 8)), k);
}

/* Returns the CRC register after 1 to 8 bytes; `crc` is the register before them.  They are placed
 * at the end of 8 bytes; zeros before them do not change a register of 0. */
TARGET_PCLMUL uint32_t few_divide(uint32_t crc, uint64_t bytes, size_t len, const struct crc_k *k)
{
    const uint64_t x = (bytes ^ crc) << (64 - 8 * len);
    return divide(_mm_cvtsi64_si128((long long)x), k) ^
           (uint32_t)((uint64_t)crc >> 4 * len >> 4 * len);
}

/* Returns the CRC register after fewer than 16 bytes; `crc` is the register before them. */
TARGET_PCLMUL uint32_t short_divide(uint32_t crc, const uint8_t *in, size_t len,
                                    const struct crc_k *k)
{
    if (!len)
        return crc;
    const struct piece bytes = load_piece(in, len, 0);
    if (len <= 8)
        return few_divide(crc, bytes.low, len, k);
    return few_divide(few_divide(crc, bytes.low, 8, k), bytes.high, len - 8, k);
}

/* Processes the first len % 16 bytes of at least 16; `crc` is the register before them.  They are
 * regarded as the end of a 16-byte block that begins with zeros.  Returns the value that has to be
 * added to the next 16 bytes. */
TARGET_PCLMUL __m128i begin16(uint32_t crc, const uint8_t *in, size_t len, const struct crc_k *k)
{
    static const int8_t places[48] = {
        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* selects no byte */
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, /* selects all bytes */
        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    };
    const __m128i start = _mm_cvtsi32_si128((int)crc);
    const size_t n = len & 15;
    if (!n)
        return start;
    const uint8_t *place = (const uint8_t *)places + n;
    const __m128i first = _mm_xor_si128(load16(in), start);
    const __m128i beyond = _mm_shuffle_epi8(start, load16(place + 16));
    return fold16(_mm_shuffle_epi8(first, load16(place)), k, 0, beyond);
}

/* ---- CRC-32C, for which SSE4.2 has instructions ---- */

TARGET_CRC32 uint32_t last16_crc32(__m128i x, const struct crc_k *k)
{
    const uint64_t high = _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(x));
    return (uint32_t)_mm_crc32_u64(high, (uint64_t)_mm_extract_epi64(x, 1));
}

/* Returns the CRC register after fewer than 128 bytes; `crc` is the register before them.  A jump
 * leads into a sequence of instructions, since the end of a loop would often be mispredicted. */
TARGET_CRC32 uint32_t short_crc32(uint32_t crc, const uint8_t *in, size_t len,
                                  const struct crc_k *k)
{
    if (UNLIKELY(!len)) /* in this case `in` may be NULL */
        return crc;
    const uint8_t *tail = in + (len & 120);
    uint64_t x = crc;
    switch (len >> 3) {
#define STEP(n)                                        \
    case n:                                            \
        x = _mm_crc32_u64(x, load_le64(tail - 8 * n)); \
        __attribute__((fallthrough));
        STEP(15)
        STEP(14)
        STEP(13)
        STEP(12)
        STEP(11)
        STEP(10)
        STEP(9)
        STEP(8)
        STEP(7)
        STEP(6)
        STEP(5)
        STEP(4)
        STEP(3)
        STEP(2)
        STEP(1)
#undef STEP
    default:;
    }
    crc = (uint32_t)x;
    if (LIKELY(!(len & 7)))
        return crc;
    if (len & 4)
        crc = _mm_crc32_u32(crc, load_le32(tail));
    if (len & 2)
        crc = _mm_crc32_u16(crc, load_le16(tail + (len & 4)));
    return len & 1 ? _mm_crc32_u8(crc, in[len - 1]) : crc;
}

#endif

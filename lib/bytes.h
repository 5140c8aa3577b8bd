/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and rotations that are the same on every CPU. */
#ifndef HR_BYTES_H
#define HR_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t bswap16(uint16_t x)
{
    return __builtin_bswap16(x);
}
static inline uint32_t bswap32(uint32_t x)
{
    return __builtin_bswap32(x);
}
static inline uint64_t bswap64(uint64_t x)
{
    return __builtin_bswap64(x);
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HR_BE16(x) bswap16(x)
#define HR_BE32(x) bswap32(x)
#define HR_BE64(x) bswap64(x)
#define HR_LE16(x) (x)
#define HR_LE32(x) (x)
#define HR_LE64(x) (x)
#else
#define HR_BE16(x) (x)
#define HR_BE32(x) (x)
#define HR_BE64(x) (x)
#define HR_LE16(x) bswap16(x)
#define HR_LE32(x) bswap32(x)
#define HR_LE64(x) bswap64(x)
#endif

#define HR_DEFINE_ACCESS(bits, end, END)                            \
    static inline uint##bits##_t load_##end##bits(const void *p)    \
    {                                                               \
        uint##bits##_t x;                                           \
        memcpy(&x, p, sizeof x);                                    \
        return HR_##END##bits(x);                                   \
    }                                                               \
    static inline void store_##end##bits(void *p, uint##bits##_t x) \
    {                                                               \
        x = HR_##END##bits(x);                                      \
        memcpy(p, &x, sizeof x);                                    \
    }
HR_DEFINE_ACCESS(16, be, BE)
HR_DEFINE_ACCESS(32, be, BE)
HR_DEFINE_ACCESS(64, be, BE)
HR_DEFINE_ACCESS(16, le, LE)
HR_DEFINE_ACCESS(32, le, LE)
HR_DEFINE_ACCESS(64, le, LE)
#undef HR_DEFINE_ACCESS

static inline uint32_t rotr32(uint32_t x, unsigned n)
{
    return x >> n | x << (-n & 31);
}
static inline uint64_t rotr64(uint64_t x, unsigned n)
{
    return x >> n | x << (-n & 63);
}

#endif

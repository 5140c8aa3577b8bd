/* SPDX-License-Identifier: Apache-2.0 */
/* A CRC with the CRC32 extension, which divides by both polynomials (Arm ARM: CRC32X, CRC32CX), in
 * three chains that hide its latency, joined by PMULL.  The file that includes this says as
 * CRC_INSTRUCTION which one.  Not intrinsics: clang 14 declares them only under -march. */
#include "../checksum.h"
#include "../crc_k.h"
#include <arm_neon.h>

#if defined(__clang__) /* 14, which has no + */
#define TARGET __attribute__((target("crc,aes")))
#else
#define TARGET __attribute__((target("+crc+crypto")))
#endif
#define INLINE static inline __attribute__((always_inline)) TARGET

/* The register after some bytes of the message, as a little-endian word. */
#define CRC_STEP(name, type, instruction, operand)                               \
    INLINE uint32_t name(uint32_t crc, type word)                                \
    {                                                                            \
        __asm__(instruction " %w0, %w0, %" operand "1" : "+r"(crc) : "r"(word)); \
        return crc;                                                              \
    }
CRC_STEP(step8, uint64_t, CRC_INSTRUCTION "x", "")
CRC_STEP(step4, uint32_t, CRC_INSTRUCTION "w", "w")
CRC_STEP(step2, uint32_t, CRC_INSTRUCTION "h", "w")
CRC_STEP(step1, uint32_t, CRC_INSTRUCTION "b", "w")

/* The register moved on by as much as `by` of crc_k.h says. */
INLINE uint32_t moved(uint32_t crc, uint32_t by)
{
    uint64x2_t product;
    __asm__("pmull %0.1q, %1.1d, %2.1d"
            : "=w"(product)
            : "w"(vcreate_u64(crc)), "w"(vcreate_u64(by)));
    return step8(0, vgetq_lane_u64(product, 0));
}

INLINE uint32_t three_parts(uint32_t a, const uint8_t *in, const struct crc_k *k)
{
    uint32_t b = 0, c = 0;
    for (size_t i = 0; i < CRC_PART; i += 8) {
        a = step8(a, load_le64(in + i));
        b = step8(b, load_le64(in + CRC_PART + i));
        c = step8(c, load_le64(in + 2 * CRC_PART + i));
    }
    return moved(a, k->part[1]) ^ moved(b, k->part[0]) ^ c;
}

INLINE uint32_t crc_parts(uint32_t crc, const uint8_t *in, size_t len, const struct crc_k *k)
{
    for (; len >= 3 * CRC_PART; len -= 3 * CRC_PART, in += 3 * CRC_PART)
        crc = three_parts(crc, in, k);
    for (; len >= 8; len -= 8, in += 8)
        crc = step8(crc, load_le64(in));
    if (len & 4) {
        crc = step4(crc, load_le32(in));
        in += 4;
    }
    if (len & 2) {
        crc = step2(crc, load_le16(in));
        in += 2;
    }
    return len & 1 ? step1(crc, *in) : crc;
}

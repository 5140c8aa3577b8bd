/* SPDX-License-Identifier: Apache-2.0 */
/* A CRC with the CRC32 extension, which divides by both polynomials (Arm ARM: CRC32X, CRC32CX).
 * The file that includes this says as CRC_INSTRUCTION which one, and TARGET.  Not intrinsics: clang
 * 14 declares them only under -march. */
#include "../checksum.h"
#include "../crc_k.h"

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

INLINE uint32_t crc_chain(uint32_t crc, const uint8_t *in, size_t len)
{
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

/* SPDX-License-Identifier: Apache-2.0 */
/* A CRC with the CRC32 extension, which has instructions for CRC-32 and for CRC-32C (Arm
 * Architecture Reference Manual: CRC32X, CRC32CX).  The file that includes this one first defines
 * TARGET and CRC_INSTRUCTION, "crc32" or "crc32c".  Intrinsics are not used, because clang 14
 * declares them only under -march. */
#include "../checksum.h"
#include "../crc_k.h"

#define INLINE static inline __attribute__((always_inline)) TARGET

/* step8(), step4(), step2() and step1() return the CRC register after 8, 4, 2 and 1 bytes of the
 * message, given as a little-endian word. */
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "../lib/bytes.h"
#include "ops.h"

/* CRC-32C (RFC 3720, section 12.1) bit by bit. The state is rs1's low word, in memory order; the
 * data are the eight bytes of rs2. The upper word of rs1 is no operand: code in use on T4s
 * leaves arbitrary bits there. */
enum t4_result t4_crc32c(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t data = t4_get_d(m, insn->rs2);
    uint32_t crc = bswap32((uint32_t)t4_get_d(m, insn->rs1));
    for (int shift = 56; shift >= 0; shift -= 8) {
        crc ^= data >> shift & 0xff;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    t4_set_d(m, insn->rd, bswap32(crc));
    return T4_DONE;
}

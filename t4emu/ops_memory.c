/* SPDX-License-Identifier: Apache-2.0 */
/* Stores into alternate address spaces that QEMU's user mode does not have: block init (0xe2,
 * 0xe3 and, little-endian, 0xea, 0xeb; most recently used 0xf2, 0xf3, 0xfa, 0xfb) and partial
 * stores (0xc0 to 0xc5, little-endian 0xc8 to 0xcd). A store into any other space raises SIGILL
 * in the program. */
#include "../lib/bytes.h"
#include "ops.h"

enum { LINE = 64, POISON = 0xa5, LITTLE = 8 };

static unsigned asi_of(const struct t4_machine *m, const struct t4_insn *insn)
{
    return insn->imm ? m->asi : insn->word >> 5 & 0xff;
}

static int is_block_init(unsigned asi)
{
    return (asi & ~(LITTLE | 1u)) == 0xe2 || (asi & ~(LITTLE | 1u)) == 0xf2;
}

/* A block-init store. On the T4, the store to the first byte of a line may destroy the line's
 * contents: the bytes that were not stored to since then are either old or 0, and a program must
 * not rely on them. With poison they become garbage. */
static enum t4_result block_init(struct t4_machine *m, uint64_t address, const uint8_t *bytes,
                                 size_t len)
{
    uint8_t line[LINE];
    const int first = !(address % LINE) && m->model->poison;
    for (size_t i = 0; i < LINE; i++)
        line[i] = i < len ? bytes[i] : POISON;
    return m->store(m, address, line, first ? LINE : len) ? T4_FAULT : T4_DONE;
}

/* Writes the low `len` bytes of a value in the given order. The bound of 8 is for compilers that
 * cannot derive it. */
static void bytes_of(uint8_t *bytes, uint64_t value, size_t len, int little)
{
    for (size_t i = 0; i < len && i < sizeof value; i++)
        bytes[i] = (uint8_t)(value >> 8 * (little ? i : len - 1 - i));
}

/* stba, stha, stwa, stxa, and sttwa, which stores two words. */
enum t4_result t4_store(struct t4_machine *m, const struct t4_insn *insn)
{
    static const uint8_t lengths[] = { [T4_STBA - T4_STBA] = 1,
                                       [T4_STHA - T4_STBA] = 2,
                                       [T4_STWA - T4_STBA] = 4,
                                       [T4_STXA - T4_STBA] = 8,
                                       [T4_STTWA - T4_STBA] = 8 };
    const unsigned asi = asi_of(m, insn);
    if (!is_block_init(asi))
        return T4_ILLEGAL;
    const size_t len = lengths[insn->op - T4_STBA];
    const uint64_t address = t4_get_r(m, insn->rs1) + t4_operand2(m, insn);
    uint8_t bytes[8];
    if (insn->op == T4_STTWA) {
        if (insn->rd & 1)
            return T4_ILLEGAL;
        bytes_of(bytes, t4_get_r(m, insn->rd), 4, asi & LITTLE);
        bytes_of(bytes + 4, t4_get_r(m, insn->rd + 1), 4, asi & LITTLE);
    } else
        bytes_of(bytes, t4_get_r(m, insn->rd), len, asi & LITTLE);
    return address % len ? T4_FAULT : block_init(m, address, bytes, len);
}

/* A partial store: stores the elements of `width` bytes for which rs2 has a 1. The lowest bit of
 * rs2 belongs to the last element. */
static enum t4_result partial(struct t4_machine *m, const struct t4_insn *insn, unsigned asi)
{
    const unsigned width = 1u << (asi >> 1 & 3);
    const uint64_t address = t4_get_r(m, insn->rs1), mask = t4_get_r(m, insn->rs2);
    if (insn->imm) /* the mask must be in rs2 */
        return T4_ILLEGAL;
    if (address % 8)
        return T4_FAULT;
    uint8_t bytes[8];
    bytes_of(bytes, t4_get_d(m, insn->rd), 8, asi & LITTLE);
    for (unsigned i = 0; i < 8; i += width) {
        const unsigned element = (asi & LITTLE ? i : 7 - i) / width;
        if (mask >> element & 1 && m->store(m, address + i, bytes + i, width))
            return T4_FAULT;
    }
    return T4_DONE;
}

/* stda of a double register. */
enum t4_result t4_store_double(struct t4_machine *m, const struct t4_insn *insn)
{
    const unsigned asi = asi_of(m, insn);
    if ((asi & ~(LITTLE | 7u)) == 0xc0 && (asi & 7) < 6)
        return partial(m, insn, asi);
    if (!is_block_init(asi))
        return T4_ILLEGAL;
    const uint64_t address = t4_get_r(m, insn->rs1) + t4_operand2(m, insn);
    uint8_t bytes[8];
    bytes_of(bytes, t4_get_d(m, insn->rd), 8, asi & LITTLE);
    return address % 8 ? T4_FAULT : block_init(m, address, bytes, 8);
}

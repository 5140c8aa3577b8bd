/* SPDX-License-Identifier: Apache-2.0
 *
 * A look-up in a table adds an index to an address: which registers take part in that.  It tells a
 * pointer that is used from one that a caller left in a register.
 */
#include "code_insn.h"

enum { NO_INDEX = 4, NO_BASE = 5 };

static uint32_t of_insn(const ZydisDecodedInstruction *raw)
{
    const unsigned index = raw->raw.sib.index | (unsigned)raw->raw.rex.X << 3;
    const unsigned base = raw->raw.sib.base | (unsigned)raw->raw.rex.B << 3;
    if (!(raw->attributes & ZYDIS_ATTRIB_HAS_SIB) || raw->mnemonic == ZYDIS_MNEMONIC_LEA ||
        index == NO_INDEX || (raw->raw.sib.base == NO_BASE && !raw->raw.modrm.mod))
        return 0;
    return (uint32_t)1 << index | (uint32_t)1 << base;
}

uint32_t code_indexed(const struct code *code)
{
    struct walk walk;
    struct insn insn;
    uint32_t set = 0;
    if (!arch_is_x86(code->arch))
        return UINT32_MAX;
    walk_start(&walk, code, 0);
    while (walk_next(&walk, &insn))
        if (walk.known)
            set |= of_insn(&walk.raw);
    return set;
}

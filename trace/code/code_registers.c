/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the registers that code uses as addresses, to tell a pointer in use from a leftover value.
 * A table lookup adds an index to an address; code that walks a table got its address from the
 * caller.
 */
#include "code_insn.h"

struct state {
    const struct code *code;
    ZydisMachineMode mode;
    struct code_registers found;
    uint32_t written; /* registers that were written since the entry */
};

/* The registers that a call may overwrite by the System V ABI: rax, rcx, rdx, rsi, rdi, r8 to
 * r11. */
static const uint32_t lost_by_calls = 0x0fc7;

/* The bit of a general register; 0 for any other register. */
static uint32_t bit_of(const struct state *s, ZydisRegister reg)
{
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(s->mode, reg);
    const ZydisRegisterClass class = ZydisRegisterGetClass(whole);
    if (class != ZYDIS_REGCLASS_GPR64 && class != ZYDIS_REGCLASS_GPR32)
        return 0;
    return (uint32_t)1 << ZydisRegisterGetId(whole);
}

static void add_load(struct state *s, const ZydisDecodedOperand *o)
{
    const uint32_t base = bit_of(s, o->mem.base), index = bit_of(s, o->mem.index);
    s->found.given |= (base | index) & ~s->written;
    if (base && index)
        s->found.indexed |= base | index;
}

static void add_insn(struct state *s, const struct walk *walk, size_t at)
{
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction raw;
    uint32_t moved = 0, written = 0;
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&walk->zydis, s->code->bytes + at, s->code->len - at,
                                           &raw, operands)))
        return;
    for (unsigned i = 0; i < raw.operand_count; i++) {
        const ZydisDecodedOperand *o = &operands[i];
        const bool reads = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
        if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
            moved |= bit_of(s, o->mem.base); /* moves a pointer to the next entry */
        else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && reads)
            add_load(s, o);
        else if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && !reads)
            written |= bit_of(s, o->reg.value);
    }
    s->written |= written & ~moved;
}

struct code_registers code_registers(const struct code *code)
{
    struct walk walk;
    struct insn insn;
    struct state s = { .code = code,
                       .mode = code->arch == ARCH_X86_64 ? ZYDIS_MACHINE_MODE_LONG_64
                                                         : ZYDIS_MACHINE_MODE_LEGACY_32 };
    if (!arch_is_x86(code->arch))
        return (struct code_registers){ UINT32_MAX, UINT32_MAX };
    code_walk_start(&walk, code, 0);
    while (code_walk_next(&walk, &insn)) {
        if (walk.known && insn.work != WORK_PAD)
            add_insn(&s, &walk, insn.offset);
        if (insn.flow == FLOW_CALL)
            s.written |= lost_by_calls;
    }
    return s.found;
}

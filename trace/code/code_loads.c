/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the addresses from which code loads. Code that forms the address of a table and passes it
 * on, as a wrapper does that chooses an implementation, computes nothing with the table.
 *
 * Registers that hold an address are followed in the order of the code, through copies, sums and
 * the stack, twice, so that a loop's end reaches its beginning. Branches are not followed.
 */
#include "code_insn.h"
#include <string.h>

enum { REGS = 32, SLOTS = 16, SMALL = 4096 };

struct held {
    bool known;
    uint64_t address;
};

struct slot { /* a place on the stack */
    uint8_t base;
    int64_t at;
    struct held held;
};

struct loads {
    const struct code *code;
    code_reference_fn *fn;
    void *ctx;
    struct held regs[REGS];
    struct slot slots[SLOTS];
    size_t next_slot;
};

/* ---- x86 ---- */

/* The registers that a call may overwrite by the System V ABI: rax, rcx, rdx, rsi, rdi, r8 to
 * r11. */
static const uint32_t lost_by_calls = 0x0fc7;

static void forget(struct loads *l, uint32_t set)
{
    for (unsigned i = 0; i < REGS; i++)
        if (set >> i & 1)
            l->regs[i].known = false;
}

/* The number of a general register; REGS for any other. */
static unsigned number_of(ZydisRegister reg, ZydisMachineMode mode)
{
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(mode, reg);
    const ZydisRegisterClass class = ZydisRegisterGetClass(whole);
    const bool general = class == ZYDIS_REGCLASS_GPR64 || class == ZYDIS_REGCLASS_GPR32;
    return general ? (unsigned)ZydisRegisterGetId(whole) : REGS;
}

static struct held held_by(const struct loads *l, ZydisRegister reg, ZydisMachineMode mode)
{
    const unsigned n = number_of(reg, mode);
    return n < REGS ? l->regs[n] : (struct held){ .known = false };
}

static struct slot *slot_of(struct loads *l, const ZydisDecodedOperand *o, ZydisMachineMode mode)
{
    enum { RSP = 4, RBP = 5 };
    const unsigned base = number_of(o->mem.base, mode);
    if ((base != RSP && base != RBP) || o->mem.index != ZYDIS_REGISTER_NONE)
        return NULL;
    for (size_t i = 0; i < SLOTS; i++)
        if (l->slots[i].base == base && l->slots[i].at == o->mem.disp.value)
            return &l->slots[i];
    struct slot *slot = &l->slots[l->next_slot++ % SLOTS];
    *slot = (struct slot){ .base = (uint8_t)base, .at = o->mem.disp.value };
    return slot;
}

/* The address of an operand as far as it is known: that of the table, without an index. */
static struct held address_of(const struct loads *l, const ZydisDecodedOperand *o,
                              ZydisMachineMode mode, uint64_t next)
{
    const uint64_t disp = (uint64_t)o->mem.disp.value;
    if (o->mem.base == ZYDIS_REGISTER_RIP)
        return (struct held){ true, next + disp };
    struct held held = held_by(l, o->mem.base, mode);
    if (!held.known)
        held = held_by(l, o->mem.index, mode);
    if (held.known)
        held.address += disp;
    else if (disp >= SMALL && disp < (uint64_t)INT64_MAX)
        held = (struct held){ true, disp };
    return held;
}

static void x86_load(struct loads *l, const ZydisDecodedOperand *o, ZydisMachineMode mode,
                     uint64_t from, uint64_t next)
{
    const struct held held = address_of(l, o, mode, next);
    const struct held base = held_by(l, o->mem.base, mode);
    const struct held index = held_by(l, o->mem.index, mode);
    if (held.known)
        l->fn(l->ctx, from, held.address);
    if (base.known && base.address != held.address)
        l->fn(l->ctx, from, base.address);
    if (index.known && index.address != held.address)
        l->fn(l->ctx, from, index.address);
}

/* What the first operand holds after a move, an addition or the like. */
static struct held result_of(struct loads *l, const ZydisDecodedInstruction *raw,
                             const ZydisDecodedOperand *o, ZydisMachineMode mode, uint64_t next)
{
    const struct held none = { .known = false };
    struct held before = held_by(l, o[0].reg.value, mode), source = none;
    if (raw->operand_count < 2)
        return none;
    if (o[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
        source = held_by(l, o[1].reg.value, mode);
    switch (raw->mnemonic) {
    case ZYDIS_MNEMONIC_LEA:
        return address_of(l, &o[1], mode, next);
    case ZYDIS_MNEMONIC_MOV:
        if (o[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && o[1].imm.value.u >= SMALL)
            return (struct held){ true,
                                  o[1].size == 32 ? (uint32_t)o[1].imm.value.u : o[1].imm.value.u };
        if (o[1].type == ZYDIS_OPERAND_TYPE_MEMORY) {
            const struct slot *slot = slot_of(l, &o[1], mode);
            return slot ? slot->held : none;
        }
        return source;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_AND: /* aligns a pointer */
        return before.known ? before : source;
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC:
        return before;
    case ZYDIS_MNEMONIC_CMOVB:
    case ZYDIS_MNEMONIC_CMOVNB:
    case ZYDIS_MNEMONIC_CMOVZ:
    case ZYDIS_MNEMONIC_CMOVNZ:
        return before.known ? before : source;
    default:
        return none;
    }
}

static void x86_insn(struct loads *l, const struct walk *walk, const struct insn *insn)
{
    ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction raw;
    const ZydisMachineMode mode =
        l->code->arch == ARCH_X86_64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32;
    const uint64_t from = l->code->address + insn->offset;
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&walk->zydis, l->code->bytes + insn->offset,
                                           l->code->len - insn->offset, &raw, o)))
        return;
    const uint64_t next = from + raw.length;
    for (unsigned i = 0; i < raw.operand_count; i++)
        if (o[i].type == ZYDIS_OPERAND_TYPE_MEMORY && o[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
            (o[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ))
            x86_load(l, &o[i], mode, from, next);
    if (raw.mnemonic == ZYDIS_MNEMONIC_MOV && o[0].type == ZYDIS_OPERAND_TYPE_MEMORY) {
        struct slot *slot = slot_of(l, &o[0], mode);
        if (slot)
            slot->held = o[1].type == ZYDIS_OPERAND_TYPE_REGISTER ? held_by(l, o[1].reg.value, mode)
                                                                  : (struct held){ .known = false };
    }
    struct held first = { .known = false };
    if (raw.operand_count && o[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
        first = result_of(l, &raw, o, mode, next);
    for (unsigned i = 0; i < raw.operand_count; i++) {
        const unsigned n = o[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                                   (o[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
                               ? number_of(o[i].reg.value, mode)
                               : REGS;
        if (n < REGS)
            l->regs[n] = i ? (struct held){ .known = false } : first;
    }
}

/* ---- arm64 ---- */

enum { SP = 31 };

/* Follows what code_references() finds: an address that ADR or ADD forms is in a register, and
 * loads with that register as base are loads from it. */
static void arm64_reference(void *ctx, uint64_t from, uint64_t to)
{
    struct loads *l = ctx;
    const uint8_t *p = l->code->bytes + (from - l->code->address);
    const uint32_t word =
        (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    const bool is_adr = (word & 0x9f000000) == 0x10000000;
    const bool is_add = (word & 0xff800000) == 0x91000000;
    if (is_adr || is_add)
        l->regs[word & 31] = (struct held){ true, to };
    else
        l->fn(l->ctx, from, to);
}

static void arm64_insn(struct loads *l, uint32_t word, uint64_t from)
{
    const unsigned rd = word & 31, rn = word >> 5 & 31, rm = word >> 16 & 31;
    /* Loads and stores are op0 = x1x0 (DDI 0487, C4.1); a load has bit 22, or bit 23 for
     * sign-extending and 128-bit ones. */
    const bool memory = (word & 0x0a000000) == 0x08000000;
    const bool load = memory && (word & 0x00c00000);
    if (load && rn != SP && l->regs[rn].known)
        l->fn(l->ctx, from, l->regs[rn].address);
    if (load && (word & 0x3b200c00) == 0x38200800 && l->regs[rm].known)
        l->fn(l->ctx, from, l->regs[rm].address);
    if ((word & 0xffe0ffe0) == 0xaa0003e0) /* MOV of a register */
        l->regs[rd] = rm == SP ? (struct held){ .known = false } : l->regs[rm];
    else if (load && !(word & 0x04000000)) /* into a general register */
        l->regs[rd].known = false;
}

static void arm64_pass(struct loads *l)
{
    enum { LOST = 0x0007ffff }; /* x0 to x18 */
    struct pages pages = { .known = 0 };
    struct walk walk;
    struct insn insn;
    for (code_walk_start(&walk, l->code, 0); code_walk_next(&walk, &insn);) {
        const uint64_t from = l->code->address + insn.offset;
        if (insn.flow == FLOW_BAD)
            continue;
        arm64_insn(l, (uint32_t)walk.word, from);
        references_arm64(&pages, &insn, (uint32_t)walk.word, from, arm64_reference, l);
        if (insn.flow == FLOW_CALL)
            forget(l, LOST);
    }
}

/* ---- all ---- */

static void x86_pass(struct loads *l)
{
    struct walk walk;
    struct insn insn;
    for (code_walk_start(&walk, l->code, 0); code_walk_next(&walk, &insn);) {
        if (walk.known && insn.work != WORK_PAD)
            x86_insn(l, &walk, &insn);
        if (insn.flow == FLOW_CALL)
            forget(l, lost_by_calls);
    }
}

void code_loads(const struct code *code, code_reference_fn *fn, void *ctx)
{
    struct loads l = { .code = code, .fn = fn, .ctx = ctx };
    for (unsigned pass = 0; pass < 2; pass++)
        if (arch_is_x86(code->arch))
            x86_pass(&l);
        else if (code->arch == ARCH_ARM64)
            arm64_pass(&l);
}

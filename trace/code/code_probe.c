/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses where a uprobe can count calls. The kernel (arch/x86/kernel/uprobes.c) emulates a few
 * instructions. It single-steps others in a separate page. It refuses some, and accepts others
 * on which the probe never fires: those with VEX and EVEX prefixes. A probe on a 5-byte nop
 * becomes a call, which writes below the stack pointer of a leaf function. ENDBR must stay in
 * place, because indirect branches land on it. */
#include "../budget.h"
#include "code_insn.h"

enum { RANK_NONE, RANK_STEPPED, RANK_EMULATED };

static bool is_emulated(const ZydisDecodedInstruction *raw, const uint8_t *p)
{
    const uint8_t opcode = raw->opcode;
    if (raw->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && opcode >= 0x50 && opcode <= 0x57)
        return raw->length == 1 || (raw->length == 2 && p[0] == 0x41); /* REX with B only */
    if (raw->raw.prefix_count)
        return false;
    if (raw->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
        return (opcode == 0x90 && raw->length == 1) || (opcode >= 0x70 && opcode <= 0x7f) ||
               opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb;
    return raw->opcode_map == ZYDIS_OPCODE_MAP_0F && opcode >= 0x80 && opcode <= 0x8f;
}

static bool is_plain(ZydisInstructionCategory category)
{
    switch (category) {
    case ZYDIS_CATEGORY_BINARY:
    case ZYDIS_CATEGORY_LOGICAL:
    case ZYDIS_CATEGORY_LOGICAL_FP:
    case ZYDIS_CATEGORY_DATAXFER:
    case ZYDIS_CATEGORY_SHIFT:
    case ZYDIS_CATEGORY_ROTATE:
    case ZYDIS_CATEGORY_CMOV:
    case ZYDIS_CATEGORY_SETCC:
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_POP:
        return true;
    default:
        return false;
    }
}

/* Whether an instruction must not be single-stepped: it uses segment or control registers, or
 * flags or all registers at once, which a single step would show or change. */
static bool is_special(const ZydisDecodedInstruction *raw)
{
    const uint8_t opcode = raw->opcode;
    if (raw->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
        return opcode == 0x8c || opcode == 0x8e || opcode == 0x9c || opcode == 0x9d ||
               (opcode >= 0x60 && opcode <= 0x62) || (opcode < 0x40 && (opcode & 7) >= 6) ||
               opcode == 0xc4 || opcode == 0xc5;
    return (opcode >= 0x20 && opcode <= 0x26) || opcode < 0x10 || (opcode & 0xf7) == 0xa0 ||
           (opcode & 0xf7) == 0xa1;
}

static bool is_stepped(const ZydisDecodedInstruction *raw, bool rip_relative)
{
    const uint64_t refused = ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
                             ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_HAS_SEGMENT_CS |
                             ZYDIS_ATTRIB_HAS_SEGMENT_SS | ZYDIS_ATTRIB_HAS_SEGMENT_DS |
                             ZYDIS_ATTRIB_HAS_SEGMENT_ES | ZYDIS_ATTRIB_IS_PRIVILEGED;
    return raw->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && is_plain(raw->meta.category) &&
           (raw->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT ||
            raw->opcode_map == ZYDIS_OPCODE_MAP_0F) &&
           !is_special(raw) && !(raw->attributes & refused) && !rip_relative;
}

static int rank(const struct walk *walk, const struct insn *insn)
{
    const ZydisDecodedInstruction *raw = &walk->raw;
    const bool rip_relative = walk->code->arch == ARCH_X86_64 && raw->raw.modrm.offset &&
                              raw->raw.modrm.mod == 0 && raw->raw.modrm.rm == 5;
    if (!walk->known)
        return RANK_NONE;
    if (is_emulated(raw, walk->code->bytes + insn->offset))
        return RANK_EMULATED;
    return insn->flow == FLOW_NEXT && is_stepped(raw, rip_relative) ? RANK_STEPPED : RANK_NONE;
}

/* The first branch target behind the entry: code from there on may run more than once in a call. */
static uint64_t first_after(uint64_t entry, uint64_t end, const uint64_t *targets,
                            size_t num_targets)
{
    size_t low = 0, high = num_targets;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (targets[middle] <= entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low < num_targets && targets[low] < end ? targets[low] : end;
}

/* The end of the first run: the first target of a branch, from inside or outside the function. 0
 * if the code jumps to its own entry, which then runs more than once in a call. */
static uint64_t run_end(const struct code *code, const uint64_t *targets, size_t num_targets)
{
    uint64_t end = first_after(code->address, code->address + code->len, targets, num_targets);
    struct walk walk;
    struct insn insn;
    for (code_walk_start(&walk, code, 0); code_walk_next(&walk, &insn);) {
        if (!insn.has_target)
            continue;
        if (insn.target == code->address && insn.flow != FLOW_CALL)
            return 0;
        if (insn.target > code->address && insn.target < end)
            end = insn.target;
    }
    return end;
}

void code_probe_point(struct probe_point *out, const struct code *code, const uint64_t *targets,
                      size_t num_targets)
{
    *out = (struct probe_point){ 0 };
    if (!arch_is_x86(code->arch))
        return;
    const uint64_t end = run_end(code, targets, num_targets);
    if (budget_cut) /* a branch may have been missed */
        return;
    struct walk walk;
    struct insn insn;
    for (code_walk_start(&walk, code, 0); code_walk_next(&walk, &insn);) {
        const uint64_t address = code->address + insn.offset;
        if (address >= end || insn.len > end - address)
            return;
        const int is = rank(&walk, &insn);
        if (is == RANK_EMULATED || (is == RANK_STEPPED && !out->address))
            *out = (struct probe_point){ .address = address, .emulated = is == RANK_EMULATED };
        if (is == RANK_EMULATED || insn.flow != FLOW_NEXT)
            return;
    }
}

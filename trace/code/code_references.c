/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the addresses that code forms. There are false ones, because a large immediate number
 * looks the same; the caller checks whether the address is that of a table. */
#include "code_insn.h"
#include <string.h>

static void x86_references(const struct walk *walk, const struct insn *insn, code_reference_fn *fn,
                           void *ctx)
{
    const ZydisDecodedInstruction *raw = &walk->raw;
    const uint64_t from = walk->code->address + insn->offset;
    uint64_t to;
    if (!walk->known)
        return;
    if (x86_address(&to, walk, from))
        fn(ctx, from, to);
    for (size_t i = 0; i < 2; i++)
        if (raw->raw.imm[i].size >= 32 && !raw->raw.imm[i].is_relative)
            fn(ctx, from,
               raw->raw.imm[i].value.u & (raw->raw.imm[i].size == 32 ? UINT32_MAX : UINT64_MAX));
}

/* Log2 of the access size of loads and stores with an unsigned offset (DDI 0487, C4.1.94), by
 * which the offset is scaled. 128-bit vector registers are size 0 with the upper bit of opc. */
static unsigned access_log2(uint32_t word)
{
    return (word & 0x04800000) == 0x04800000 && word >> 30 == 0 ? 4 : word >> 30;
}

void references_arm64(struct pages *pages, const struct insn *insn, uint32_t word, uint64_t from,
                      code_reference_fn *fn, void *ctx)
{
    const unsigned rd = word & 31, rn = word >> 5 & 31;
    const uint64_t imm21 = (word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
    const int64_t distance = (int64_t)(imm21 ^ 0x100000) - 0x100000;
    const uint32_t imm12 = word >> 10 & 0xfff;
    if ((word & 0x9f000000) == 0x90000000) { /* ADRP */
        pages->at[rd] = (from & ~(uint64_t)0xfff) + ((uint64_t)distance << 12);
        pages->known |= (uint32_t)1 << rd;
    } else if ((word & 0x9f000000) == 0x10000000) { /* ADR */
        fn(ctx, from, from + (uint64_t)distance);
    } else if ((word & 0x3b000000) == 0x18000000) { /* literal load */
        fn(ctx, from, from + ((uint64_t)((int64_t)((imm21 >> 2 ^ 0x40000)) - 0x40000) << 2));
    } else if (pages->known >> rn & 1 && (word & 0xff800000) == 0x91000000) { /* ADD */
        fn(ctx, from, pages->at[rn] + (word & 0x00400000 ? (uint64_t)imm12 << 12 : imm12));
    } else if (pages->known >> rn & 1 && (word & 0x3b000000) == 0x39000000) {
        fn(ctx, from, pages->at[rn] + ((uint64_t)imm12 << access_log2(word)));
    }
    if (insn->flow == FLOW_END || (insn->flow == FLOW_JUMP && !insn->has_target))
        pages->known = 0;
}

void code_references(const struct code *code, code_reference_fn *fn, void *ctx)
{
    struct pages pages = { .known = 0 };
    struct walk walk;
    struct insn insn;
    if (!arch_is_x86(code->arch) && code->arch != ARCH_ARM64)
        return;
    for (code_walk_start(&walk, code, 0); code_walk_next(&walk, &insn);) {
        if (arch_is_x86(code->arch))
            x86_references(&walk, &insn, fn, ctx);
        else if (insn.flow != FLOW_BAD)
            references_arm64(&pages, &insn, (uint32_t)walk.word, code->address + insn.offset, fn,
                             ctx);
    }
}

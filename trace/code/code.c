/* SPDX-License-Identifier: Apache-2.0 */
#include "../budget.h"
#include "code_insn.h"
#include <string.h>

void code_walk_start(struct walk *walk, const struct code *code, size_t from)
{
    memset(walk, 0, sizeof *walk);
    walk->code = code;
    walk->at = from;
    walk->end = code->len < UINT32_MAX ? code->len : UINT32_MAX;
    if (arch_is_x86(code->arch))
        x86_start(walk);
}

bool code_walk_next(struct walk *walk, struct insn *out)
{
    if (walk->at >= walk->end || walk->code->arch == ARCH_NONE || budget_over())
        return false;
    memset(out, 0, sizeof *out);
    out->offset = (uint32_t)walk->at;
    if (arch_is_x86(walk->code->arch))
        x86_next(walk, out);
    else
        word_next(walk, out);
    walk->at += out->len;
    return true;
}

bool code_candidate(const struct code *code)
{
    return arch_is_x86(code->arch) ? x86_candidate(code) : words_marks(code) != 0;
}

marks code_walk_marks(const struct code *code)
{
    marks all = 0;
    struct walk walk;
    struct insn insn;
    for (code_walk_start(&walk, code, 0); code_walk_next(&walk, &insn);)
        all |= insn.marks;
    return all;
}

marks code_marks(const struct code *code)
{
    return arch_is_x86(code->arch) ? code_walk_marks(code) : words_marks(code);
}

void code_branches(const struct code *code, code_reference_fn *fn, void *ctx)
{
    struct walk walk;
    struct insn insn;
    for (code_walk_start(&walk, code, 0); code_walk_next(&walk, &insn);)
        if (insn.has_target)
            fn(ctx, code->address + insn.offset, insn.target);
}

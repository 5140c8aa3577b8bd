/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the limits of a routine in memory without a table of functions, such as a JVM's stubs,
 * which are one block. A routine ends behind an instruction that execution does not pass, at a
 * place that no branch crosses. */
#include "code_insn.h"
#include <stdlib.h>

/* A branch as the span between the branch and its target. No routine begins inside a span: at an
 * offset above `low` and up to `high`. */
struct span {
    uint32_t low, high;
};

struct spans {
    struct span *at;
    size_t num, max;
};

static bool add_span(struct spans *spans, uint32_t from, uint32_t to)
{
    if (spans->num == spans->max) {
        const size_t max = spans->max ? 2 * spans->max : 256;
        struct span *at = reallocarray(spans->at, max, sizeof *at);
        if (!at)
            return false;
        spans->at = at;
        spans->max = max;
    }
    spans->at[spans->num++] = from < to ? (struct span){ from, to } : (struct span){ to, from };
    return true;
}

static int by_low(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

/* The offset of a branch target. A window may contain a part of a routine only; a branch to another
 * part counts as reaching the window's beginning or end. */
static uint32_t offset_of(const struct code *code, uint64_t target)
{
    if (target < code->address)
        return 0;
    return target - code->address < code->len ? (uint32_t)(target - code->address)
                                              : (uint32_t)code->len;
}

/* Lists the spans of all branches. Calls are not included, because they leave the routine and
 * return. */
static bool find_spans(struct spans *spans, const struct code *code)
{
    struct walk walk;
    struct insn insn;
    for (code_walk_start(&walk, code, 0); code_walk_next(&walk, &insn);) {
        if (insn.has_target && insn.flow != FLOW_CALL &&
            !add_span(spans, insn.offset, offset_of(code, insn.target)))
            return false;
    }
    qsort(spans->at, spans->num, sizeof *spans->at, by_low);
    return true;
}

/* Finds the routine around `at`: sets *start and *end, which the caller has set to 0 and the
 * code's length. */
static void find_routine(size_t *start, size_t *end, const struct code *code,
                         const struct spans *spans, size_t at)
{
    struct walk walk;
    struct insn insn;
    bool ended = false;
    size_t next = 0;
    uint32_t reach = 0; /* the highest end of the spans that begin before */
    for (code_walk_start(&walk, code, 0); code_walk_next(&walk, &insn);) {
        for (; next < spans->num && spans->at[next].low < insn.offset; next++)
            if (spans->at[next].high > reach)
                reach = spans->at[next].high;
        if (ended && insn.work != WORK_PAD && insn.flow != FLOW_BAD && reach < insn.offset) {
            if (insn.offset > at) {
                *end = insn.offset;
                return;
            }
            *start = insn.offset;
        }
        if (insn.work != WORK_PAD && insn.flow != FLOW_BAD)
            ended = insn.flow == FLOW_END || insn.flow == FLOW_JUMP;
    }
}

struct code code_routine(const struct code *code, uint64_t ip)
{
    struct spans spans = { .at = NULL };
    const uint64_t at = ip - code->address;
    size_t start = 0, end = code->len;
    if (at < code->len && code->len <= UINT32_MAX && find_spans(&spans, code))
        find_routine(&start, &end, code, &spans, (size_t)at);
    free(spans.at);
    struct code routine = *code;
    routine.bytes += start;
    routine.address += start;
    routine.len = end - start;
    return routine;
}

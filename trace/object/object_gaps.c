/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds functions in gaps: in code that neither symbols nor frames describe, such as that of
 * stripped static programs or assembly without frames. The gaps between known functions are cut
 * where functions seem to begin. These beginnings are not proven, and such functions are kept only
 * if they contain crypto.
 */
#include "../budget.h"
#include "object_build.h"
#include <stdlib.h>
#include <string.h>

enum { MIN_GAP = 16 };

struct range {
    uint64_t start, end;
};

static int by_start(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* The ranges of code: sections, since a segment of code may also contain tables; segments if
 * there are no sections. */
static struct range *code_ranges(const struct elf *elf, size_t *num)
{
    struct elf_section s;
    const size_t max = elf->num_sections + elf->num_segments;
    struct range *ranges = calloc(max ? max : 1, sizeof *ranges);
    *num = 0;
    for (size_t i = 0; ranges && elf_section_at(&s, elf, i); i++) {
        size_t len;
        if (s.type == SHT_PROGBITS && (s.flags & SHF_EXECINSTR) && elf_at(elf, s.addr, &len))
            ranges[(*num)++] = (struct range){ s.addr, s.addr + (s.len < len ? s.len : len) };
    }
    for (size_t i = 0; ranges && !elf->num_sections && i < elf->num_segments; i++)
        if (elf->segments[i].exec)
            ranges[(*num)++] = (struct range){ elf->segments[i].vaddr,
                                               elf->segments[i].vaddr + elf->segments[i].file_len };
    if (ranges)
        qsort(ranges, *num, sizeof *ranges, by_start);
    return ranges;
}

/* ---- where functions seem to begin ---- */

/* The padding between functions that compilers and assemblers for x86 write. */
static const struct {
    uint8_t len, bytes[9];
} padding[] = {
    { 1, { 0xcc } },
    { 1, { 0x90 } },
    { 2, { 0x66, 0x90 } },
    { 3, { 0x0f, 0x1f, 0x00 } },
    { 4, { 0x0f, 0x1f, 0x40, 0x00 } },
    { 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
    { 7, { 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00 } },
    { 8, { 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 } },
    { 1, { 0x66 } }, /* prefixes of no-operations */
    { 1, { 0x2e } },
};

static size_t padding_before(const uint8_t *p, size_t at)
{
    for (size_t i = 0; i < sizeof padding / sizeof *padding; i++)
        if (at >= padding[i].len &&
            !memcmp(p + at - padding[i].len, padding[i].bytes, padding[i].len))
            return padding[i].len;
    return 0;
}

/* Whether a function seems to begin: at an aligned address, behind a return or a jump with
 * padding between, or with ENDBR64. */
static bool x86_begins(const uint8_t *p, size_t len, size_t at)
{
    enum { RET = 0xc3, JMP = 0xe9, JMP_SHORT = 0xeb, MAX_PADDING = 32 };
    static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
    if (len - at >= sizeof endbr && !memcmp(p + at, endbr, sizeof endbr))
        return true;
    size_t end = at, skipped = 0;
    for (size_t n; skipped < MAX_PADDING && (n = padding_before(p, end)); skipped += n)
        end -= n;
    return end >= 1 && (p[end - 1] == RET || (end >= 2 && p[end - 2] == JMP_SHORT) ||
                        (end >= 5 && p[end - 5] == JMP));
}

/* Whether a function seems to begin: it sets up a frame (stp x29, x30, [sp, #-n]!), or signs its
 * return address (paciasp). */
static bool arm64_begins(const uint8_t *p, size_t len, size_t at)
{
    uint32_t insn[2] = { 0 };
    for (int i = 0; i < 4 && len - at >= 4; i++)
        insn[1] |= (uint32_t)p[at + (size_t)i] << 8 * i;
    for (int i = 0; i < 4 && at >= 4; i++)
        insn[0] |= (uint32_t)p[at - 4 + (size_t)i] << 8 * i;
    return insn[1] == 0xd503233f || ((insn[1] & 0xffc07fff) == 0xa9807bfd && insn[0] != 0xd503233f);
}

static const struct {
    uint8_t step; /* 0: there is no rule, and the gap stays one piece */
    bool (*begins)(const uint8_t *, size_t len, size_t at);
} rules[NUM_ARCHES] = {
    [ARCH_X86_64] = { 16, x86_begins },
    [ARCH_X86_32] = { 16, x86_begins },
    [ARCH_ARM64] = { 4, arm64_begins },
};

/* Adds the functions of code without holes. */
static void add_piece(struct function_list *list, const struct elf *elf, uint64_t start,
                      const uint8_t *p, size_t len)
{
    const size_t step = rules[elf->arch].step ? rules[elf->arch].step : len;
    size_t begin = 0;
    for (size_t at = step - start % step; at < len && !budget_over(); at += step)
        if (rules[elf->arch].begins && rules[elf->arch].begins(p, len, at)) {
            functions_add(list, elf,
                          &(struct function){ .start = start + begin, .end = start + at });
            begin = at;
        }
    functions_add(list, elf, &(struct function){ .start = start + begin, .end = start + len });
}

/* Moves *start over a hole of the file to the next byte that is there. Returns how many are there,
 * 0 if none in the rest of its segment. */
static size_t skip_hole(uint64_t *start, const struct elf *elf)
{
    for (size_t i = 0; i < elf->num_segments; i++) {
        const struct segment *s = &elf->segments[i];
        if (*start < s->vaddr || *start - s->vaddr >= s->file_len)
            continue;
        uint64_t at = s->offset + (*start - s->vaddr);
        const size_t len = elf_next_data(elf, &at, s->offset + s->file_len);
        *start = s->vaddr + (at - s->offset);
        return len;
    }
    return 0;
}

static void add_gap(struct function_list *list, const struct elf *elf, uint64_t start, uint64_t end)
{
    size_t len, all;
    while (start < end && end - start >= MIN_GAP && (len = skip_hole(&start, elf)) && start < end) {
        const uint8_t *p = elf_at(elf, start, &all);
        len = len < end - start ? len : (size_t)(end - start);
        if (p && len >= MIN_GAP)
            add_piece(list, elf, start, p, len < all ? len : all);
        start += len;
    }
}

void functions_add_gaps(struct function_list *list, const struct elf *elf,
                        const struct constant_site *sites, size_t num_sites)
{
    const size_t num = list->num; /* the functions of gaps are appended behind these */
    size_t num_ranges, f = 0, s = 0;
    struct range *ranges = code_ranges(elf, &num_ranges);
    uint64_t at = 0;
    list->failed |= !ranges;
    for (size_t i = 0; ranges && i < num_ranges; i++) {
        const uint64_t end = ranges[i].end;
        at = at > ranges[i].start ? at : ranges[i].start;
        while (at < end && !list->failed && !budget_over()) {
            while (f < num && list->at[f].end <= at)
                f++;
            while (s < num_sites && sites[s].address + sites[s].len <= at)
                s++;
            struct range next = { end, end };
            if (f < num && list->at[f].start < next.start)
                next = (struct range){ list->at[f].start, list->at[f].end };
            if (s < num_sites && sites[s].address < next.start)
                next = (struct range){ sites[s].address, sites[s].address + sites[s].len };
            if (next.start > at)
                add_gap(list, elf, at, next.start);
            at = next.end > at ? next.end : end;
        }
    }
    free(ranges);
    functions_merge(list, elf);
}

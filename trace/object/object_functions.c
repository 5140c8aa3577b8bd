/* SPDX-License-Identifier: Apache-2.0 */
/* The list of functions: adding to it, sorting it, and merging functions with one start. */
#include "../budget.h"
#include "../names/names.h"
#include "object_build.h"
#include <stdlib.h>
#include <string.h>

void functions_add(struct function_list *list, const struct elf *elf, const struct function *f)
{
    size_t len;
    bool exec = false;
    for (size_t i = 0; i < elf->num_segments && !exec; i++) {
        const struct segment *s = &elf->segments[i];
        exec = s->exec && f->start >= s->vaddr && f->start - s->vaddr < s->file_len;
    }
    if (!exec || list->failed || list->num >= MAX_FUNCTIONS || !elf_at(elf, f->start, &len))
        return;
    if (list->num == list->max) {
        const size_t max = list->max ? 2 * list->max : 64;
        struct function *at = budget_take((max - list->max) * sizeof *at)
                                  ? realloc(list->at, max * sizeof *at)
                                  : NULL;
        if (!at) {
            list->failed = true;
            return;
        }
        list->at = at;
        list->max = max;
    }
    struct function *out = &list->at[list->num++];
    *out = *f;
    if (out->end < out->start)
        out->end = out->start;
    if (out->end - out->start > len)
        out->end = out->start + len;
}

/* ---- sorting and merging ---- */

/* The rank of a name among several for one address: highest is a name from pclntab, then one that
 * names.def knows, then one that does not begin with a dot, then one without an underscore at its
 * beginning. 0: there is no name. */
static int name_rank(const struct function *f)
{
    struct name_info info;
    if (!f->name)
        return 0;
    return 1 + (f->name[0] != '_') + 2 * (f->name[0] != '.') +
           (name_lookup(&info, f->name) ? 4 : 0) + (f->source == NAME_PCLNTAB ? 8 : 0);
}

/* The more reliable end of two functions with the same start: an FDE and a pclntab say where a
 * function ends, a symbol may have no length. */
static uint64_t better_end(const struct function *a, const struct function *b)
{
    const bool a_knows = a->proof & (PROOF_FDE | PROOF_PCLNTAB) && a->end > a->start;
    const bool b_knows = b->proof & (PROOF_FDE | PROOF_PCLNTAB) && b->end > b->start;
    if (a_knows != b_knows)
        return a_knows ? a->end : b->end;
    return a->end > b->end ? a->end : b->end;
}

static void merge_two(struct function *into, const struct function *f)
{
    into->end = better_end(into, f);
    if (f->name &&
        (!into->name || (strcmp(f->name, into->name) && name_rank(f) > name_rank(into)))) {
        into->name = f->name;
        into->source = f->source;
    }
    into->proof |= f->proof;
}

static int by_start(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Bytes from `start` to the end of its section, or `len` if it is in none of the first few
 * sections. Data may follow code in one segment, as on SPARC. */
static size_t left_in_section(const struct elf *elf, uint64_t start, size_t len)
{
    enum { SECTIONS = 64 }; /* a hostile file may have many sections and many functions */
    struct elf_section s;
    for (size_t i = 0; i < SECTIONS && elf_section_at(&s, elf, i) && !budget_over(); i++)
        if (s.flags & SHF_EXECINSTR && start >= s.addr && start - s.addr < s.len)
            return s.len - (start - s.addr) < len ? s.len - (start - s.addr) : len;
    return len;
}

/* The file, which may be hostile, determines the order before sorting. qsort is a merge sort in
 * glibc while there is memory for it, and so not quadratic. */
void functions_merge(struct function_list *list, const struct elf *elf)
{
    if (!list->num || list->failed)
        return;
    if (!budget_take(list->num * sizeof *list->at)) { /* for qsort */
        list->failed = true;
        return;
    }
    qsort(list->at, list->num, sizeof *list->at, by_start);
    size_t last = 0;
    for (size_t i = 1; i < list->num && !budget_over(); i++) {
        if (list->at[i].start == list->at[last].start)
            merge_two(&list->at[last], &list->at[i]);
        else
            list->at[++last] = list->at[i];
    }
    list->num = last + 1;
    budget_give((last + 1) * sizeof *list->at);
    for (size_t i = 0; i < list->num && !budget_over(); i++) {
        struct function *f = &list->at[i];
        size_t len;
        elf_at(elf, f->start, &len);
        if (f->end == f->start)
            f->end = f->start + left_in_section(elf, f->start, len);
        if (i + 1 < list->num && f->end > f[1].start)
            f->end = f[1].start;
    }
}

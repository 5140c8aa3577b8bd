/* SPDX-License-Identifier: Apache-2.0
 *
 * The inventory of a file's functions. A cheap check of all bytes comes first; only functions that
 * pass it are decoded (on arm64 all functions, if the file has tables of constants).
 */
#include "../budget.h"
#include "../names/names.h"
#include "object_build.h"
#include <stdlib.h>
#include <string.h>

enum { PENDING_REFERENCE = 1, PENDING_WORDS = 2 };

struct work {
    const struct elf *elf;
    struct function *functions;
    size_t num_functions;
    const struct constant_site *sites;
    size_t num_sites;
    uint8_t *pending; /* flags for each function */
    struct function *decoded;
};

static const uint8_t *elf_data(const void *ctx, uint64_t address, size_t len)
{
    size_t left = 0;
    const uint8_t *p = elf_at(ctx, address, &left);
    return p && len <= left ? p : NULL;
}

struct code inventory_elf_code(const struct elf *elf, uint64_t start, uint64_t end)
{
    struct code code = { .address = start,
                         .arch = elf->arch,
                         .big_endian = elf->big,
                         .data = elf_data,
                         .data_ctx = elf };
    code.bytes = elf_at(elf, start, &code.len);
    if (code.len > end - start)
        code.len = (size_t)(end - start);
    return code;
}

static int by_address(const void *a, const void *b)
{
    const struct constant_site *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static bool find_sites(struct constant_site **sites, size_t *num, const struct elf *elf)
{
    for (size_t i = 0; i < elf->num_segments; i++) {
        const struct segment *s = &elf->segments[i];
        uint64_t at = s->offset;
        for (size_t n; (n = elf_next_data(elf, &at, s->offset + s->file_len)); at += n)
            if (constants_find(sites, num, elf->bytes + at, n, s->vaddr + (at - s->offset)) < 0)
                return false;
    }
    if (*num)
        qsort(*sites, *num, sizeof **sites, by_address);
    return true;
}

static struct function *function_at(const struct work *w, uint64_t vaddr)
{
    size_t low = 0, high = w->num_functions;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (w->functions[mid].end <= vaddr)
            low = mid + 1;
        else
            high = mid;
    }
    return low < w->num_functions && w->functions[low].start <= vaddr ? &w->functions[low] : NULL;
}

/* ---- references to tables ---- */

/* Notes that code refers to a table. Tables may overlap (an S-box in a larger table), so a few
 * tables before are checked too. */
static void note_reference(void *ctx, uint64_t from, uint64_t to)
{
    enum { OVERLAPPING = 4 };
    const struct work *w = ctx;
    size_t low = 0, high = w->num_sites;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (w->sites[mid].address <= to)
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t i = low; i > 0 && low - i < OVERLAPPING; i--) {
        const struct constant_site *s = &w->sites[i - 1];
        if (to - s->address < s->len)
            w->decoded->constants |= (constant_set)1 << s->bit;
    }
}

static void note_candidate(void *ctx, uint64_t at, const struct constant_site *site)
{
    const struct work *w = ctx;
    const struct function *f = function_at(w, at);
    if (f)
        w->pending[f - w->functions] |= PENDING_REFERENCE;
}

static void find_references(struct work *w)
{
    const bool x86 = w->elf->arch == ARCH_X86_64 || w->elf->arch == ARCH_X86_32;
    if (!w->num_sites)
        return;
    if (!x86) /* addresses consist of several words there: no check of bytes finds them */
        memset(w->pending, PENDING_REFERENCE, w->num_functions);
    for (size_t i = 0; x86 && i < w->elf->num_segments; i++) {
        const struct segment *s = &w->elf->segments[i];
        uint64_t at = s->offset;
        for (size_t n; s->exec && (n = elf_next_data(w->elf, &at, s->offset + s->file_len));
             at += n)
            constants_references(w->sites, w->num_sites, w->elf->bytes + at, n,
                                 s->vaddr + (at - s->offset), note_candidate, w);
    }
    for (size_t i = 0; i < w->num_functions && !budget_over(); i++) {
        w->decoded = &w->functions[i];
        const struct code code = inventory_elf_code(w->elf, w->decoded->start, w->decoded->end);
        if (w->pending[i] & PENDING_REFERENCE)
            code_references(&code, note_reference, w);
    }
}

/* ---- instructions, and words of algorithms in them ---- */

static void look_inside(struct work *w)
{
    for (size_t i = 0; i < w->num_functions && !budget_over(); i++) {
        struct function *f = &w->functions[i];
        const struct code code = inventory_elf_code(w->elf, f->start, f->end);
        if (code_candidate(&code))
            f->marks = code_marks(&code);
        f->constants |= constants_in_code(code.bytes, code.len, w->elf->big);
        f->structure = (uint8_t)code_structure(&code);
    }
}

static void drop_gaps(struct function_list *list)
{
    size_t num = 0;
    for (size_t i = 0; i < list->num; i++) {
        const struct function *f = &list->at[i];
        if (f->proof || f->marks || f->constants || f->structure)
            list->at[num++] = *f;
    }
    list->num = num;
}

static void name_by_fingerprint(struct function_list *list, const struct elf *elf)
{
    for (size_t i = 0; i < list->num && !budget_over(); i++) {
        struct function *f = &list->at[i];
        const struct code code = inventory_elf_code(elf, f->start, f->end);
        uint8_t hash[16];
        if (f->name || !(f->marks || f->constants || f->structure) ||
            !code_fingerprint(hash, &code))
            continue;
        const struct fingerprint *found = fingerprint_lookup(hash);
        if (found && found->name) {
            f->name = found->name;
            f->version = found->origin;
            f->source = NAME_FINGERPRINT;
        }
    }
}

bool inventory(struct function_list *list, const struct elf *elf, struct constant_site **sites,
               size_t *num_sites, bool use_fingerprints)
{
    if (!find_sites(sites, num_sites, elf))
        return false;
    functions_add_gaps(list, elf, *sites, *num_sites);
    struct work w = {
        .elf = elf,
        .functions = list->at,
        .num_functions = list->num,
        .sites = *sites,
        .num_sites = *num_sites,
        .pending = calloc(list->num + 1, 1),
    };
    if (list->failed || !w.pending) {
        free(w.pending);
        return false;
    }
    look_inside(&w);
    find_references(&w);
    free(w.pending);
    drop_gaps(list);
    if (use_fingerprints)
        name_by_fingerprint(list, elf);
    return true;
}

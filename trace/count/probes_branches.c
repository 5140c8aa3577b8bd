/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds side entries. Assembly often dispatches by a jump from one function into another, behind
 * its first instructions (OpenSSL's gcm_ghash_avx jumps behind the ENDBR64 of gcm_ghash_clmul).
 * Decoding all code of a large program would take seconds, so there are two steps: first a check of
 * every byte position that might be a jump to a function of interest, then decoding of the
 * functions that contain such a position, from their known beginnings.
 */
#include "../budget.h"
#include "probes_internal.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_ENTRIES = 65536, MAX_SOURCES = 65536 };

struct search {
    struct object *object;
    const struct function **functions;
    size_t num_functions;
    const struct function **sources;
    size_t num_sources;
    struct side_entry *found;
    size_t num_found;
    const struct function *source; /* the function that is being decoded */
    struct code code;
};

const struct function *probes_function_at(const struct function **functions, size_t num,
                                          uint64_t address)
{
    size_t low = 0, high = num;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions[middle]->start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < functions[low - 1]->end ? functions[low - 1] : NULL;
}

static int32_t read_i32(const uint8_t *p)
{
    int32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The target of the direct jump that would begin at bytes[i]; 0 where no jump begins. */
static uint64_t jump_target(const uint8_t *bytes, size_t len, size_t i, uint64_t address)
{
    uint64_t at = address + i;
    if (bytes[i] == 0xE9 && len - i >= 5)
        return at + 5 + (uint64_t)(int64_t)read_i32(bytes + i + 1);
    if (bytes[i] == 0x0F && len - i >= 6 && (bytes[i + 1] & 0xF0) == 0x80)
        return at + 6 + (uint64_t)(int64_t)read_i32(bytes + i + 2);
    if ((bytes[i] == 0xEB || (bytes[i] & 0xF0) == 0x70) && len - i >= 2)
        return at + 2 + (uint64_t)(int64_t)(int8_t)bytes[i + 1];
    return 0;
}

static void note_source(struct search *s, uint64_t at, const struct function *to)
{
    const struct function *source = object_function(s->object, at);
    if (!source || source == to || s->num_sources == MAX_SOURCES ||
        (s->num_sources && s->sources[s->num_sources - 1] == source))
        return;
    s->sources[s->num_sources++] = source;
}

static void look_at_bytes(struct search *s, const uint8_t *bytes, size_t len, uint64_t vaddr)
{
    uint64_t low = s->functions[0]->start, high = s->functions[s->num_functions - 1]->end;
    for (size_t i = 0; i < len && !budget_over(); i++) {
        uint64_t to = jump_target(bytes, len, i, vaddr);
        if (to < low || to >= high)
            continue;
        const struct function *f = probes_function_at(s->functions, s->num_functions, to);
        uint64_t at = vaddr + i;
        if (f && !(at >= f->start && at < f->end))
            note_source(s, at, f);
    }
}

static void look_at_segment(struct search *s, const struct segment *segment)
{
    const struct object *o = s->object;
    if (!segment->exec || !o->image || segment->offset >= o->image_len)
        return;
    uint64_t at = segment->offset, end = segment->offset + segment->file_len;
    for (size_t n; (n = object_next_data(o, &at, end)); at += n)
        look_at_bytes(s, o->image + at, n, segment->vaddr + (at - segment->offset));
}

static bool is_call(const struct search *s, uint64_t at)
{
    uint64_t offset = at - s->code.address;
    return offset < s->code.len && s->code.bytes[offset] == 0xE8;
}

static void note_branch(void *ctx, uint64_t from, uint64_t to)
{
    struct search *s = ctx;
    const struct function *f = probes_function_at(s->functions, s->num_functions, to);
    if (!f || f == s->source || s->num_found == MAX_ENTRIES || is_call(s, from))
        return;
    s->found[s->num_found++] =
        (struct side_entry){ .to = to, .from = from, .function = f, .source = s->source };
}

static int by_target(const void *a, const void *b)
{
    const struct side_entry *x = a, *y = b;
    return x->to < y->to ? -1 : x->to > y->to;
}

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (const struct function *const *)a,
              y = (uintptr_t) * (const struct function *const *)b;
    return x < y ? -1 : x > y;
}

ssize_t probes_side_entries(struct side_entry **out, struct object *o,
                            const struct function **functions, size_t num)
{
    struct search s = { .object = o, .functions = functions, .num_functions = num };
    *out = NULL;
    if (!num)
        return 0;
    s.sources = calloc(MAX_SOURCES, sizeof *s.sources);
    s.found = calloc(MAX_ENTRIES, sizeof *s.found);
    if (!s.sources || !s.found) {
        free(s.sources);
        free(s.found);
        return -1;
    }
    (void)object_code(o, functions[0]); /* loads the image if only the cached inventory is there */
    for (size_t i = 0; i < o->num_segments; i++)
        look_at_segment(&s, &o->segments[i]);
    qsort(s.sources, s.num_sources, sizeof *s.sources, by_address);
    for (size_t i = 0; i < s.num_sources; i++) {
        if (i && s.sources[i] == s.sources[i - 1])
            continue;
        s.source = s.sources[i];
        s.code = object_code(o, s.source);
        code_branches(&s.code, note_branch, &s);
    }
    free(s.sources);
    if (budget_cut) { /* an entry may have been missed, and counts would be wrong */
        free(s.found);
        return -1;
    }
    qsort(s.found, s.num_found, sizeof *s.found, by_target);
    *out = s.found;
    return (ssize_t)s.num_found;
}

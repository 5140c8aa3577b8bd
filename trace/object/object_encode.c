/* SPDX-License-Identifier: Apache-2.0
 *
 * The inventory of an object as bytes, for the cache: numbers in 7-bit groups, least significant
 * first, and starts of functions as differences, so that a function takes some six bytes and its
 * name. The decoder trusts nothing in its input.
 */
#include "../budget.h"
#include "object_build.h"
#include "object_private.h"
#include <stdlib.h>
#include <string.h>

static const char magic[8] = "HRtrace2";

enum { HAS_CRYPTO = 0x80, HAS_VERSION = 0x40, STRUCTURE = 0x30, PROOFS = 0x0f };

/* ---- writing ---- */

struct writer {
    uint8_t *bytes;
    size_t len, max;
    bool failed;
};

static void put(struct writer *w, const void *p, size_t len)
{
    if (w->max - w->len < len && !w->failed) {
        const size_t max = 2 * w->max + len + 4096;
        uint8_t *bytes = realloc(w->bytes, max);
        w->failed = !bytes;
        if (bytes) {
            w->bytes = bytes;
            w->max = max;
        }
    }
    if (w->failed)
        return;
    memcpy(w->bytes + w->len, p, len);
    w->len += len;
}

static void put_number(struct writer *w, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (uint8_t)(value | 0x80);
    bytes[n++] = (uint8_t)value;
    put(w, bytes, n);
}

static void put_string(struct writer *w, const char *text)
{
    const size_t len = text ? strlen(text) : 0;
    put_number(w, len);
    if (len)
        put(w, text, len);
}

static void put_function(struct writer *w, const struct function *f, uint64_t before)
{
    const bool crypto = f->marks || f->constants;
    const uint8_t flags = (uint8_t)((crypto ? HAS_CRYPTO : 0) | (f->version ? HAS_VERSION : 0) |
                                    (f->structure << 4 & STRUCTURE) | (f->proof & PROOFS));
    put_number(w, f->start - before);
    put_number(w, f->end - f->start);
    put_number(w, flags);
    put_number(w, f->source);
    if (f->source != NAME_NONE)
        put_string(w, f->name);
    if (flags & HAS_VERSION)
        put_string(w, f->version);
    if (crypto) {
        put_number(w, f->marks);
        put_number(w, f->constants);
    }
}

uint8_t *object_encode(const struct object *o, size_t *len)
{
    struct writer w = { 0 };
    put(&w, magic, sizeof magic);
    put_string(&w, o->build_id);
    put_number(&w, o->arch);
    put_number(&w,
               (uint64_t)o->big_endian | o->is_go << 1 | o->is_static << 2 | o->is_stripped << 3);
    put_number(&w, o->num_segments);
    for (size_t i = 0; i < o->num_segments; i++) {
        const struct segment *s = &o->segments[i];
        put_number(&w, s->vaddr);
        put_number(&w, s->offset);
        put_number(&w, s->file_len);
        put_number(&w, s->mem_len);
        put_number(&w, (uint64_t)s->exec | s->write << 1);
    }
    put_number(&w, o->num_sites);
    for (size_t i = 0; i < o->num_sites; i++) {
        const struct constant_site *s = &o->sites[i];
        put_number(&w, s->address - (i ? s[-1].address : 0));
        put_number(&w, s->len);
        put_number(&w, s->bit);
    }
    put_number(&w, o->num_functions);
    for (size_t i = 0; i < o->num_functions; i++)
        put_function(&w, &o->functions[i], i ? o->functions[i - 1].start : 0);
    if (w.failed) {
        free(w.bytes);
        return NULL;
    }
    *len = w.len;
    return w.bytes;
}

/* ---- reading ---- */

struct reader {
    const uint8_t *p;
    size_t left;
    char *strings;
    size_t used; /* bytes of strings used; a string's length byte becomes room for its NUL */
    bool failed;
};

static uint64_t get_number(struct reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70 && r->left; shift += 7) {
        const uint8_t byte = *r->p++;
        r->left--;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    r->failed = true;
    return 0;
}

static uint64_t get_below(struct reader *r, uint64_t limit)
{
    const uint64_t value = get_number(r);
    if (value < limit)
        return value;
    r->failed = true;
    return 0;
}

/* Reads the number of the entries that follow, of which each takes at least `bytes` bytes. */
static size_t get_count(struct reader *r, size_t bytes)
{
    return (size_t)get_below(r, r->left / bytes + 1);
}

static const char *get_string(struct reader *r)
{
    const size_t len = get_count(r, 1);
    if (r->failed || len > r->left || memchr(r->p, 0, len)) {
        r->failed = true;
        return "";
    }
    char *text = r->strings + r->used;
    memcpy(text, r->p, len);
    text[len] = '\0';
    r->used += len + 1;
    r->p += len;
    r->left -= len;
    return text;
}

static void get_segments(struct reader *r, struct object_private *p)
{
    const size_t num = (size_t)get_below(r, MAX_SEGMENTS + 1);
    p->segments = calloc(num + 1, sizeof *p->segments);
    r->failed |= !p->segments;
    for (size_t i = 0; i < num && !r->failed; i++) {
        struct segment *s = &p->segments[i];
        s->vaddr = get_number(r);
        s->offset = get_below(r, MAX_IMAGE + 1);
        s->file_len = get_below(r, MAX_IMAGE + 1);
        s->mem_len = get_number(r);
        const uint64_t flags = get_below(r, 4);
        s->exec = flags & 1;
        s->write = flags & 2;
        r->failed |= s->file_len > s->mem_len || s->mem_len > UINT64_MAX - s->vaddr;
    }
    p->object.num_segments = num;
}

static void get_sites(struct reader *r, struct object_private *p)
{
    const size_t num = get_count(r, 3);
    uint64_t address = 0;
    p->sites = budget_take((num + 1) * sizeof *p->sites) ? calloc(num + 1, sizeof *p->sites) : NULL;
    r->failed |= !p->sites;
    for (size_t i = 0; i < num && !r->failed; i++) {
        const uint64_t step = get_number(r);
        r->failed |= step > UINT64_MAX - address;
        address += step;
        p->sites[i].address = address;
        p->sites[i].len = get_number(r);
        p->sites[i].bit = (uint8_t)get_below(r, NUM_CONSTANTS);
        r->failed |= p->sites[i].len > UINT64_MAX - address;
    }
    p->object.num_sites = num;
}

static void get_function(struct reader *r, struct function *f, uint64_t before)
{
    const uint64_t step = get_number(r);
    const uint64_t start = before + step;
    const uint64_t len = get_number(r);
    const uint8_t flags = (uint8_t)get_below(r, 256);
    r->failed |= step > UINT64_MAX - before || len > UINT64_MAX - start;
    f->start = start;
    f->end = start + len;
    f->proof = flags & PROOFS;
    f->structure = (flags & STRUCTURE) >> 4;
    f->source = (uint8_t)get_below(r, NAME_KERNEL + 1);
    if (f->source != NAME_NONE)
        f->name = get_string(r);
    if (flags & HAS_VERSION)
        f->version = get_string(r);
    if (flags & HAS_CRYPTO) {
        f->marks = get_below(r, (marks)1 << NUM_MARKS);
        f->constants = get_below(r, (constant_set)1 << NUM_CONSTANTS);
    }
}

static void get_functions(struct reader *r, struct object_private *p)
{
    const size_t num = get_count(r, 4);
    p->functions = budget_take((num + 1) * sizeof *p->functions)
                       ? calloc(num + 1, sizeof *p->functions)
                       : NULL;
    r->failed |= !p->functions;
    for (size_t i = 0; i < num && !r->failed; i++) {
        struct function *f = &p->functions[i];
        get_function(r, f, i ? f[-1].start : 0);
        r->failed |= i && f->start < f[-1].end; /* must be sorted without overlaps */
    }
    p->object.num_functions = num;
}

bool object_decode(struct object_private *p, const uint8_t *bytes, size_t len)
{
    struct object *o = &p->object;
    struct reader r = { bytes, len, NULL, 0, false };
    if (len < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return false;
    r.p += sizeof magic;
    r.left -= sizeof magic;
    r.strings = p->strings = budget_take(len) ? malloc(len) : NULL;
    if (!p->strings)
        return false;
    p->strings_len = len;
    const char *id = get_string(&r);
    r.failed |= strlen(id) >= sizeof o->build_id;
    if (!r.failed)
        strcpy(o->build_id, id);
    o->arch = (enum arch)get_below(&r, NUM_ARCHES);
    const uint64_t flags = get_below(&r, 16);
    o->big_endian = flags & 1;
    o->is_go = flags & 2;
    o->is_static = flags & 4;
    o->is_stripped = flags & 8;
    get_segments(&r, p);
    if (!r.failed)
        get_sites(&r, p);
    if (!r.failed)
        get_functions(&r, p);
    return !r.failed && r.left == 0;
}

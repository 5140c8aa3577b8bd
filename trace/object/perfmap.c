/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses perf maps: lines "START SIZE NAME" with hexadecimal numbers, as Linux's perf reads them.
 */
#include "perfmap.h"
#include "../budget.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ENTRIES = 1 << 20 };

/* ---- lines ---- */

static const char *take_hex(const char *p, uint64_t *value)
{
    int digits = 0;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        p += 2;
    for (*value = 0;; p++, digits++) {
        const char c = *p;
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0 || digits == 16)
            break;
        *value = *value << 4 | (uint64_t)digit;
    }
    return digits && *p == ' ' ? p + 1 : NULL;
}

static bool take_line(struct perfmap_entry *out, const char *line)
{
    uint64_t len;
    const char *p = take_hex(line, &out->start);
    p = p ? take_hex(p, &len) : NULL;
    if (!p || !len || len > UINT64_MAX - out->start)
        return false;
    out->end = out->start + len;
    out->name = p;
    return true;
}

/* Splits the text into lines. Returns the entries in the order of the file. */
static struct perfmap_entry *take_lines(char *text, size_t len, size_t *num)
{
    struct perfmap_entry *at = NULL;
    size_t max = 0;
    *num = 0;
    for (char *line = text, *end = text + len;
         line < end && *num < MAX_ENTRIES && !budget_over();) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        *stop = '\0';
        struct perfmap_entry entry;
        if (take_line(&entry, line)) {
            if (*num == max) {
                max = max ? 2 * max : 256;
                struct perfmap_entry *more = realloc(at, max * sizeof *at);
                if (!more) {
                    free(at);
                    return NULL;
                }
                at = more;
            }
            at[(*num)++] = entry;
        }
        line = stop + 1;
    }
    return at ? at : calloc(1, sizeof *at);
}

/* ---- entries that overlap ---- */

struct line {
    struct perfmap_entry entry;
    size_t number; /* line number in the file: the larger one takes precedence */
};

static int by_start(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->entry.start != y->entry.start)
        return x->entry.start < y->entry.start ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* A heap of the lines that are open at the sweep's current address, with the latest line on top. */
struct heap {
    const struct line **at;
    size_t num;
};

static void swap(struct heap *h, size_t a, size_t b)
{
    const struct line *t = h->at[a];
    h->at[a] = h->at[b];
    h->at[b] = t;
}

static void push(struct heap *h, const struct line *line)
{
    size_t i = h->num++;
    for (h->at[i] = line; i && h->at[(i - 1) / 2]->number < h->at[i]->number; i = (i - 1) / 2)
        swap(h, i, (i - 1) / 2);
}

static void pop(struct heap *h)
{
    h->at[0] = h->at[--h->num];
    for (size_t i = 0;;) {
        size_t most = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < h->num; child++)
            if (h->at[child]->number > h->at[most]->number)
                most = child;
        if (most == i)
            return;
        swap(h, i, most);
        i = most;
    }
}

/* Resolves overlaps by a sweep over the starts: between two of them, the latest open line owns
 * the addresses. Each line's start and end cut at most once, so there are less than twice as
 * many pieces as lines. */
static size_t sweep(struct perfmap_entry *out, const struct line *lines, size_t num, struct heap *h)
{
    size_t pieces = 0;
    uint64_t at = 0;
    for (size_t next = 0; (next < num || h->num) && !budget_over();) {
        while (h->num && h->at[0]->entry.end <= at)
            pop(h);
        if (!h->num && next == num)
            break;
        if (!h->num)
            at = lines[next].entry.start;
        while (next < num && lines[next].entry.start == at)
            push(h, &lines[next++]);
        const struct perfmap_entry *top = &h->at[0]->entry;
        uint64_t end = top->end;
        if (next < num && lines[next].entry.start < end)
            end = lines[next].entry.start;
        if (pieces && out[pieces - 1].end == at && out[pieces - 1].name == top->name)
            out[pieces - 1].end = end;
        else
            out[pieces++] = (struct perfmap_entry){ at, end, top->name };
        at = end;
    }
    return pieces;
}

/* The bytes that parsing takes at most. */
static size_t need(const char *text, size_t len)
{
    const size_t entry = sizeof(struct perfmap_entry);
    size_t lines = 1;
    for (const char *p = text, *end = text + len;
         p < end && lines < MAX_ENTRIES && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        lines++;
    return len + lines * (4 * entry + sizeof(struct line) + sizeof(struct line *));
}

int perfmap_parse(struct perfmap *map, const char *text, size_t len)
{
    size_t num = 0;
    const size_t before = budget_taken();
    *map = (struct perfmap){ .text = budget_take(need(text, len)) ? malloc(len + 1) : NULL };
    if (!map->text) {
        budget_settle(before, 0);
        return -1;
    }
    if (len)
        memcpy(map->text, text, len);
    map->text[len] = '\0';
    struct perfmap_entry *entries = take_lines(map->text, len, &num);
    struct line *lines = calloc(num + 1, sizeof *lines);
    struct heap heap = { .at = calloc(num + 1, sizeof(struct line *)) };
    map->at = calloc(2 * num + 1, sizeof *map->at);
    const bool ok = entries && lines && heap.at && map->at;
    for (size_t i = 0; ok && i < num; i++)
        lines[i] = (struct line){ entries[i], i };
    if (ok) {
        qsort(lines, num, sizeof *lines, by_start);
        map->num = sweep(map->at, lines, num, &heap);
        struct perfmap_entry *fit = realloc(map->at, (map->num + 1) * sizeof *fit);
        map->at = fit ? fit : map->at;
        map->bytes = len + map->num * sizeof *map->at;
    }
    free(entries);
    free(lines);
    free((void *)heap.at);
    budget_settle(before, ok ? map->bytes : 0);
    if (ok)
        return 0;
    perfmap_free(map);
    return -1;
}

const struct perfmap_entry *perfmap_find(const struct perfmap *map, uint64_t address)
{
    size_t low = 0, high = map->num;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (map->at[mid].end <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low < map->num && map->at[low].start <= address ? &map->at[low] : NULL;
}

void perfmap_free(struct perfmap *map)
{
    budget_give(map->bytes);
    free(map->at);
    free(map->text);
    *map = (struct perfmap){ 0 };
}

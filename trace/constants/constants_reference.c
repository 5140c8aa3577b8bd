/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds places in code that may refer to tables. A bitmap with one bit for each 64 bytes between
 * the first table and the last one rules out nearly every place.
 */
#include "../budget.h"
#include "constants_private.h"
#include <stdlib.h>
#include <string.h>

/* SLACK: an immediate operand of up to 4 bytes may follow the displacement. */
enum { SLACK = 4, GRAIN = 6, MOST_GRAINS = 1 << 26, BLOCK = 4096 };

struct grains {
    const struct constant_site *sites;
    size_t num;
    uint64_t low, span; /* span 0: there is nothing to find */
    uint64_t *bits;
    uint64_t longest;
};

static void mark(struct grains *g, uint64_t first, uint64_t last)
{
    for (uint64_t i = first >> GRAIN; i <= last >> GRAIN; i++)
        g->bits[i / 64] |= (uint64_t)1 << i % 64;
}

static bool make(struct grains *g, const struct constant_site *sites, size_t num)
{
    uint64_t low = UINT64_MAX, high = 0;
    *g = (struct grains){ .sites = sites, .num = num };
    for (size_t i = 0; i < num; i++) {
        const uint64_t start = sites[i].address, end = start + sites[i].len;
        if (start < SLACK || end < start)
            continue;
        low = start - SLACK < low ? start - SLACK : low;
        high = end > high ? end : high;
        g->longest = sites[i].len > g->longest ? sites[i].len : g->longest;
    }
    if (low >= high || (high - low) >> GRAIN >= MOST_GRAINS)
        return false;
    g->bits = calloc(((high - low) >> GRAIN) / 64 + 1, sizeof *g->bits);
    if (!g->bits)
        return false;
    g->low = low;
    g->span = high - low;
    for (size_t i = 0; i < num && !budget_over(); i++) {
        const uint64_t start = sites[i].address, end = start + sites[i].len;
        if (start >= SLACK && end > start)
            mark(g, start - SLACK - low, end - 1 - low);
    }
    return true;
}

static bool may_hit(const struct grains *g, uint64_t to)
{
    const uint64_t i = (to - g->low) >> GRAIN;
    return to - g->low < g->span && g->bits[i / 64] >> i % 64 & 1;
}

/* The site that contains the address `to`, or a byte at most SLACK behind it. Sites are sorted by
 * address and may overlap, so a few before the last candidate are tried too. */
static const struct constant_site *site_of(const struct grains *g, uint64_t to)
{
    enum { OVERLAPPING = 4 };
    size_t low = 0, high = g->num;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (g->sites[mid].address <= to + SLACK)
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t i = low; i > 0 && low - i < OVERLAPPING; i--) {
        const struct constant_site *s = &g->sites[i - 1];
        if (to + SLACK - s->address < s->len + SLACK)
            return s;
    }
    return NULL;
}

static void try(const struct grains *g, uint64_t at, uint64_t to, constants_reference_fn *fn,
                void *ctx)
{
    const struct constant_site *site = may_hit(g, to) ? site_of(g, to) : NULL;
    if (site)
        fn(ctx, at, site);
}

/* Looks at the words that begin at each of `num` places. */
static void look_at(const struct grains *g, const uint8_t *bytes, size_t num, uint64_t address,
                    constants_reference_fn *fn, void *ctx)
{
    const bool low_addresses = g->low <= UINT32_MAX;
    for (size_t i = 0; i < num; i++) {
        const uint64_t at = address + i;
        const uint32_t word = (uint32_t)bytes[i] | (uint32_t)bytes[i + 1] << 8 |
                              (uint32_t)bytes[i + 2] << 16 | (uint32_t)bytes[i + 3] << 24;
        const uint64_t to = at + 4 + (uint64_t)(int64_t)(int32_t)word;
        if (to - g->low < g->span)
            try(g, at, to, fn, ctx);
        if (low_addresses && word - g->low < g->span)
            try(g, at, word, fn, ctx);
    }
}

void constants_references(const struct constant_site *sites, size_t num_sites, const uint8_t *bytes,
                          size_t len, uint64_t address, constants_reference_fn *fn, void *ctx)
{
    struct grains g;
    if (len < 4 || !make(&g, sites, num_sites))
        return;
    const size_t places = len - 3;
    for (size_t i = 0; i < places && !budget_over(); i += BLOCK)
        look_at(&g, bytes + i, places - i < BLOCK ? places - i : BLOCK, address + i, fn, ctx);
    free(g.bits);
}

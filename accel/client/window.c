/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates the memory of a window in units of a cache line.  It takes the first run of free units
 * that is long enough, so that memory in the caches is used again first.  Memory comes back in any
 * order. */
#include "internal.h"
#include <stdlib.h>

enum { UNIT = 64 };

static uint32_t units(size_t len)
{
    return (uint32_t)((len + UNIT - 1) / UNIT);
}

int window_open(struct window *w, uint8_t *base, size_t len)
{
    w->base = base;
    w->num_units = (uint32_t)(len / UNIT);
    w->low = w->dirty = 0;
    w->used = calloc((w->num_units + 63) / 64, sizeof *w->used);
    return w->used ? 0 : HR_ESYSTEM;
}

void window_close(struct window *w)
{
    free(w->used);
    w->used = NULL;
    w->base = NULL;
    w->num_units = 0;
}

size_t window_len(const struct window *w)
{
    return (size_t)w->num_units * UNIT;
}

/* next_unit returns the first unit from `at` on, and below `end`, whose bit differs from the bits
 * of `skip`, or `end`.  `skip` is all ones to find a free unit, 0 to find a used one. */
static uint32_t next_unit(const struct window *w, uint32_t at, uint32_t end, uint64_t skip)
{
    for (uint64_t mask = ~UINT64_C(0) << at % 64; at < end; mask = ~UINT64_C(0)) {
        const uint64_t found = (w->used[at / 64] ^ skip) & mask;
        if (found) {
            at = at / 64 * 64 + (uint32_t)__builtin_ctzll(found);
            break;
        }
        at = at / 64 * 64 + 64;
    }
    return at < end ? at : end;
}

static uint32_t next_free(const struct window *w, uint32_t at)
{
    return next_unit(w, at, w->num_units, ~UINT64_C(0));
}

static void mark(struct window *w, uint32_t at, uint32_t num, uint64_t used)
{
    while (num) {
        const uint32_t bit = at % 64, n = num < 64 - bit ? num : 64 - bit;
        const uint64_t mask = (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << bit;
        w->used[at / 64] = (w->used[at / 64] & ~mask) | (used & mask);
        at += n;
        num -= n;
    }
}

uint32_t window_take(struct window *w, size_t len)
{
    if (!len || len > window_len(w))
        return NOWHERE;
    const uint32_t num = units(len);
    uint32_t at = w->low = next_free(w, w->low);
    while (num <= w->num_units - at) {
        const uint32_t stop = next_unit(w, at, at + num, 0);
        if (stop == at + num) {
            mark(w, at, num, ~UINT64_C(0));
            if (at == w->low)
                w->low = stop;
            if (w->dirty < stop * UNIT)
                w->dirty = stop * UNIT;
            return at * UNIT;
        }
        at = next_free(w, stop);
    }
    return NOWHERE;
}

void window_give(struct window *w, uint32_t at, size_t len)
{
    at /= UNIT;
    mark(w, at, units(len), 0);
    if (at < w->low)
        w->low = at;
}

uint32_t window_offset(const struct window *w, const void *bytes, size_t len)
{
    const uintptr_t at = (uintptr_t)bytes - (uintptr_t)w->base;
    return at < window_len(w) && len <= window_len(w) - at ? (uint32_t)at : NOWHERE;
}

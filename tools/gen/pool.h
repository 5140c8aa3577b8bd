/* SPDX-License-Identifier: Apache-2.0 */
/* The signals that a new gate may read, as the searches of one gate want them. */
#pragma once
#include "netlist.h"

/* A wanted function: `value` where `care` has ones, and anything where it has none. */
struct want {
    uint64_t value, care;
};

enum { LANES = 8 };
typedef uint64_t lanes __attribute__((vector_size(8 * LANES), may_alias));

/* In random order. Behind the last value stand copies of the first, up to a whole vector. */
struct pool {
    int num;
    uint8_t id[MAX_SIGNALS];
    uint64_t value[MAX_SIGNALS + LANES] __attribute__((aligned(8 * LANES)));
    uint64_t column[64]; /* bit i of column[x] is bit x of value[i], for the first 64 values */
};

/* All signals of `list` but those that are marked in `skip`. */
void pool_fill(struct pool *pool, const struct netlist *list, const uint8_t *skip);
void pool_add(struct pool *pool, int id, uint64_t value);
/* Takes away what was added since there were `num`. */
void pool_cut(struct pool *pool, int num);
/* A signal that is what is wanted, or -1. */
int pool_same(const struct pool *pool, struct want want);

/* One bit a lane: which are zero. */
#ifdef __AVX512F__
#include <immintrin.h>
static inline unsigned zero_lanes(const lanes *value)
{
    return _mm512_testn_epi64_mask((__m512i)*value, (__m512i)*value);
}
#else
static inline unsigned zero_lanes(const lanes *value)
{
    unsigned zero = 0;
    for (int i = 0; i < LANES; i++)
        zero |= (unsigned)((*value)[i] == 0) << i;
    return zero;
}
#endif

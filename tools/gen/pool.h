/* SPDX-License-Identifier: Apache-2.0 */
/* The signals that a new gate may read, in the form in which the searches for one gate use them. */
#pragma once
#include "netlist.h"

/* A wanted function: `value` at the inputs where `care` has ones, and anything at the others. */
struct want {
    uint64_t value, care;
};

enum { LANES = 8 };
typedef uint64_t lanes __attribute__((vector_size(8 * LANES), may_alias));

/* The values are in random order. Behind the last one, copies of the first fill a whole vector. */
struct pool {
    int num;
    uint8_t id[MAX_SIGNALS];
    uint64_t value[MAX_SIGNALS + LANES] __attribute__((aligned(8 * LANES)));
    uint64_t column[64]; /* bit i of column[x] is bit x of value[i], for the first 64 values */
};

/* Adds all signals of `list` that are not marked in `skip`. */
void pool_fill(struct pool *pool, const struct netlist *list, const uint8_t *skip);
void pool_add(struct pool *pool, int id, uint64_t value);
/* Removes the signals that were added after there were `num`. */
void pool_cut(struct pool *pool, int num);
/* Finds a signal that is the wanted function, or returns -1. */
int pool_same(const struct pool *pool, struct want want);

/* Which lanes are zero, as one bit for each lane. */
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include "random.h"

#include <string.h>

static void pad(struct pool *pool)
{
    for (int i = 0; i < LANES; i++)
        pool->value[pool->num + i] = pool->value[0];
}

/* Transposes 64 x 64 bits: swaps squares of 32, 16 ... 1 bits. */
static void transpose(uint64_t *m)
{
    uint64_t mask = 0xffffffff;
    for (int size = 32; size; size >>= 1, mask ^= mask << size)
        for (int k = 0; k < 64; k = (k + size + 1) & ~size) {
            const uint64_t differ = (m[k] >> size ^ m[k + size]) & mask;
            m[k + size] ^= differ;
            m[k] ^= differ << size;
        }
}

void pool_fill(struct pool *pool, const struct netlist *list, const uint8_t *skip)
{
    pool->num = 0;
    for (int i = 0; i < list->num_signals; i++) {
        if (skip[i])
            continue;
        const int at = random_below(pool->num + 1);
        pool->id[pool->num] = pool->id[at];
        pool->value[pool->num] = pool->value[at];
        pool->id[at] = (uint8_t)i;
        pool->value[at] = list->value[i];
        pool->num++;
    }
    pad(pool);
    memset(pool->column, 0, sizeof pool->column);
    memcpy(pool->column, pool->value, 8 * (size_t)(pool->num < 64 ? pool->num : 64));
    transpose(pool->column);
}

void pool_add(struct pool *pool, int id, uint64_t value)
{
    pool->id[pool->num] = (uint8_t)id;
    pool->value[pool->num] = value;
    for (int x = 0; pool->num < 64 && x < 64; x++)
        pool->column[x] |= (value >> x & 1) << pool->num;
    pool->num++;
    pad(pool);
}

void pool_cut(struct pool *pool, int num)
{
    pool->num = num;
    for (int x = 0; num < 64 && x < 64; x++)
        pool->column[x] &= ((uint64_t)1 << num) - 1;
    pad(pool);
}

int pool_same(const struct pool *pool, struct want want)
{
    for (int i = 0; i < pool->num; i++)
        if (((pool->value[i] ^ want.value) & want.care) == 0)
            return pool->id[i];
    return -1;
}

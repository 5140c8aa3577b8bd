/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute_index.h"
#include "../budget.h"
#include <stdlib.h>
#include <string.h>

/* The hash function. Keys are addresses that traced processes choose; the multipliers are odd
 * and mix the high bits down (Knuth, TAOCP 3, 6.4). A crowded table costs nothing but the
 * tracer's time. */
static size_t hash(const struct index_key *k)
{
    uint64_t h = k->a * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 32) ^ k->b) * 0xd6e8feb86659fd93u;
    h = (h ^ (h >> 32) ^ k->c) * 0x9e3779b97f4a7c15u;
    return (size_t)(h ^ (h >> 29));
}

static bool same(const struct index_key *x, const struct index_key *y)
{
    return x->a == y->a && x->b == y->b && x->c == y->c;
}

/* The slot that has the key, or the empty slot where it belongs. */
static struct index_slot *slot_of(const struct index *index, const struct index_key *key)
{
    size_t i = hash(key) & (index->size - 1);
    while (index->slots[i].value != (uint32_t)NO_VALUE && !same(&index->slots[i].key, key))
        i = (i + 1) & (index->size - 1);
    return &index->slots[i];
}

uint32_t index_get(const struct index *index, struct index_key key)
{
    return index->size ? slot_of(index, &key)->value : (uint32_t)NO_VALUE;
}

static bool grow(struct index *index)
{
    struct index larger = { .size = index->size ? index->size * 2 : 64, .num = index->num };
    larger.slots = budget_take(larger.size * sizeof *larger.slots)
                       ? malloc(larger.size * sizeof *larger.slots)
                       : NULL;
    if (!larger.slots)
        return false;
    memset(larger.slots, 0xff, larger.size * sizeof *larger.slots);
    for (size_t i = 0; i < index->size; i++)
        if (index->slots[i].value != (uint32_t)NO_VALUE)
            *slot_of(&larger, &index->slots[i].key) = index->slots[i];
    budget_give(index->size * sizeof *index->slots);
    free(index->slots);
    *index = larger;
    return true;
}

bool index_put(struct index *index, struct index_key key, uint32_t value)
{
    if (index->num * 3 >= index->size * 2 && !grow(index))
        return false;
    struct index_slot *slot = slot_of(index, &key);
    index->num += slot->value == (uint32_t)NO_VALUE;
    *slot = (struct index_slot){ key, value };
    return true;
}

void index_clear(struct index *index)
{
    index->num = 0;
    if (index->size)
        memset(index->slots, 0xff, index->size * sizeof *index->slots);
}

void index_free(struct index *index)
{
    budget_give(index->size * sizeof *index->slots);
    free(index->slots);
    *index = (struct index){ .slots = NULL };
}

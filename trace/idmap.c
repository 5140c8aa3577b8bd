/* SPDX-License-Identifier: Apache-2.0
 *
 * Open addressing. A removed key keeps its slot until the table grows.
 */
#include "idmap.h"
#include <stdlib.h>

/* The slot of this key, or the free slot where it belongs; there always is one. */
static struct idmap_slot *slot_of(const struct idmap *m, uint64_t key)
{
    size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (m->room - 1);
    while (m->slots[i].key && m->slots[i].key != key)
        i = (i + 1) & (m->room - 1);
    return &m->slots[i];
}

uint64_t idmap_get(const struct idmap *m, uint64_t key)
{
    return m->room ? slot_of(m, key)->value : 0;
}

static int grow(struct idmap *m)
{
    size_t live = 0;
    for (size_t i = 0; i < m->room; i++)
        live += m->slots[i].value != 0;
    struct idmap bigger = { .room = 16 };
    while (bigger.room < 4 * (live + 1))
        bigger.room *= 2;
    bigger.slots = calloc(bigger.room, sizeof *bigger.slots);
    if (!bigger.slots)
        return -1;
    for (size_t i = 0; i < m->room; i++)
        if (m->slots[i].value)
            *slot_of(&bigger, m->slots[i].key) = m->slots[i];
    bigger.used = live;
    free(m->slots);
    *m = bigger;
    return 0;
}

int idmap_set(struct idmap *m, uint64_t key, uint64_t value)
{
    if (2 * (m->used + 1) > m->room && grow(m))
        return -1;
    struct idmap_slot *slot = slot_of(m, key);
    m->used += !slot->key;
    *slot = (struct idmap_slot){ key, value };
    return 0;
}

void idmap_free(struct idmap *m)
{
    free(m->slots);
    *m = (struct idmap){ 0 };
}

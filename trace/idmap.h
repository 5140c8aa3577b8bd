/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table from number to number: for ids of events, threads and processes, none of which is 0.
 */
#ifndef TRACE_IDMAP_H
#define TRACE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct idmap {
    struct idmap_slot {
        uint64_t key; /* 0: the slot is free */
        uint64_t value;
    } * slots;
    size_t room, used; /* room is 0 or a power of two */
};

/* Returns 0 where the table does not have the key. */
uint64_t idmap_get(const struct idmap *, uint64_t key);
/* Sets the value of a key; value 0 removes the key. Returns 0, or -1 without memory. */
int idmap_set(struct idmap *, uint64_t key, uint64_t value);
void idmap_free(struct idmap *);

#endif

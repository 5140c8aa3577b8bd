/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers by number: ids of events, threads and processes, none of which is 0.
 */
#ifndef TRACE_IDMAP_H
#define TRACE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct idmap {
    struct idmap_slot {
        uint64_t key; /* 0: free */
        uint64_t value;
    } * slots;
    size_t room, used; /* room is 0 or a power of two */
};

/* 0: not there. */
uint64_t idmap_get(const struct idmap *, uint64_t key);
/* value 0 takes it out.  0, or -1: no memory. */
int idmap_set(struct idmap *, uint64_t key, uint64_t value);
void idmap_free(struct idmap *);

#endif

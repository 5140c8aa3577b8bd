/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table with open addressing that maps a key of three words to a number. Single entries
 * cannot be removed.
 */
#ifndef TRACE_ATTRIBUTE_INDEX_H
#define TRACE_ATTRIBUTE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct index_key {
    uint64_t a, b, c;
};
struct index {
    struct index_slot {
        struct index_key key;
        uint32_t value; /* NO_VALUE: the slot is empty */
    } * slots;
    size_t num, size; /* size is 0 or a power of two */
};
enum { NO_VALUE = UINT32_MAX };

/* Returns NO_VALUE where the table does not have the key. */
uint32_t index_get(const struct index *, struct index_key);
/* Adds a key or replaces its value. Returns false without memory. */
bool index_put(struct index *, struct index_key, uint32_t value);
void index_clear(struct index *);
void index_free(struct index *);

#endif

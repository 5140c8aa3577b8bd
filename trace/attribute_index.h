/* SPDX-License-Identifier: Apache-2.0
 *
 * From a key of three words to a number: a hash table with open addressing, that only grows.
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
        uint32_t value; /* NO_VALUE: empty */
    } * slots;
    size_t num, size; /* size is 0 or a power of two */
};
enum { NO_VALUE = UINT32_MAX };

/* NO_VALUE where it is not there. */
uint32_t index_get(const struct index *, struct index_key);
/* Replaces the value of a key.  false: no memory. */
bool index_put(struct index *, struct index_key, uint32_t value);
void index_clear(struct index *);
void index_free(struct index *);

#endif

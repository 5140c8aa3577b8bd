/* SPDX-License-Identifier: Apache-2.0 */
/* The keys that a client's requests brought last, expanded.  The client's hint says where to look;
 * the bytes say whether it is the same key. */
#ifndef HR_KEYCACHE_H
#define HR_KEYCACHE_H

#include "anykey.h"
#include <stdint.h>

enum { KEYCACHE_PLACES = 8 };

struct keycache_place {
    union any_key key;
    uint8_t bytes[256];
    uint16_t alg, bytes_len; /* alg 0: empty */
    uint32_t users;          /* jobs on their way: the key stays */
};

/* To be in memory of secrets.h, zero at first. */
struct keycache {
    struct keycache_place places[KEYCACHE_PLACES];
};

/* The place where this key is now, expanded, which users hold; NULL: the place is taken by another
 * key that is in use, or the bytes are no key of this row, and the job says so itself. */
struct keycache_place *keycache_find(struct keycache *cache, uint8_t slot, hr_alg alg,
                                     const uint8_t *bytes, size_t bytes_len);

#endif

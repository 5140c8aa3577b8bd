/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of the expanded keys of a client's last requests.  The client's hint says where to look;
 * the bytes decide whether it is the same key. */
#ifndef HR_KEYCACHE_H
#define HR_KEYCACHE_H

#include <headrace/classes.h>
#include <stdint.h>

enum { KEYCACHE_PLACES = 8 };

struct keycache_place {
    union hr_any_key key;
    uint8_t bytes[256];
    uint16_t alg, bytes_len; /* alg 0: empty */
    _Atomic uint32_t users;  /* jobs that use the key: it stays */
};

/* A cache lies in memory of secrets.h and begins as zeros. */
struct keycache {
    struct keycache_place places[KEYCACHE_PLACES];
};

/* keycache_find returns the place of the expanded key; a caller that uses the key later counts
 * itself in `users`.  It returns NULL if the place has another key that is in use, or if the bytes
 * are no key of this row; then the job runs with the bytes. */
struct keycache_place *keycache_find(struct keycache *cache, uint8_t slot, hr_alg alg,
                                     const uint8_t *bytes, size_t bytes_len);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "keycache.h"
#include <string.h>

/* In time that depends on the length only. */
static int same(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint64_t differ = 0, x, y;
    for (; len >= 8; len -= 8, a += 8, b += 8) {
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        differ |= x ^ y;
    }
    for (size_t i = 0; i < len; i++)
        differ |= a[i] ^ b[i];
    return !differ;
}

static void forget(struct keycache_place *p)
{
    explicit_bzero(p, sizeof *p);
}

struct keycache_place *keycache_find(struct keycache *cache, uint8_t slot, hr_alg alg,
                                     const uint8_t *bytes, size_t bytes_len)
{
    struct keycache_place *p = &cache->places[slot % KEYCACHE_PLACES];
    if (p->alg == alg && p->bytes_len == bytes_len && same(p->bytes, bytes, bytes_len))
        return p;
    if (p->users || bytes_len > sizeof p->bytes)
        return NULL;
    forget(p);
    if (any_key_init(&p->key, alg, bytes, bytes_len)) {
        forget(p);
        return NULL;
    }
    memcpy(p->bytes, bytes, bytes_len);
    p->bytes_len = (uint16_t)bytes_len;
    p->alg = (uint16_t)alg;
    return p;
}

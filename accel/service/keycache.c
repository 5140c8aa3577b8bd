/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "keycache.h"
#include "../ring.h"
#include <string.h>

static uint64_t load(const uint8_t *x)
{
    uint64_t word;
    memcpy(&word, x, sizeof word);
    return word;
}

/* same takes a time that depends on the length only. */
static int same(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint64_t differ = 0;
    for (; len >= 16; len -= 16, a += 16, b += 16)
        differ |= (load(a) ^ load(b)) | (load(a + 8) ^ load(b + 8));
    for (size_t i = 0; UNLIKELY(i < len); i++)
        differ |= a[i] ^ b[i];
    return !differ;
}

static void forget(struct keycache_place *p)
{
    explicit_bzero(p, sizeof *p);
}

APART static struct keycache_place *replace(struct keycache_place *p, hr_alg alg,
                                            const uint8_t *bytes, size_t bytes_len)
{
    if (p->users || bytes_len > sizeof p->bytes)
        return NULL;
    forget(p);
    if (hr_any_key_init(&p->key, alg, bytes, bytes_len)) {
        forget(p);
        return NULL;
    }
    if (bytes_len) /* a key of HMAC may be empty, and NULL */
        memcpy(p->bytes, bytes, bytes_len);
    p->bytes_len = (uint16_t)bytes_len;
    p->alg = (uint16_t)alg;
    return p;
}

struct keycache_place *keycache_find(struct keycache *cache, uint8_t slot, hr_alg alg,
                                     const uint8_t *bytes, size_t bytes_len)
{
    struct keycache_place *p = &cache->places[slot % KEYCACHE_PLACES];
    if (LIKELY(p->alg == alg && p->bytes_len == bytes_len && same(p->bytes, bytes, bytes_len)))
        return p;
    return replace(p, alg, bytes, bytes_len);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The library's RSA key, made of what the other provider exports.  A key without all parts of the
 * CRT, with three primes, too short, or whose parts do not fit, is not the library's. */
#include "rsa.h"
#include <headrace/algorithms.h>
#include <stdlib.h>

enum { PRIME = 264 };

/* struct numbers is a key's parts, big-endian, each with all bytes of its array. */
struct numbers {
    uint8_t n[RSA_MOST_PUBLIC_BYTES], e[RSA_MOST_BYTES];
    uint8_t d[RSA_MOST_BYTES], p[PRIME], q[PRIME], dp[PRIME], dq[PRIME], qinv[PRIME];
};

/* ---- rows ---- */

static const struct {
    uint16_t bits;
    uint8_t row;
} sizes[NUM_RSA_ROWS] = {
    { 1024, INDEX_rsa1024 },
    { 2048, INDEX_rsa2048 },
    { 3072, INDEX_rsa3072 },
    { UINT16_MAX, INDEX_rsa4096 },
};

/* A size is served if its row is in the win map.  If none is, a program has asked for this provider
 * in spite of the map, and gets all. */
static void *find_served(const struct provider *provider)
{
    const char *wins = pkey_win_list(provider);
    uint8_t *served = malloc(NUM_RSA_ROWS), any = 0;
    for (size_t i = 0; served && i < NUM_RSA_ROWS; i++)
        any |= served[i] = (uint8_t)win_of_provider(hr_algorithm_at(sizes[i].row)->symbol, wins);
    if (served && !any)
        memset(served, 1, NUM_RSA_ROWS);
    return served;
}

/* is_served tells whether keys of this size are served, and sets their row. */
static int is_served(struct rsa_ready *ready, const struct provider *provider)
{
    const uint8_t *served = part_of(provider, PART_RSA_SIZES, find_served);
    size_t i = 0;
    while (i < NUM_RSA_ROWS - 1 && ready->bits > sizes[i].bits)
        i++;
    ready->row = sizes[i].row;
    return served && served[i];
}

/* ---- parts ---- */

static int take(const OSSL_PARAM params[], const char *key, uint8_t *out, size_t out_len)
{
    const OSSL_PARAM *p = param_find(params, key);
    return p && pkey_get_number(p, out, out_len);
}

static int take_public(const OSSL_PARAM params[], void *arg)
{
    struct numbers *at = arg;
    return take(params, OSSL_PKEY_PARAM_RSA_N, at->n, sizeof at->n) &&
           take(params, OSSL_PKEY_PARAM_RSA_E, at->e, sizeof at->e);
}

static int take_private(const OSSL_PARAM params[], void *arg)
{
    struct numbers *at = arg;
    return take_public(params, at) && !param_find(params, OSSL_PKEY_PARAM_RSA_FACTOR3) &&
           take(params, OSSL_PKEY_PARAM_RSA_D, at->d, sizeof at->d) &&
           take(params, OSSL_PKEY_PARAM_RSA_FACTOR1, at->p, sizeof at->p) &&
           take(params, OSSL_PKEY_PARAM_RSA_FACTOR2, at->q, sizeof at->q) &&
           take(params, OSSL_PKEY_PARAM_RSA_EXPONENT1, at->dp, sizeof at->dp) &&
           take(params, OSSL_PKEY_PARAM_RSA_EXPONENT2, at->dq, sizeof at->dq) &&
           take(params, OSSL_PKEY_PARAM_RSA_COEFFICIENT1, at->qinv, sizeof at->qinv);
}

static int make(struct rsa_ready *ready, const struct numbers *at, int is_private)
{
    const struct hr_rsa_parts parts = {
        .n = { at->n, sizeof at->n },
        .e = { at->e, sizeof at->e },
        .d = { at->d, sizeof at->d },
        .p = { at->p, sizeof at->p },
        .q = { at->q, sizeof at->q },
        .dp = { at->dp, sizeof at->dp },
        .dq = { at->dq, sizeof at->dq },
        .qinv = { at->qinv, sizeof at->qinv },
    };
    return is_private ? hr_rsa_key_init(&ready->key, &parts)
                      : hr_rsa_key_init_public(&ready->key, &parts);
}

static unsigned bits_of(const uint8_t *number, size_t len)
{
    while (len && !*number)
        number++, len--;
    unsigned bits = (unsigned)len * 8;
    for (unsigned top = 0x80; len && !(*number & top); top >>= 1)
        bits--;
    return bits;
}

static void *ready_of(const struct rsa_key *key, int is_private)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(key->head.provider);
    struct rsa_ready *ready = pkey_aligned(sizeof *ready);
    struct numbers *at = calloc(1, sizeof *at);
    if (ready && at) {
        memset(ready, 0, sizeof *ready);
        const int whole =
            is_private ? ssl->EVP_PKEY_export(key->other, EVP_PKEY_KEYPAIR, take_private, at)
                       : ssl->EVP_PKEY_export(key->other, EVP_PKEY_PUBLIC_KEY, take_public, at);
        ready->bits = bits_of(at->n, sizeof at->n);
        ready->is_usable =
            whole > 0 && is_served(ready, key->head.provider) && !make(ready, at, is_private);
    }
    if (at)
        wipe_bytes(at, sizeof *at);
    free(at);
    return ready;
}

/* ---- the library's keys ---- */

void rsa_ready_drop(void *ready)
{
    if (ready)
        wipe_bytes(ready, sizeof(struct rsa_ready));
    free(ready);
}

static const struct rsa_ready *usable(const struct rsa_ready *ready)
{
    return ready && ready->is_usable ? ready : NULL;
}

const struct rsa_ready *rsa_ready_private(struct rsa_key *key)
{
    void *there = atomic_load_explicit(&key->private, memory_order_acquire);
    if (UNLIKELY(!there) && key->head.has_private)
        there = pkey_keep(&key->private, ready_of(key, 1), rsa_ready_drop);
    return usable(there);
}

/* rsa_ready_public prefers a private key that is there already: it has all that a public one has.
 */
const struct rsa_ready *rsa_ready_public(struct rsa_key *key)
{
    const struct rsa_ready *private =
        usable(atomic_load_explicit(&key->private, memory_order_acquire));
    void *there = atomic_load_explicit(&key->public, memory_order_acquire);
    if (private)
        return private;
    if (UNLIKELY(!there) && key->other)
        there = pkey_keep(&key->public, ready_of(key, 0), rsa_ready_drop);
    return usable(there);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The library's RSA key, made of what the other provider exports.  A key without all parts of the
 * CRT, with three primes, too short, or whose parts do not fit, is not the library's. */
#include "rsa.h"
#include <stdlib.h>

enum { PRIME = 264 };

/* struct numbers is a key's parts, big-endian, each with all bytes of its array. */
struct numbers {
    uint8_t n[RSA_MOST_PUBLIC_BYTES], e[RSA_MOST_BYTES];
    uint8_t d[RSA_MOST_BYTES], p[PRIME], q[PRIME], dp[PRIME], dq[PRIME], qinv[PRIME];
};

/* ---- parts ---- */

static int take_public(const OSSL_PARAM params[], void *arg)
{
    struct numbers *at = arg;
    return shadow_take(params, OSSL_PKEY_PARAM_RSA_N, at->n, sizeof at->n) &&
           shadow_take(params, OSSL_PKEY_PARAM_RSA_E, at->e, sizeof at->e);
}

static int take_private(const OSSL_PARAM params[], void *arg)
{
    struct numbers *at = arg;
    return take_public(params, at) && !param_find(params, OSSL_PKEY_PARAM_RSA_FACTOR3) &&
           shadow_take(params, OSSL_PKEY_PARAM_RSA_D, at->d, sizeof at->d) &&
           shadow_take(params, OSSL_PKEY_PARAM_RSA_FACTOR1, at->p, sizeof at->p) &&
           shadow_take(params, OSSL_PKEY_PARAM_RSA_FACTOR2, at->q, sizeof at->q) &&
           shadow_take(params, OSSL_PKEY_PARAM_RSA_EXPONENT1, at->dp, sizeof at->dp) &&
           shadow_take(params, OSSL_PKEY_PARAM_RSA_EXPONENT2, at->dq, sizeof at->dq) &&
           shadow_take(params, OSSL_PKEY_PARAM_RSA_COEFFICIENT1, at->qinv, sizeof at->qinv);
}

static struct hr_rsa_parts parts_of(const struct numbers *at)
{
    return (struct hr_rsa_parts){
        .n = { at->n, sizeof at->n },
        .e = { at->e, sizeof at->e },
        .d = { at->d, sizeof at->d },
        .p = { at->p, sizeof at->p },
        .q = { at->q, sizeof at->q },
        .dp = { at->dp, sizeof at->dp },
        .dq = { at->dq, sizeof at->dq },
        .qinv = { at->qinv, sizeof at->qinv },
    };
}

int rsa_with_parts(const struct shadow_key *key, rsa_parts_user *use, void *arg)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(key->head.provider);
    struct numbers *numbers = calloc(1, sizeof *numbers);
    int good =
        numbers && ssl->EVP_PKEY_export(key->other, EVP_PKEY_KEYPAIR, take_private, numbers) > 0;
    if (good) {
        const struct hr_rsa_parts parts = parts_of(numbers);
        good = use(&parts, arg, key);
    }
    if (numbers)
        wipe_bytes(numbers, sizeof *numbers);
    free(numbers);
    return good;
}

unsigned rsa_bits(const struct hr_number *n)
{
    const uint8_t *number = n->bytes;
    size_t len = n->len;
    while (len && !*number)
        number++, len--;
    unsigned bits = (unsigned)len * 8;
    for (unsigned top = 0x80; len && !(*number & top); top >>= 1)
        bits--;
    return bits;
}

/* is_served also notes the length of n. */
static int is_served(struct rsa_ready *ready, const struct numbers *at,
                     const struct shadow_key *key)
{
    ready->bits = rsa_bits(&(struct hr_number){ at->n, sizeof at->n });
    return shadow_is_served(&ready->head, key, at->n, sizeof at->n);
}

static int make_private(struct shadow_ready *ready, const void *numbers,
                        const struct shadow_key *key)
{
    struct rsa_ready *out = (struct rsa_ready *)ready;
    const struct hr_rsa_parts parts = parts_of(numbers);
    return is_served(out, numbers, key) && !hr_rsa_key_init(&out->key, &parts);
}

static int make_public(struct shadow_ready *ready, const void *numbers,
                       const struct shadow_key *key)
{
    struct rsa_ready *out = (struct rsa_ready *)ready;
    const struct hr_rsa_parts parts = parts_of(numbers);
    return is_served(out, numbers, key) && !hr_rsa_key_init_public(&out->key, &parts);
}

struct shadow_ready *rsa_ready(const struct shadow_key *key, int is_private)
{
    const struct shadow_recipe recipe = {
        .size = sizeof(struct rsa_ready),
        .numbers_size = sizeof(struct numbers),
        .selection = is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY,
        .take = is_private ? take_private : take_public,
        .make = is_private ? make_private : make_public,
    };
    return shadow_ready_make(key, &recipe);
}

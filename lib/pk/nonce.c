/* SPDX-License-Identifier: Apache-2.0 */
#include "nonce.h"
#include "random.h"
#include <headrace/algorithms.h>

/* V = HMAC_K(V) */
static int next_v(struct nonces *nonces)
{
    return hr_hmac(nonces->v, nonces->v, nonces->v_len, &nonces->key);
}

/* K = HMAC_K(V || number || more), V = HMAC_K(V) */
static int next_key(struct nonces *nonces, uint8_t number, const uint8_t *more, size_t more_len)
{
    uint8_t message[HR_DIGEST_MAX_OUT + 1 + 2 * NONCE_BYTES + NONCE_FRESH], key[HR_DIGEST_MAX_OUT];
    memcpy(message, nonces->v, nonces->v_len);
    message[nonces->v_len] = number;
    if (more_len)
        memcpy(message + nonces->v_len + 1, more, more_len);
    int error = hr_hmac(key, message, nonces->v_len + 1 + more_len, &nonces->key);
    if (!error)
        error = hr_hmac_key_init(&nonces->key, nonces->hmac, key, nonces->v_len);
    if (!error)
        error = next_v(nonces);
    WIPE(&message);
    WIPE(&key);
    return error;
}

hr_alg nonce_hmac(hr_alg digest, size_t bits)
{
    const struct hr_algorithm *row;
    if (!digest)
        return bits <= 256 ? HR_HMAC_SHA256 : bits <= 384 ? HR_HMAC_SHA384 : HR_HMAC_SHA512;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_MAC && row->digest == digest)
            return row->alg;
    return HR_ALG_NONE;
}

static size_t bytes_of(const struct nonces *nonces)
{
    return (nonces->order.bits + 7) / 8;
}

int nonces_start(struct nonces *nonces, hr_alg hmac, const struct nonce_order *order,
                 const uint64_t *scalar, const uint64_t *digest, const uint8_t *fresh)
{
    static const uint8_t zero[HR_DIGEST_MAX_OUT];
    uint8_t seed[2 * NONCE_BYTES + NONCE_FRESH];
    const struct hr_algorithm *const row = hr_algorithm(hmac);
    nonces->hmac = hmac;
    nonces->order = *order;
    nonces->v_len = row->out_len;
    memset(nonces->v, 1, sizeof nonces->v);
    const size_t bytes = bytes_of(nonces);
    size_t seed_len = 2 * bytes;
    bn_to_bytes(seed, bytes, scalar);
    bn_to_bytes(seed + bytes, bytes, digest);
    if (fresh) {
        memcpy(seed + seed_len, fresh, NONCE_FRESH);
        seed_len += NONCE_FRESH;
    }
    int error = hr_hmac_key_init(&nonces->key, hmac, zero, row->out_len);
    for (uint8_t number = 0; !error && number < 2; number++)
        error = next_key(nonces, number, seed, seed_len);
    WIPE(&seed);
    return error;
}

int nonces_for(struct nonces *nonces, const struct hr_sign_options *options,
               const struct nonce_order *order, const uint64_t *scalar, const uint64_t *digest)
{
    const hr_alg hmac = nonce_hmac(options->digest, order->bits);
    const int fresh = !(options->flags & HR_SIGN_DETERMINISTIC);
    uint8_t random[NONCE_FRESH];
    int error = 0;
    if (hmac == HR_ALG_NONE)
        return HR_EALG;
    if (fresh && options->random)
        memcpy(random, options->random, sizeof random);
    else if (fresh)
        error = system_random(random, sizeof random);
    if (!error)
        error = nonces_start(nonces, hmac, order, scalar, digest, fresh ? random : NULL);
    WIPE(&random);
    return error;
}

/* Writes the leftmost bits of V || next V || ... as a number. */
static int next_number(uint64_t *z, struct nonces *nonces)
{
    uint8_t text[NONCE_BYTES + HR_DIGEST_MAX_OUT];
    size_t len = 0;
    int error = 0;
    for (; !error && len < bytes_of(nonces); len += nonces->v_len) {
        error = next_v(nonces);
        memcpy(text + len, nonces->v, nonces->v_len);
    }
    bn_from_leftmost(z, nonces->order.num, text, len, nonces->order.bits);
    WIPE(&text);
    return error;
}

int nonces_next(uint64_t *k, struct nonces *nonces)
{
    const struct nonce_order *const order = &nonces->order;
    for (;;) {
        int error = next_number(k, nonces);
        uint64_t good = bn_less(k, order->n, order->num) & ~bn_is_zero(k, order->num);
        /* A number out of range is thrown away, and says nothing about the one that is used. */
        CT_PUBLIC(&good, sizeof good);
        if (error || good)
            return error;
        error = next_key(nonces, 0, NULL, 0);
        if (error)
            return error;
    }
}

int nonces_blind(uint64_t *blind, struct nonces *nonces)
{
    const int error = next_number(blind, nonces);
    bn_reduce_once(blind, 0, blind, nonces->order.n, nonces->order.num);
    return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "ecdsa_nonce.h"
#include "ec_key.h"

/* V = HMAC_K(V) */
static int next_v(struct ecdsa_nonces *nonces)
{
    return hr_hmac(nonces->v, nonces->v, nonces->v_len, &nonces->key);
}

/* K = HMAC_K(V || number || more), V = HMAC_K(V) */
static int next_key(struct ecdsa_nonces *nonces, uint8_t number, const uint8_t *more,
                    size_t more_len)
{
    uint8_t message[HR_DIGEST_MAX_OUT + 1 + 2 * EC_BYTES + ECDSA_FRESH], key[HR_DIGEST_MAX_OUT];
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

int ecdsa_nonces_start(struct ecdsa_nonces *nonces, hr_alg hmac, const uint64_t *scalar,
                       const uint64_t *digest, const uint8_t *fresh, const struct ec *ec)
{
    static const uint8_t zero[HR_DIGEST_MAX_OUT];
    const size_t bytes = ec->domain->bytes;
    uint8_t seed[2 * EC_BYTES + ECDSA_FRESH];
    const struct hr_algorithm *const row = hr_algorithm(hmac);
    size_t seed_len = 2 * bytes;
    nonces->hmac = hmac;
    nonces->v_len = row->out_len;
    memset(nonces->v, 1, sizeof nonces->v);
    bn_to_bytes(seed, bytes, scalar);
    bn_to_bytes(seed + bytes, bytes, digest);
    if (fresh) {
        memcpy(seed + seed_len, fresh, ECDSA_FRESH);
        seed_len += ECDSA_FRESH;
    }
    int error = hr_hmac_key_init(&nonces->key, hmac, zero, row->out_len);
    for (uint8_t number = 0; !error && number < 2; number++)
        error = next_key(nonces, number, seed, seed_len);
    WIPE(&seed);
    return error;
}

/* Writes the leftmost bits of V || next V || ... as a number. */
static int next_number(uint64_t *z, struct ecdsa_nonces *nonces, const struct ec *ec)
{
    uint8_t text[EC_BYTES + HR_DIGEST_MAX_OUT];
    size_t len = 0;
    int error = 0;
    for (; !error && len < ec->domain->bytes; len += nonces->v_len) {
        error = next_v(nonces);
        memcpy(text + len, nonces->v, nonces->v_len);
    }
    ec_leftmost(z, text, len, ec->domain);
    WIPE(&text);
    return error;
}

int ecdsa_nonces_next(uint64_t *k, struct ecdsa_nonces *nonces, const struct ec *ec)
{
    const struct ec_domain *const domain = ec->domain;
    for (;;) {
        int error = next_number(k, nonces, ec);
        uint64_t good = bn_less(k, domain->n, domain->num) & ~bn_is_zero(k, domain->num);
        /* A number out of range is thrown away, and says nothing about the one that is used. */
        CT_PUBLIC(&good, sizeof good);
        if (error || good)
            return error;
        error = next_key(nonces, 0, NULL, 0);
        if (error)
            return error;
    }
}

int ecdsa_nonces_blind(uint64_t *blind, struct ecdsa_nonces *nonces, const struct ec *ec)
{
    const int error = next_number(blind, nonces, ec);
    bn_reduce_once(blind, 0, blind, ec->domain->n, ec->domain->num);
    return error;
}

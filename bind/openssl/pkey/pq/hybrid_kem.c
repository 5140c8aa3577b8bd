/* SPDX-License-Identifier: Apache-2.0 */
/* provider-kem(7) of the hybrid key encapsulations.  A ciphertext is that of ML-KEM and a new
 * public key of the curve; a secret is both secrets. */
#include "hybrid.h"
#include <stdlib.h>

/* Reasons of OpenSSL 3.5. */
enum { R_NULL_LENGTH_POINTER = 247, R_NULL_OUTPUT_BUFFER = 248, R_WRONG_CIPHERTEXT_SIZE = 251 };

struct kem {
    const struct provider *provider;
    struct hybrid *key;
};

static void *newctx(void *provctx)
{
    struct kem *k = calloc(1, sizeof *k);
    if (k)
        k->provider = provctx;
    return k;
}

static void freectx(void *ctx)
{
    struct kem *k = ctx;
    if (k)
        pkey_release(k->key);
    free(k);
}

static int init(struct kem *k, struct hybrid *key, int has_it)
{
    if (!has_it)
        return RAISE(k->provider, PROV_R_MISSING_KEY);
    pkey_hold(key);
    pkey_release(k->key);
    k->key = key;
    return 1;
}

static int encapsulate_init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    struct hybrid *key = keydata;
    return init(ctx, key, key && key->base.has_public);
}

static int decapsulate_init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    struct hybrid *key = keydata;
    return init(ctx, key, key && key->base.has_private);
}

static struct hybrid_halves secret_halves(const struct hybrid *key)
{
    return hybrid_split(key, HR_KEM_SECRET_LEN, key->curve->out_len);
}

static struct hybrid_halves ct_halves(const struct hybrid *key)
{
    return hybrid_split(key, hr_kem_ciphertext_len(key->kem->alg), key->curve->public_len);
}

/* has_room checks a buffer's length and sets it to what will be written. */
static int has_room(const struct kem *k, size_t *len, size_t need)
{
    if (!len)
        return RAISE(k->provider, R_NULL_LENGTH_POINTER);
    if (*len < need)
        return RAISE(k->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    *len = need;
    return 1;
}

static int close_kem(const struct kem *k, uint8_t *ct, uint8_t *secret)
{
    uint8_t random[HR_KEM_RANDOM_LEN];
    size_t len = hr_kem_ciphertext_len(k->key->kem->alg);
    if (!random_bytes(k->provider, random, sizeof random))
        return 0;
    const int error = hr_kem_encapsulate(ct, &len, secret, k->key->kem_key, random);
    WIPE(&random);
    return error ? RAISE_HR(k->provider, error) : 1;
}

/* agree computes the curve's secret. */
static int agree(const struct kem *k, uint8_t *secret, const struct hr_agree_key *pair,
                 const uint8_t *peer)
{
    size_t len = k->key->curve->out_len;
    return !hr_agree(secret, &len, peer, k->key->curve->public_len, pair) ||
           RAISE(k->provider, PROV_R_FAILED_DURING_DERIVATION);
}

static int close_both(const struct kem *k, uint8_t *ct, uint8_t *secret)
{
    const struct hybrid_halves c = ct_halves(k->key), s = secret_halves(k->key);
    struct hr_agree_key pair;
    if (!close_kem(k, ct + c.kem, secret + s.kem))
        return 0;
    const int good = hybrid_new_pair(k->key, &pair, ct + c.curve) &&
                     agree(k, secret + s.curve, &pair, k->key->curve_public);
    hr_agree_key_wipe(&pair);
    return good;
}

static int encapsulate(void *ctx, unsigned char *ct, size_t *ct_len, unsigned char *secret,
                       size_t *secret_len)
{
    const struct kem *k = ctx;
    const size_t need_ct = ct_halves(k->key).len, need_secret = secret_halves(k->key).len;
    if (!ct) {
        if (ct_len)
            *ct_len = need_ct;
        if (secret_len)
            *secret_len = need_secret;
        return ct_len || secret_len;
    }
    if (!secret)
        return RAISE(k->provider, R_NULL_OUTPUT_BUFFER);
    if (!has_room(k, ct_len, need_ct) || !has_room(k, secret_len, need_secret))
        return 0;
    if (!close_both(k, ct, secret)) {
        wipe_bytes(secret, need_secret);
        return 0;
    }
    hybrid_count(k->key);
    return 1;
}

static int open_both(const struct kem *k, uint8_t *secret, const uint8_t *ct)
{
    const struct hybrid *key = k->key;
    const struct hybrid_halves c = ct_halves(key), s = secret_halves(key);
    struct hr_agree_key pair;
    if (hr_kem_decapsulate(secret + s.kem, ct + c.kem, hr_kem_ciphertext_len(key->kem->alg),
                           key->kem_key) ||
        hr_agree_key_init(&pair, key->curve->alg, key->curve_private, key->curve->key_len))
        return 0;
    const int good = agree(k, secret + s.curve, &pair, ct + c.curve);
    hr_agree_key_wipe(&pair);
    return good;
}

static int decapsulate(void *ctx, unsigned char *secret, size_t *secret_len,
                       const unsigned char *ct, size_t ct_len)
{
    const struct kem *k = ctx;
    const size_t need = secret_halves(k->key).len;
    size_t len = need;
    if (!secret) {
        if (secret_len)
            *secret_len = need;
        return secret_len != NULL;
    }
    if (!has_room(k, secret_len ? secret_len : &len, need))
        return 0;
    if (ct_len != ct_halves(k->key).len)
        return RAISE(k->provider, R_WRONG_CIPHERTEXT_SIZE);
    if (!open_both(k, secret, ct)) {
        wipe_bytes(secret, need);
        return 0;
    }
    hybrid_count(k->key);
    return 1;
}

any_function *hybrid_kem(int id)
{
    switch (id) {
    case OSSL_FUNC_KEM_NEWCTX:
        return (any_function *)newctx;
    case OSSL_FUNC_KEM_FREECTX:
        return (any_function *)freectx;
    case OSSL_FUNC_KEM_ENCAPSULATE_INIT:
        return (any_function *)encapsulate_init;
    case OSSL_FUNC_KEM_ENCAPSULATE:
        return (any_function *)encapsulate;
    case OSSL_FUNC_KEM_DECAPSULATE_INIT:
        return (any_function *)decapsulate_init;
    case OSSL_FUNC_KEM_DECAPSULATE:
        return (any_function *)decapsulate;
    default:
        return NULL;
    }
}

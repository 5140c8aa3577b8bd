/* SPDX-License-Identifier: Apache-2.0 */
/* provider-kem(7): ML-KEM (FIPS 203). */
#include "lattice.h"
#include <headrace/kem.h>
#include <stdlib.h>

/* Reasons of OpenSSL 3.5, and its parameter: the random bytes of the next encapsulation. */
enum { R_NULL_LENGTH_POINTER = 247, R_NULL_OUTPUT_BUFFER = 248 };
#define PARAM_IKM "ikme"

struct kem {
    const struct provider *provider;
    struct served served;
    struct lattice *key;
    int opens; /* the context decapsulates */
    int has_random;
    uint8_t random[HR_KEM_RANDOM_LEN];
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
    if (!k)
        return;
    if (k->key)
        stats_fold(&k->served);
    pkey_release(k->key);
    WIPE(k);
    free(k);
}

static int set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct kem *k = ctx;
    const void *bytes;
    size_t len;
    const OSSL_PARAM *p = k->opens ? NULL : param_find(params, PARAM_IKM);
    if (!p)
        return 1;
    k->has_random = 0;
    if (!param_get_octets(p, &bytes, &len) || len != sizeof k->random)
        return RAISE(k->provider, PROV_R_INVALID_SEED_LENGTH);
    memcpy(k->random, bytes, len);
    k->has_random = 1;
    return 1;
}

static const OSSL_PARAM *settable_ctx(void *ctx, void *provctx)
{
    static const struct param_spec list[] = { PARAM_OCTETS(PARAM_IKM), PARAM_LIST_END };
    return param_list(provctx, LIST_MLKEM_CTX_TAKEN, list);
}

static int init(struct kem *k, struct lattice *key, int opens, const OSSL_PARAM params[])
{
    if (!key || !lattice_has_part(key, opens ? PART_PRIVATE : PART_PUBLIC))
        return RAISE(k->provider, PROV_R_MISSING_KEY);
    pkey_hold(key);
    if (k->key)
        stats_fold(&k->served);
    pkey_release(k->key);
    k->key = key;
    k->opens = opens;
    served_init(&k->served, key->index);
    if (opens) {
        WIPE(&k->random);
        k->has_random = 0;
    }
    return set_ctx_params(k, params);
}

static int encapsulate_init(void *ctx, void *key, const OSSL_PARAM params[])
{
    return init(ctx, key, 0, params);
}

static int decapsulate_init(void *ctx, void *key, const OSSL_PARAM params[])
{
    return init(ctx, key, 1, params);
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

static int close_with(struct kem *k, unsigned char *ct, size_t *ct_len, unsigned char *secret,
                      size_t *secret_len)
{
    if (!secret)
        return RAISE(k->provider, R_NULL_OUTPUT_BUFFER);
    if (!has_room(k, ct_len, hr_kem_ciphertext_len(k->key->row->alg)) ||
        !has_room(k, secret_len, HR_KEM_SECRET_LEN))
        return 0;
    if (!k->has_random && !random_bytes(k->provider, k->random, sizeof k->random))
        return 0;
    const int error = hr_kem_encapsulate(ct, ct_len, secret, k->key->made, k->random);
    return error ? RAISE_HR(k->provider, error) : 1;
}

/* encapsulate uses the random bytes that a program gave for one ciphertext only. */
static int encapsulate(void *ctx, unsigned char *ct, size_t *ct_len, unsigned char *secret,
                       size_t *secret_len)
{
    struct kem *k = ctx;
    if (!ct) {
        if (ct_len)
            *ct_len = hr_kem_ciphertext_len(k->key->row->alg);
        if (secret_len)
            *secret_len = HR_KEM_SECRET_LEN;
        return ct_len || secret_len;
    }
    const int good = close_with(k, ct, ct_len, secret, secret_len);
    WIPE(&k->random);
    k->has_random = 0;
    if (good)
        served_add(&k->served, 0);
    return good;
}

static int decapsulate(void *ctx, unsigned char *secret, size_t *secret_len,
                       const unsigned char *ct, size_t ct_len)
{
    struct kem *k = ctx;
    size_t len = HR_KEM_SECRET_LEN;
    if (!secret) {
        if (secret_len)
            *secret_len = HR_KEM_SECRET_LEN;
        return secret_len != NULL;
    }
    if (!has_room(k, secret_len ? secret_len : &len, HR_KEM_SECRET_LEN) ||
        hr_kem_decapsulate(secret, ct, ct_len, k->key->made))
        return 0;
    served_add(&k->served, 0);
    return 1;
}

/* mlkem_kem: no context is ever copied, as OpenSSL's cannot be. */
any_function *mlkem_kem(int id)
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
    case OSSL_FUNC_KEM_SET_CTX_PARAMS:
        return (any_function *)set_ctx_params;
    case OSSL_FUNC_KEM_SETTABLE_CTX_PARAMS:
        return (any_function *)settable_ctx;
    default:
        return NULL;
    }
}

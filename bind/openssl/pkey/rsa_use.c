/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of RSA: a key, an operation, and another provider's context that has the parameters. */
#include "rsa.h"
#include <stdlib.h>

/* ---- life ---- */

void *rsa_use_new(void *provctx, const char *properties)
{
    struct rsa_use *use = calloc(1, sizeof *use);
    if (!use)
        return NULL;
    use->provider = provctx;
    if (properties && !(use->properties = strdup(properties))) {
        free(use);
        return NULL;
    }
    return use;
}

void rsa_use_free(void *ctx)
{
    struct rsa_use *use = ctx;
    if (!use)
        return;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(use->provider);
    if (use->served.calls)
        stats_fold(&use->served);
    ssl->EVP_PKEY_CTX_free(use->other);
    ssl->EVP_MD_CTX_free(use->md_ctx);
    ssl->EVP_MD_free(use->md);
    pkey_release(use->key);
    free(use->properties);
    free(use);
}

static int copy_digest(struct rsa_use *out, const struct rsa_use *in)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(in->provider);
    if (in->md && !ssl->EVP_MD_up_ref(in->md))
        return 0;
    out->md = in->md;
    if (!in->md_ctx)
        return 1;
    out->md_ctx = ssl->EVP_MD_CTX_new();
    return out->md_ctx && ssl->EVP_MD_CTX_copy_ex(out->md_ctx, in->md_ctx);
}

static int copy_other(struct rsa_use *out, const struct rsa_use *in)
{
    if (!in->other)
        return 1;
    out->other = pkey_libcrypto_of(in->provider)->EVP_PKEY_CTX_dup(in->other);
    return out->other != NULL;
}

void *rsa_use_dup(void *ctx)
{
    const struct rsa_use *use = ctx;
    struct rsa_use *copy = rsa_use_new((void *)(uintptr_t)use->provider, use->properties);
    if (!copy)
        return NULL;
    copy->key = use->key ? pkey_hold(use->key) : NULL;
    copy->operation = use->operation;
    copy->is_running = use->is_running;
    copy->raises = use->raises;
    if (copy_other(copy, use) && copy_digest(copy, use))
        return copy;
    rsa_use_free(copy);
    return NULL;
}

/* ---- operations ---- */

static int begin_other(struct rsa_use *use, const OSSL_PARAM params[])
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(use->provider);
    switch (use->operation) {
    case RSA_SIGN:
        return ssl->EVP_PKEY_sign_init_ex(use->other, params) > 0;
    case RSA_VERIFY:
        return ssl->EVP_PKEY_verify_init_ex(use->other, params) > 0;
    case RSA_RECOVER:
        return ssl->EVP_PKEY_verify_recover_init_ex(use->other, params) > 0;
    case RSA_ENCRYPT:
        return ssl->EVP_PKEY_encrypt_init_ex(use->other, params) > 0;
    default:
        return ssl->EVP_PKEY_decrypt_init_ex(use->other, params) > 0;
    }
}

static int take_key(struct rsa_use *use, struct rsa_key *key)
{
    pkey_libcrypto_of(use->provider)->EVP_PKEY_CTX_free(use->other);
    pkey_release(use->key);
    use->key = pkey_hold(key);
    use->other = key->other ? other_with(use->provider, key->other) : NULL;
    return use->other != NULL;
}

int rsa_use_begin(struct rsa_use *use, struct rsa_key *key, enum rsa_operation operation,
                  const OSSL_PARAM params[])
{
    if (!use)
        return 0;
    if (!key && !use->key)
        return RAISE(use->provider, PROV_R_NO_KEY_SET);
    use->operation = operation;
    use->raises = 0;
    return (!key || take_key(use, key)) && use->other && begin_other(use, params);
}

int rsa_use_counts(struct rsa_use *use, const struct rsa_ready *ready, size_t bytes)
{
    if (!use->served.calls)
        served_init(&use->served, (enum row_index)ready->row);
    served_add(&use->served, bytes);
    return 1;
}

/* ---- parameters ---- */

int rsa_use_get_params(void *ctx, OSSL_PARAM params[])
{
    const struct rsa_use *use = ctx;
    return use && use->other &&
           pkey_libcrypto_of(use->provider)->EVP_PKEY_CTX_get_params(use->other, params) > 0;
}

int rsa_use_set_params(struct rsa_use *use, const OSSL_PARAM params[])
{
    if (!use)
        return 0;
    if (!params)
        return 1;
    return use->other &&
           pkey_libcrypto_of(use->provider)->EVP_PKEY_CTX_set_params(use->other, params) > 0;
}

int rsa_use_digest(hr_alg *alg, const char *name)
{
    const struct hr_algorithm *row;
    *alg = HR_ALG_NONE;
    if (!*name)
        return 1;
    for (size_t i = 0; (row = hr_algorithm_at(i)) && row->cls == HR_CLASS_DIGEST; i++)
        if (params_name_in_list(row->openssl_names, name, strlen(name))) {
            *alg = row->alg;
            return 1;
        }
    return 0;
}

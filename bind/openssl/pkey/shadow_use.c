/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: a key, an operation, and another provider's context that has the parameters. */
#include "shadow.h"
#include <stdlib.h>

/* ---- life ---- */

struct shadow_use *shadow_use_new(void *provctx, const char *properties)
{
    struct shadow_use *use = calloc(1, sizeof *use);
    if (!use)
        return NULL;
    use->provider = provctx;
    if (properties && !(use->properties = strdup(properties))) {
        free(use);
        return NULL;
    }
    return use;
}

struct shadow_use *shadow_signature_new(void *provctx, const char *properties, shadow_worker *sign,
                                        shadow_verifier *verify, shadow_forgetter *forget)
{
    struct shadow_use *use = shadow_use_new(provctx, properties);
    if (use) {
        use->sign = sign;
        use->verify = verify;
        use->forget = forget;
    }
    return use;
}

void shadow_use_free(void *ctx)
{
    struct shadow_use *use = ctx;
    if (!use)
        return;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(use->provider);
    if (use->served.calls)
        stats_fold(&use->served);
    ssl->EVP_PKEY_CTX_free(use->other);
    ssl->EVP_MD_CTX_free(use->md_ctx);
    ssl->EVP_MD_free(use->md);
    pkey_release(use->key);
    pkey_release(use->peer);
    free(use->properties);
    free(use);
}

static int copy_other(struct shadow_use *out, const struct shadow_use *in)
{
    if (!in->other)
        return 1;
    out->other = pkey_libcrypto_of(in->provider)->EVP_PKEY_CTX_dup(in->other);
    return out->other != NULL;
}

void *shadow_use_dup(void *ctx)
{
    const struct shadow_use *use = ctx;
    struct shadow_use *copy = shadow_use_new((void *)(uintptr_t)use->provider, use->properties);
    if (!copy)
        return NULL;
    copy->key = use->key ? pkey_hold(use->key) : NULL;
    copy->peer = use->peer ? pkey_hold(use->peer) : NULL;
    copy->sign = use->sign;
    copy->verify = use->verify;
    copy->forget = use->forget;
    copy->operation = use->operation;
    copy->is_running = use->is_running;
    copy->keeps_digest = use->keeps_digest;
    copy->raises = use->raises;
    copy->pads = use->pads;
    if (copy_other(copy, use) &&
        pkey_copy_digest(use->provider, &copy->md, &copy->md_ctx, use->md, use->md_ctx))
        return copy;
    shadow_use_free(copy);
    return NULL;
}

/* ---- operations ---- */

static int begin_other(struct shadow_use *use, const OSSL_PARAM params[])
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(use->provider);
    switch (use->operation) {
    case SHADOW_SIGN:
        return ssl->EVP_PKEY_sign_init_ex(use->other, params) > 0;
    case SHADOW_VERIFY:
        return ssl->EVP_PKEY_verify_init_ex(use->other, params) > 0;
    case SHADOW_RECOVER:
        return ssl->EVP_PKEY_verify_recover_init_ex(use->other, params) > 0;
    case SHADOW_ENCRYPT:
        return ssl->EVP_PKEY_encrypt_init_ex(use->other, params) > 0;
    case SHADOW_DECRYPT:
        return ssl->EVP_PKEY_decrypt_init_ex(use->other, params) > 0;
    default:
        return ssl->EVP_PKEY_derive_init_ex(use->other, params) > 0;
    }
}

static int take_key(struct shadow_use *use, struct shadow_key *key)
{
    pkey_libcrypto_of(use->provider)->EVP_PKEY_CTX_free(use->other);
    pkey_release(use->key);
    pkey_release(use->peer);
    use->peer = NULL;
    use->key = pkey_hold(key);
    use->other = key->other ? other_with(use->provider, key->other) : NULL;
    return use->other != NULL;
}

int shadow_use_begin(struct shadow_use *use, struct shadow_key *key,
                     enum shadow_operation operation, const OSSL_PARAM params[])
{
    if (!use)
        return 0;
    if (!key && !use->key)
        return RAISE(use->provider, PROV_R_NO_KEY_SET);
    use->operation = operation;
    use->raises = 0;
    use->pads = 0;
    return (!key || take_key(use, key)) && use->other && begin_other(use, params);
}

int shadow_use_ask_new(const struct shadow_use *use, OSSL_PARAM params[])
{
    struct shadow_use fresh = { .provider = use->provider, .operation = use->operation };
    fresh.other = other_with(use->provider, use->key->other);
    const int good =
        fresh.other && begin_other(&fresh, NULL) && shadow_use_get_params(&fresh, params);
    pkey_libcrypto_of(use->provider)->EVP_PKEY_CTX_free(fresh.other);
    return good;
}

static int run_other(struct shadow_use *use, uint8_t *out, size_t *out_len, const uint8_t *in,
                     size_t in_len)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(use->provider);
    switch (use->operation) {
    case SHADOW_SIGN:
        return ssl->EVP_PKEY_sign(use->other, out, out_len, in, in_len);
    case SHADOW_RECOVER:
        return ssl->EVP_PKEY_verify_recover(use->other, out, out_len, in, in_len);
    case SHADOW_ENCRYPT:
        return ssl->EVP_PKEY_encrypt(use->other, out, out_len, in, in_len);
    case SHADOW_DECRYPT:
        return ssl->EVP_PKEY_decrypt(use->other, out, out_len, in, in_len);
    case SHADOW_DERIVE:
        return ssl->EVP_PKEY_derive(use->other, out, out_len);
    default:
        return 0;
    }
}

int shadow_use_run(void *ctx, uint8_t *out, size_t *out_len, size_t out_size, const uint8_t *in,
                   size_t in_len, shadow_worker *worker)
{
    struct shadow_use *use = ctx;
    if (!use->other)
        return 0;
    size_t len = out_size;
    const enum shadow_answer answer = out ? worker(use, out, &len, in, in_len) : SHADOW_PASS;
    if (answer == SHADOW_DONE)
        *out_len = len;
    if (answer != SHADOW_PASS)
        return answer;
    *out_len = out_size;
    return run_other(use, out, out_len, in, in_len);
}

/* shadow_use_counts: a context may have another key now, of another row. */
enum shadow_answer shadow_use_counts(struct shadow_use *use, unsigned row, size_t bytes)
{
    if (use->served.index != row || !use->served.generation) {
        if (use->served.calls)
            stats_fold(&use->served);
        served_init(&use->served, (enum row_index)row);
    }
    served_add(&use->served, bytes);
    return SHADOW_DONE;
}

/* ---- parameters ---- */

int shadow_use_get_params(void *ctx, OSSL_PARAM params[])
{
    const struct shadow_use *use = ctx;
    return use && use->other &&
           pkey_libcrypto_of(use->provider)->EVP_PKEY_CTX_get_params(use->other, params) > 0;
}

int shadow_use_set_params(void *ctx, const OSSL_PARAM params[])
{
    const struct shadow_use *use = ctx;
    if (!use)
        return 0;
    if (!params)
        return 1;
    return use->other &&
           pkey_libcrypto_of(use->provider)->EVP_PKEY_CTX_set_params(use->other, params) > 0;
}

int shadow_use_digest(hr_alg *alg, const char *name)
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

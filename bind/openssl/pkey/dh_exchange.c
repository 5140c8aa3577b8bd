/* SPDX-License-Identifier: Apache-2.0 */
/* provider-keyexch(7) for DH and DHX.  The library computes plain secrets.  Keys derived from them
 * (X9.42), peers whose public keys it refuses, and small buffers are the other provider's. */
#include "dh.h"

enum { KDF_NAME = 32 };

static int ask_kdf(struct shadow_use *use, char name[KDF_NAME])
{
    OSSL_PARAM list[] = {
        { OSSL_EXCHANGE_PARAM_KDF_TYPE, OSSL_PARAM_UTF8_STRING, name, KDF_NAME, PARAM_NONE },
        PARAM_END,
    };
    name[0] = '\0';
    return shadow_use_get_params(use, list);
}

/* public_of writes a peer's public key with all bytes of `out`. */
static int public_of(const struct shadow_key *peer, uint8_t out[DH_MOST_BYTES])
{
    uint8_t number[DH_MOST_BYTES];
    OSSL_PARAM list[] = { SHADOW_ASK(OSSL_PKEY_PARAM_PUB_KEY, UNSIGNED_INTEGER, number),
                          PARAM_END };
    return pkey_libcrypto_of(peer->head.provider)->EVP_PKEY_get_params(peer->other, list) > 0 &&
           list[0].return_size != PARAM_NONE && pkey_get_number(&list[0], out, DH_MOST_BYTES);
}

static enum shadow_answer derive_ours(struct shadow_use *use, uint8_t *out, size_t *out_len,
                                      const uint8_t *in, size_t in_len)
{
    char kdf[KDF_NAME];
    uint8_t peer[DH_MOST_BYTES];
    const struct dh_ready *ready = (const struct dh_ready *)shadow_private(use->key);
    const uint32_t flags =
        (use->pads ? 0 : HR_DH_UNPADDED) | (use->provider->strict ? HR_DH_STRICT : 0);
    (void)in, (void)in_len;
    if (!ready || !use->peer || !ask_kdf(use, kdf) || *kdf || !public_of(use->peer, peer) ||
        hr_dh_agree(out, out_len, peer, sizeof peer, &ready->key, flags))
        return SHADOW_PASS;
    return shadow_use_counts(use, ready->head.row, 0);
}

static void *new_context(void *provctx)
{
    return shadow_use_new(provctx, NULL);
}

/* set_params: whether the secret is padded is one of those that cannot be asked for. */
static int set_params(void *ctx, const OSSL_PARAM params[])
{
    struct shadow_use *use = ctx;
    uint64_t number;
    const OSSL_PARAM *p = param_find(params, OSSL_EXCHANGE_PARAM_PAD);
    if (!shadow_use_set_params(use, params))
        return 0;
    if (p && param_get_number(p, &number))
        use->pads = number != 0;
    return 1;
}

static int init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    return shadow_use_begin(ctx, keydata, SHADOW_DERIVE, NULL) && set_params(ctx, params);
}

/* set_peer: the other provider looks whether the groups are the same. */
static int set_peer(void *ctx, void *keydata)
{
    struct shadow_use *use = ctx;
    const struct shadow_key *peer = keydata;
    if (!use || !use->other || !peer || !peer->other ||
        pkey_libcrypto_of(use->provider)->EVP_PKEY_derive_set_peer_ex(use->other, peer->other, 0) <=
            0)
        return 0;
    pkey_release(use->peer);
    use->peer = pkey_hold(keydata);
    return 1;
}

static int derive(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    return shadow_use_run(ctx, out, out_len, out_size, NULL, 0, derive_ours);
}

static const OSSL_PARAM *gettable(void *ctx, void *provctx)
{
    (void)ctx;
    return shadow_exchange_gettable(provctx, "DH");
}

static const OSSL_PARAM *settable(void *ctx, void *provctx)
{
    (void)ctx;
    return shadow_exchange_settable(provctx, "DH");
}

any_function *dh_exchange(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYEXCH_NEWCTX:
        return (any_function *)new_context;
    case OSSL_FUNC_KEYEXCH_INIT:
        return (any_function *)init;
    case OSSL_FUNC_KEYEXCH_DERIVE:
        return (any_function *)derive;
    case OSSL_FUNC_KEYEXCH_SET_PEER:
        return (any_function *)set_peer;
    case OSSL_FUNC_KEYEXCH_FREECTX:
        return (any_function *)shadow_use_free;
    case OSSL_FUNC_KEYEXCH_DUPCTX:
        return (any_function *)shadow_use_dup;
    case OSSL_FUNC_KEYEXCH_SET_CTX_PARAMS:
        return (any_function *)set_params;
    case OSSL_FUNC_KEYEXCH_SETTABLE_CTX_PARAMS:
        return (any_function *)settable;
    case OSSL_FUNC_KEYEXCH_GET_CTX_PARAMS:
        return (any_function *)shadow_use_get_params;
    case OSSL_FUNC_KEYEXCH_GETTABLE_CTX_PARAMS:
        return (any_function *)gettable;
    default:
        return NULL;
    }
}

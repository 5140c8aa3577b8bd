/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of AEADs in provider-cipher(7). */
#include "aead.h"

#define PARAM_TABLE "aead_params.def"
#define PARAM_COLUMN(memory, handle) memory
#define PARAM_KIND(name) ctx_##name
#include "param_table.h"

/* ---- parameters that the context answers ---- */

const OSSL_PARAM *aead_gettable_ctx(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_AEAD_GOT, ctx_got);
}

/* get_iv does not answer for ChaCha20-Poly1305, as the default provider does not. */
static int get_iv(struct aead *a, OSSL_PARAM *p)
{
    const int gcm = a->row->mode == HR_MODE_GCM;
    if (a->row->mode == HR_MODE_POLY1305)
        return 1;
    if (gcm && !gcm_has_iv(a))
        return 0;
    if (p->data_size < a->iv_len && (p->data || !gcm_asks_size(a)))
        return RAISE(a->provider, PROV_R_INVALID_IV_LENGTH);
    return param_set_octets(p, a->iv, a->iv_len) ||
           RAISE(a->provider, PROV_R_FAILED_TO_SET_PARAMETER);
}

static int get_next_iv(struct aead *a, const OSSL_PARAM *p)
{
    return a->row->mode != HR_MODE_GCM || (p->data && p->data_type == OSSL_PARAM_OCTET_STRING &&
                                           gcm_next_iv(a, p->data, p->data_size));
}

static int get_number(const struct aead *a, OSSL_PARAM *p, uint64_t value)
{
    return param_set_number(p, value) || RAISE(a->provider, PROV_R_FAILED_TO_SET_PARAMETER);
}

static int get_one(struct aead *a, OSSL_PARAM *p, int key)
{
    switch (key) {
    case IV_LEN:
        return get_number(a, p, a->iv_len);
    case TAG:
        return a->mode->get_tag(a, p);
    case TLS_PAD:
        return get_number(a, p, a->tls_pad);
    case KEY_LEN:
        return get_number(a, p, a->row->key_len);
    case TAG_LEN:
        return get_number(a, p, a->tag_len ? a->tag_len : a->mode->most_tag);
    case IV:
    case UPDATED_IV:
        return get_iv(a, p);
    case NEXT_IV:
        return get_next_iv(a, p);
    case IV_MADE:
        return get_number(a, p, a->iv_random);
    default:
        return 1; /* not ours: ignored */
    }
}

int aead_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (!get_one(ctx, p, param_key(p, ctx_got_keys, NUM_PARAMS)))
            return 0;
    return 1;
}

/* ---- parameters that the context takes ---- */

const OSSL_PARAM *aead_settable_ctx(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_AEAD_TAKEN, ctx_taken);
}

static int set_iv_len(struct aead *a, const OSSL_PARAM *p)
{
    uint64_t len;
    if (!param_get_number(p, &len))
        return RAISE(a->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    return a->mode->set_iv_len(a, len) || RAISE(a->provider, PROV_R_INVALID_IV_LENGTH);
}

static int set_tls_aad(struct aead *a, const OSSL_PARAM *p)
{
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return RAISE(a->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    const enum hr_mode mode = a->row->mode;
    return aead_tls_begin(a, p, mode == HR_MODE_CCM ? a->tag_len : HR_AEAD_MAX_TAG) ||
           RAISE(a->provider, mode == HR_MODE_GCM ? PROV_R_INVALID_AAD : PROV_R_INVALID_DATA);
}

static int set_fixed(struct aead *a, const OSSL_PARAM *p)
{
    const void *fixed;
    size_t len;
    if (!param_get_octets(p, &fixed, &len) || !fixed)
        return RAISE(a->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    return a->mode->set_fixed(a, fixed, len) ||
           RAISE(a->provider, a->row->mode == HR_MODE_GCM ? PROV_R_FAILED_TO_GET_PARAMETER
                                                          : PROV_R_INVALID_IV_LENGTH);
}

static int set_counter(struct aead *a, const OSSL_PARAM *p)
{
    const void *bytes;
    size_t len;
    return a->row->mode != HR_MODE_GCM ||
           (param_get_octets(p, &bytes, &len) && bytes && gcm_set_counter(a, bytes, len));
}

static int set_one(struct aead *a, const OSSL_PARAM *p, int key)
{
    switch (key) {
    case TAG:
        return a->mode->set_tag(a, p);
    case TLS_AAD:
        return set_tls_aad(a, p);
    case IV_LEN:
        return set_iv_len(a, p);
    case FIXED:
        return set_fixed(a, p);
    case COUNTER:
        return set_counter(a, p);
    default:
        return 1;
    }
}

/* good_key_len: the default provider takes a length of keys for ChaCha20-Poly1305, if it is right.
 */
static int good_key_len(const struct aead *a, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = param_find(params, OSSL_CIPHER_PARAM_KEYLEN);
    uint64_t len;
    if (!p || a->row->mode != HR_MODE_POLY1305)
        return 1;
    if (!param_get_number(p, &len))
        return RAISE(a->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    return len == a->row->key_len || RAISE(a->provider, PROV_R_INVALID_KEY_LENGTH);
}

int aead_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    const struct aead *a = ctx;
    if (!param_once(a->provider, params, NULL) || !good_key_len(a, params))
        return 0;
    for (const OSSL_PARAM *p = params; p && p->key; p++)
        if (!set_one(ctx, p, param_key(p, ctx_taken_keys, NUM_PARAMS)))
            return 0;
    return 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of GCM and CCM in provider-cipher(7). */
#include "aead.h"
#include "params.h"

/* Of OpenSSL 3.4 on. */
#define PARAM_IV_GENERATED "iv-generated"

/* ---- of a context ---- */

enum { IV_LEN, TAG, TLS_PAD, KEY_LEN, TAG_LEN, IV, UPDATED_IV, NEXT_IV, IV_MADE, NUM_KEYS };

/* EVP of 3.0 asks for the first at every init; then comes what messages ask for. */
static const char *const keys[NUM_KEYS] = {
    [IV_LEN] = OSSL_CIPHER_PARAM_AEAD_IVLEN,
    [TAG] = OSSL_CIPHER_PARAM_AEAD_TAG,
    [TLS_PAD] = OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD,
    [KEY_LEN] = OSSL_CIPHER_PARAM_KEYLEN,
    [TAG_LEN] = OSSL_CIPHER_PARAM_AEAD_TAGLEN,
    [IV] = OSSL_CIPHER_PARAM_IV,
    [UPDATED_IV] = OSSL_CIPHER_PARAM_UPDATED_IV,
    [NEXT_IV] = OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN,
    [IV_MADE] = PARAM_IV_GENERATED,
};

const OSSL_PARAM *aead_gettable_ctx(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = {
        PARAM_SIZE(OSSL_CIPHER_PARAM_KEYLEN),
        PARAM_SIZE(OSSL_CIPHER_PARAM_AEAD_IVLEN),
        PARAM_SIZE(OSSL_CIPHER_PARAM_AEAD_TAGLEN),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_IV),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_UPDATED_IV),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_AEAD_TAG),
        PARAM_SIZE(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN),
        PARAM_UINT(PARAM_IV_GENERATED),
        PARAM_END,
    };
    return list;
}

static int get_iv(const struct aead *a, OSSL_PARAM *p)
{
    if (a->row->mode == HR_MODE_GCM && a->iv_state == IV_NONE)
        return 0;
    if (p->data_size < a->iv_len)
        return RAISE(a->provider, PROV_R_INVALID_IV_LENGTH);
    return param_set_octets(p, a->iv, a->iv_len) ||
           RAISE(a->provider, PROV_R_FAILED_TO_SET_PARAMETER);
}

static int get_next_iv(struct aead *a, const OSSL_PARAM *p)
{
    return a->row->mode != HR_MODE_GCM || (p->data && p->data_type == OSSL_PARAM_OCTET_STRING &&
                                           gcm_next_iv(a, p->data, p->data_size));
}

/* Records are as the header was taken: what a program pads them with. */
static uint64_t tag_len(const struct aead *a)
{
    return a->tag_len ? a->tag_len : HR_AEAD_MAX_TAG;
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
        return get_number(a, p, tag_len(a));
    case IV:
    case UPDATED_IV:
        return get_iv(a, p);
    case NEXT_IV:
        return get_next_iv(a, p);
    case IV_MADE:
        return get_number(a, p, a->iv_random);
    default:
        return 1; /* not ours: left alone */
    }
}

int aead_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (!get_one(ctx, p, param_key(p, keys, NUM_KEYS)))
            return 0;
    return 1;
}

/* ---- set ---- */

enum { SET_TAG, SET_TLS_AAD, SET_IV_LEN, SET_FIXED, SET_COUNTER, NUM_SET_KEYS };

static const char *const set_keys[NUM_SET_KEYS] = {
    [SET_TAG] = OSSL_CIPHER_PARAM_AEAD_TAG,
    [SET_TLS_AAD] = OSSL_CIPHER_PARAM_AEAD_TLS1_AAD,
    [SET_IV_LEN] = OSSL_CIPHER_PARAM_AEAD_IVLEN,
    [SET_FIXED] = OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED,
    [SET_COUNTER] = OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV,
};

const OSSL_PARAM *aead_settable_ctx(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = {
        PARAM_SIZE(OSSL_CIPHER_PARAM_AEAD_IVLEN),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_AEAD_TAG),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV),
        PARAM_END,
    };
    return list;
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
    const int gcm = a->row->mode == HR_MODE_GCM;
    return aead_tls_begin(a, p, gcm ? HR_AEAD_MAX_TAG : a->tag_len) ||
           RAISE(a->provider, gcm ? PROV_R_INVALID_AAD : PROV_R_INVALID_DATA);
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
    case SET_TAG:
        return a->mode->set_tag(a, p);
    case SET_TLS_AAD:
        return set_tls_aad(a, p);
    case SET_IV_LEN:
        return set_iv_len(a, p);
    case SET_FIXED:
        return set_fixed(a, p);
    case SET_COUNTER:
        return set_counter(a, p);
    default:
        return 1;
    }
}

int aead_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    for (const OSSL_PARAM *p = params; p && p->key; p++)
        if (!set_one(ctx, p, param_key(p, set_keys, NUM_SET_KEYS)))
            return 0;
    return 1;
}

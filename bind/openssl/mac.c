/* SPDX-License-Identifier: Apache-2.0 */
/* provider-mac(7): MACs with a nonce, over hr_nmac_init, update and final; and what contexts of
 * CMAC (mac_cmac.c) share with theirs.  A nonce, and a key of Poly1305, is for one message: the
 * next message needs a new one. */
#include "mac.h"
#include <stdlib.h>

/* ---- contexts ---- */

/* ALIGN is a cache line: kernels read the powers of the key by whole lines. */
enum { ALIGN = 64 };

static struct mac *mac_alloc(void)
{
    char *block = malloc(sizeof(struct mac) + ALIGN - 1);
    if (!block)
        return NULL;
    struct mac *m = (void *)(block + (-(uintptr_t)block & (ALIGN - 1)));
    m->block = block;
    return m;
}

void *mac_newctx(void *provctx, const struct hr_algorithm *row, enum row_index index)
{
    struct mac *m = mac_alloc();
    if (!m)
        return NULL;
    void *block = m->block;
    memset(m, 0, sizeof *m);
    m->block = block;
    m->provider = provctx;
    m->row = row;
    m->is_gmac = !row;
    served_init(&m->served, index);
    return m;
}

void mac_freectx(void *ctx)
{
    struct mac *m = ctx;
    if (!m)
        return;
    if (m->other)
        libcrypto_of(m->provider)->EVP_MAC_CTX_free(m->other);
    void *block = m->block;
    stats_fold(&m->served);
    WIPE(m);
    free(block);
}

void mac_take_row(struct mac *m, enum row_index index)
{
    if (m->row == hr_algorithm_at(index))
        return;
    m->row = hr_algorithm_at(index);
    stats_fold(&m->served);
    served_init(&m->served, index);
}

/* Makes the message of a copied context use the copy's key.  Returns 0 or an error. */
static int own_key(struct mac *m)
{
    if (!m->running)
        return 0;
    return m->is_cmac ? hr_cmac_set_key(&m->cmac.stream, &m->cmac.key)
                      : hr_nmac_set_key(&m->stream, &m->key);
}

void *mac_dupctx(void *ctx)
{
    const struct mac *m = ctx;
    struct mac *copy = mac_alloc();
    if (!copy)
        return NULL;
    void *block = copy->block;
    *copy = *m;
    copy->block = block;
    served_init(&copy->served, m->served.index);
    if (m->other)
        copy->other = libcrypto_of(m->provider)->EVP_MAC_CTX_dup(m->other);
    if ((m->other && !copy->other) || own_key(copy)) {
        mac_freectx(copy);
        return NULL;
    }
    return copy;
}

/* ---- keys, nonces ---- */

int mac_set_key(struct mac *m, const void *key, size_t key_len)
{
    m->key_set = m->running = 0;
    if (!m->row || hr_nmac_key_init(&m->key, m->row->alg, key, key_len))
        return RAISE(m->provider, PROV_R_INVALID_KEY_LENGTH);
    m->key_set = 1;
    if (!m->row->iv_len)
        m->iv_state = MAC_IV_GIVEN;
    return 1;
}

/* mac_set_iv takes an IV of any length for GMAC, up to MAX_MAC_IV. */
int mac_set_iv(struct mac *m, const void *iv, size_t iv_len)
{
    const int exact = !m->is_gmac && m->row->iv_len;
    if (!iv_len || iv_len > MAX_MAC_IV || (exact && iv_len != m->row->iv_len))
        return RAISE(m->provider, PROV_R_INVALID_IV_LENGTH);
    memcpy(m->iv, iv, iv_len);
    m->iv_len = iv_len;
    m->iv_state = MAC_IV_GIVEN;
    m->running = 0;
    return 1;
}

/* ---- parameters ---- */

#define PARAM_TABLE "mac_params.def"
#define PARAM_COLUMN(row, gmac, poly1305, poly1305_aes, kasumi_f9, cmac, handle) row
#define PARAM_KIND(name) row_##name
#include "param_table.h"

#define PARAM_COLUMN(row, gmac, poly1305, poly1305_aes, kasumi_f9, cmac, handle) gmac
#define PARAM_KIND(name) gmac_##name
#include "param_table.h"

#define PARAM_COLUMN(row, gmac, poly1305, poly1305_aes, kasumi_f9, cmac, handle) poly1305
#define PARAM_KIND(name) poly1305_##name
#include "param_table.h"

#define PARAM_COLUMN(row, gmac, poly1305, poly1305_aes, kasumi_f9, cmac, handle) poly1305_aes
#define PARAM_KIND(name) poly1305_aes_##name
#include "param_table.h"

#define PARAM_COLUMN(row, gmac, poly1305, poly1305_aes, kasumi_f9, cmac, handle) kasumi_f9
#define PARAM_KIND(name) kasumi_f9_##name
#include "param_table.h"

static int set_key_param(struct mac *m, const OSSL_PARAM params[])
{
    const void *key;
    size_t len;
    const OSSL_PARAM *p = param_find(params, OSSL_MAC_PARAM_KEY);
    if (!param_once(m->provider, params, NULL))
        return 0;
    if (!p)
        return 1;
    if (!param_get_octets(p, &key, &len) || !key)
        return RAISE(m->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    return mac_set_key(m, key, len);
}

static int set_nonce_param(struct mac *m, const OSSL_PARAM params[], const char *name)
{
    const void *nonce;
    size_t len;
    const OSSL_PARAM *p = param_find(params, name);
    if (!p)
        return 1;
    if (!param_get_octets(p, &nonce, &len))
        return RAISE(m->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    return mac_set_iv(m, nonce, len);
}

static int poly1305_set_params(void *ctx, const OSSL_PARAM params[])
{
    return set_key_param(ctx, params);
}

static int poly1305_aes_set_params(void *ctx, const OSSL_PARAM params[])
{
    return set_key_param(ctx, params) && set_nonce_param(ctx, params, PARAM_NONCE) &&
           set_nonce_param(ctx, params, OSSL_MAC_PARAM_IV);
}

/* f9_parts are the parts of f9's nonce (3GPP TS 35.201 section 4.4). */
static const struct {
    const char *key;
    uint8_t at, len;
    uint32_t most;
} f9_parts[] = {
    { PARAM_COUNT, 0, 4, UINT32_MAX },
    { PARAM_FRESH, 4, 4, UINT32_MAX },
    { PARAM_DIRECTION, 8, 1, 1 },
};

/* set_f9_parts leaves a part that is not given as it was.  DIRECTION is one bit; a nonce that was
 * set as a whole is refused if it has more. */
static int set_f9_parts(struct mac *m, const OSSL_PARAM params[])
{
    uint8_t iv[9];
    int num = 0;
    memcpy(iv, m->iv, sizeof iv);
    if (iv[8] > 1) {
        m->iv[8] = 0;
        m->iv_state = MAC_IV_NONE;
        return RAISE(m->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    }
    for (size_t i = 0; i < COUNT(f9_parts); i++) {
        uint64_t value;
        const OSSL_PARAM *p = param_find(params, f9_parts[i].key);
        if (!p)
            continue;
        if (!param_get_number(p, &value) || value > f9_parts[i].most)
            return RAISE(m->provider, PROV_R_FAILED_TO_GET_PARAMETER);
        for (size_t k = f9_parts[i].len; k--; value >>= 8)
            iv[f9_parts[i].at + k] = (uint8_t)value;
        num++;
    }
    return !num || mac_set_iv(m, iv, sizeof iv);
}

static int kasumi_f9_set_params(void *ctx, const OSSL_PARAM params[])
{
    return set_key_param(ctx, params) && set_nonce_param(ctx, params, OSSL_MAC_PARAM_IV) &&
           set_f9_parts(ctx, params);
}

static int gmac_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    return gmac_set_params(ctx, params);
}

static int mac_get_params(OSSL_PARAM params[])
{
    int good = 1;
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (mac_is_size(p->key))
            good &= param_set_number(p, HR_NMAC_MAX_OUT);
    return good;
}

static int kasumi_f9_get_params(OSSL_PARAM params[])
{
    const uint64_t size = hr_algorithm_at(INDEX_kasumi_f9)->out_len;
    const uint64_t values[NUM_PARAMS] = { [SIZE_OF_MAC] = size };
    return param_set_numbers(params, row_got_keys, values, NUM_PARAMS);
}

static const OSSL_PARAM *mac_gettable(void *provctx)
{
    return param_list(provctx, LIST_MAC, row_got);
}

static const OSSL_PARAM *poly1305_settable(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_POLY1305_TAKEN, poly1305_taken);
}

static const OSSL_PARAM *poly1305_aes_settable(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_POLY1305_AES_TAKEN, poly1305_aes_taken);
}

static const OSSL_PARAM *kasumi_f9_settable(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_KASUMI_F9_TAKEN, kasumi_f9_taken);
}

static const OSSL_PARAM *gmac_settable(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_GMAC_TAKEN, gmac_taken);
}

/* ---- data ---- */

static int init(struct mac *m, const unsigned char *key, size_t key_len)
{
    if (m->other)
        return libcrypto_of(m->provider)->EVP_MAC_init(m->other, key, key_len, NULL) > 0;
    if (key)
        return mac_set_key(m, key, key_len);
    if (!m->row)
        return RAISE(m->provider, PROV_R_INVALID_STATE); /* GMAC without a cipher */
    const int one_message = !m->row->iv_len;
    return !one_message || (m->iv_state != MAC_IV_SPENT && !m->running);
}

static int poly1305_init(void *ctx, const unsigned char *key, size_t key_len,
                         const OSSL_PARAM params[])
{
    return poly1305_set_params(ctx, params) && init(ctx, key, key_len);
}

static int poly1305_aes_init(void *ctx, const unsigned char *key, size_t key_len,
                             const OSSL_PARAM params[])
{
    return poly1305_aes_set_params(ctx, params) && init(ctx, key, key_len);
}

static int kasumi_f9_init(void *ctx, const unsigned char *key, size_t key_len,
                          const OSSL_PARAM params[])
{
    return kasumi_f9_set_params(ctx, params) && init(ctx, key, key_len);
}

static int gmac_init(void *ctx, const unsigned char *key, size_t key_len, const OSSL_PARAM params[])
{
    return gmac_set_params(ctx, params) && init(ctx, key, key_len);
}

/* make_iv makes a random IV for GMAC if the program has set none, as for GCM. */
static int make_iv(struct mac *m)
{
    if (!m->is_gmac || !random_bytes(m->provider, m->iv, m->row->iv_len))
        return 0;
    m->iv_len = m->row->iv_len;
    m->iv_state = MAC_IV_GIVEN;
    return 1;
}

static COLD int refuse(const struct mac *m)
{
    return RAISE(m->provider, m->key_set ? PROV_R_INVALID_STATE : PROV_R_NO_KEY_SET);
}

static int start(struct mac *m)
{
    if (!m->key_set || (m->iv_state == MAC_IV_NONE && !make_iv(m)) || m->iv_state != MAC_IV_GIVEN ||
        hr_nmac_init(&m->stream, &m->key, m->iv, m->iv_len))
        return refuse(m);
    m->running = 1;
    return 1;
}

static int mac_update(void *ctx, const unsigned char *in, size_t in_len)
{
    struct mac *m = ctx;
    if (UNLIKELY(m->other != NULL))
        return libcrypto_of(m->provider)->EVP_MAC_update(m->other, in, in_len) > 0;
    if (!in_len)
        return 1;
    if (!m->running && !start(m))
        return 0;
    const int error = hr_nmac_update(&m->stream, in, in_len);
    if (UNLIKELY(error))
        return RAISE_HR(m->provider, error);
    served_add(&m->served, in_len);
    return 1;
}

static int mac_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct mac *m = ctx;
    if (UNLIKELY(m->other != NULL))
        return libcrypto_of(m->provider)->EVP_MAC_final(m->other, out, out_len, out_size) > 0;
    const size_t len = m->row ? m->row->out_len : HR_NMAC_MAX_OUT;
    if (out_size < len)
        return RAISE(m->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    if (!m->running && !start(m))
        return 0;
    const int error = hr_nmac_final(&m->stream, out);
    m->running = 0;
    m->iv_state = MAC_IV_SPENT;
    if (UNLIKELY(error))
        return RAISE_HR(m->provider, error);
    *out_len = len;
    return 1;
}

/* ---- entry points ---- */

static void *gmac_newctx(void *provctx)
{
    return mac_newctx(provctx, NULL, INDEX_aes_128_gmac);
}

static void *poly1305_newctx(void *provctx)
{
    return mac_newctx(provctx, hr_algorithm_at(INDEX_poly1305), INDEX_poly1305);
}

static void *poly1305_aes_newctx(void *provctx)
{
    return mac_newctx(provctx, hr_algorithm_at(INDEX_poly1305_aes), INDEX_poly1305_aes);
}

static void *kasumi_f9_newctx(void *provctx)
{
    return mac_newctx(provctx, hr_algorithm_at(INDEX_kasumi_f9), INDEX_kasumi_f9);
}

#define FUNCTIONS(kind, set_params, get_params)                       \
    static const OSSL_DISPATCH kind##_functions[] = {                 \
        FUNCTION(OSSL_FUNC_MAC_NEWCTX, kind##_newctx),                \
        FUNCTION(OSSL_FUNC_MAC_DUPCTX, mac_dupctx),                   \
        FUNCTION(OSSL_FUNC_MAC_FREECTX, mac_freectx),                 \
        FUNCTION(OSSL_FUNC_MAC_INIT, kind##_init),                    \
        FUNCTION(OSSL_FUNC_MAC_UPDATE, mac_update),                   \
        FUNCTION(OSSL_FUNC_MAC_FINAL, mac_final),                     \
        FUNCTION(OSSL_FUNC_MAC_GETTABLE_PARAMS, mac_gettable),        \
        FUNCTION(OSSL_FUNC_MAC_GET_PARAMS, get_params),               \
        FUNCTION(OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, kind##_settable), \
        FUNCTION(OSSL_FUNC_MAC_SET_CTX_PARAMS, set_params),           \
        { 0, NULL },                                                  \
    };
FUNCTIONS(gmac, gmac_set_ctx_params, mac_get_params)
FUNCTIONS(poly1305, poly1305_set_params, mac_get_params)
FUNCTIONS(poly1305_aes, poly1305_aes_set_params, mac_get_params)
FUNCTIONS(kasumi_f9, kasumi_f9_set_params, kasumi_f9_get_params)

const OSSL_ALGORITHM mac_rows[NUM_MACS] = {
    { "GMAC:1.0.9797.3.4", NULL, gmac_functions, "Headrace GMAC" },
    { "POLY1305", NULL, poly1305_functions, "Headrace Poly1305" },
    { "POLY1305-AES", NULL, poly1305_aes_functions, "Headrace Poly1305-AES" },
    { "KASUMI-F9", NULL, kasumi_f9_functions, "Headrace KASUMI-F9" },
    { "CMAC", NULL, cmac_functions, "Headrace CMAC" },
};

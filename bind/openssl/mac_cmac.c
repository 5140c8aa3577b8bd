/* SPDX-License-Identifier: Apache-2.0 */
/* CMAC (provider-mac(7)) over hr_cmac_init, update and final.  Its cipher is a parameter, as
 * GMAC's; unlike there a key may be kept for many messages, and a cipher counts from the next key
 * on. */
#include "mac.h"

#define PARAM_TABLE "mac_params.def"
#define PARAM_COLUMN(row, gmac, poly1305, poly1305_aes, kasumi_f9, cmac, handle) cmac
#define PARAM_KIND(name) cmac_##name
#include "param_table.h"

static const struct mac_of_cipher rows[] = {
    { INDEX_aes_128_cbc, INDEX_aes_128_cmac },   { INDEX_aes_192_cbc, INDEX_aes_192_cmac },
    { INDEX_aes_256_cbc, INDEX_aes_256_cmac },   { INDEX_des_ede2_cbc, INDEX_des_ede2_cmac },
    { INDEX_des_ede3_cbc, INDEX_des_ede3_cmac },
};

static void *cmac_newctx(void *provctx)
{
    struct mac *m = mac_newctx(provctx, NULL, INDEX_aes_128_cmac);
    if (m) {
        m->is_gmac = 0;
        m->is_cmac = 1;
    }
    return m;
}

static int set_key(struct mac *m, const void *key, size_t key_len)
{
    m->key_set = m->running = m->ended = 0;
    if (!m->next)
        return RAISE(m->provider, PROV_R_INVALID_STATE); /* no cipher */
    mac_take_row(m, (enum row_index)m->next);
    if ((m->provider->strict ? hr_cmac_key_init
                             : hr_cmac_key_init_vartime)(&m->cmac.key, m->row->alg, key, key_len))
        return RAISE(m->provider, PROV_R_INVALID_KEY_LENGTH);
    m->key_set = 1;
    return 1;
}

static int cmac_set_params(void *ctx, const OSSL_PARAM params[])
{
    struct mac *m = ctx;
    const OSSL_PARAM *key = param_find(params, OSSL_MAC_PARAM_KEY);
    const void *bytes;
    size_t len;
    if (!param_once(m->provider, params, NULL))
        return 0;
    const int asked = mac_cipher_asked(m, params, rows, COUNT(rows));
    if (m->other)
        m->key_set = m->running = 0;
    if (asked < 0 || m->other)
        return asked >= 0;
    if (asked)
        m->next = (uint16_t)asked;
    return !key || (param_get_octets(key, &bytes, &len) && bytes && set_key(m, bytes, len));
}

/* With EVP's calls a size of 0 says that there is no cipher yet. */
static int cmac_get_params(void *ctx, OSSL_PARAM params[])
{
    struct mac *m = ctx;
    if (m->other)
        return libcrypto_of(m->provider)->EVP_MAC_CTX_get_params(m->other, params) > 0;
    const uint64_t size = m->next ? hr_algorithm_at(m->next)->out_len : 0;
    int good = 1;
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (mac_is_size(p->key) || !strcmp(p->key, OSSL_MAC_PARAM_BLOCK_SIZE))
            good &= param_set_number(p, size);
    return good;
}

static const OSSL_PARAM *cmac_gettable(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_CMAC_GOT, cmac_got);
}

static const OSSL_PARAM *cmac_settable(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_CMAC_TAKEN, cmac_taken);
}

static int cmac_init(void *ctx, const unsigned char *key, size_t key_len, const OSSL_PARAM params[])
{
    struct mac *m = ctx;
    if (params && params->key && !cmac_set_params(m, params))
        return 0;
    if (m->other)
        return libcrypto_of(m->provider)->EVP_MAC_init(m->other, key, key_len, NULL) > 0;
    if (key && !set_key(m, key, key_len))
        return 0;
    if (!m->key_set)
        return RAISE(m->provider, PROV_R_NO_KEY_SET);
    m->ended = 0;
    m->running = !hr_cmac_init(&m->cmac.stream, &m->cmac.key);
    return m->running;
}

/* A key that was given as a parameter has begun a message, as with the default provider. */
static int is_running(struct mac *m)
{
    if (LIKELY(m->running))
        return 1;
    if (!m->key_set || m->ended)
        return RAISE(m->provider, m->key_set ? PROV_R_INVALID_STATE : PROV_R_NO_KEY_SET);
    m->running = !hr_cmac_init(&m->cmac.stream, &m->cmac.key);
    return m->running;
}

static int cmac_update(void *ctx, const unsigned char *in, size_t in_len)
{
    struct mac *m = ctx;
    if (UNLIKELY(m->other != NULL))
        return libcrypto_of(m->provider)->EVP_MAC_update(m->other, in, in_len) > 0;
    if (!is_running(m))
        return 0;
    const int error = hr_cmac_update(&m->cmac.stream, in, in_len);
    if (UNLIKELY(error))
        return RAISE_HR(m->provider, error);
    served_add(&m->served, in_len);
    return 1;
}

static int cmac_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct mac *m = ctx;
    if (UNLIKELY(m->other != NULL))
        return libcrypto_of(m->provider)->EVP_MAC_final(m->other, out, out_len, out_size) > 0;
    if (!is_running(m))
        return 0;
    if (out_size < m->row->out_len)
        return RAISE(m->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    const int error = hr_cmac_final(&m->cmac.stream, out);
    m->running = 0;
    m->ended = 1;
    if (UNLIKELY(error))
        return RAISE_HR(m->provider, error);
    *out_len = m->row->out_len;
    return 1;
}

const OSSL_DISPATCH cmac_functions[] = {
    FUNCTION(OSSL_FUNC_MAC_NEWCTX, cmac_newctx),
    FUNCTION(OSSL_FUNC_MAC_DUPCTX, mac_dupctx),
    FUNCTION(OSSL_FUNC_MAC_FREECTX, mac_freectx),
    FUNCTION(OSSL_FUNC_MAC_INIT, cmac_init),
    FUNCTION(OSSL_FUNC_MAC_UPDATE, cmac_update),
    FUNCTION(OSSL_FUNC_MAC_FINAL, cmac_final),
    FUNCTION(OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS, cmac_gettable),
    FUNCTION(OSSL_FUNC_MAC_GET_CTX_PARAMS, cmac_get_params),
    FUNCTION(OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, cmac_settable),
    FUNCTION(OSSL_FUNC_MAC_SET_CTX_PARAMS, cmac_set_params),
    { 0, NULL },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* GMAC's cipher.  The library computes GMAC over AES.  GMAC over another cipher (ARIA, Camellia,
 * SM4), or over AES with properties, is computed by another provider in the same library context,
 * which raises its own errors. */
#include "mac.h"
#include "params.h"

static const struct {
    enum row_index cipher, gmac;
} rows[] = {
    { INDEX_aes_128_gcm, INDEX_aes_128_gmac },
    { INDEX_aes_192_gcm, INDEX_aes_192_gmac },
    { INDEX_aes_256_gcm, INDEX_aes_256_gmac },
};

static void leave_other(struct mac *m)
{
    if (m->other)
        libcrypto_of(m->provider)->EVP_MAC_CTX_free(m->other);
    m->other = NULL;
}

static int ask_other(struct mac *m, const OSSL_PARAM params[])
{
    const struct libcrypto *ssl = libcrypto_of(m->provider);
    if (!m->other) {
        EVP_MAC *mac = ssl->EVP_MAC_fetch(ssl->libctx, "GMAC", "provider!=headrace");
        m->other = mac ? ssl->EVP_MAC_CTX_new(mac) : NULL;
        ssl->EVP_MAC_free(mac); /* the context holds it */
    }
    return m->other && ssl->EVP_MAC_CTX_set_params(m->other, params) > 0;
}

/* take_ours makes the context start again without key and IV, even for the same cipher. */
static int take_ours(struct mac *m, enum row_index index)
{
    leave_other(m);
    m->key_set = m->running = 0;
    m->iv_state = MAC_IV_NONE;
    if (m->row == hr_algorithm_at(index))
        return 1;
    m->row = hr_algorithm_at(index);
    stats_fold(&m->served);
    served_init(&m->served, index);
    return 1;
}

/* take_cipher applies properties only to the cipher in the same list.  Empty properties ask for
 * nothing. */
static int take_cipher(struct mac *m, const OSSL_PARAM params[], const OSSL_PARAM *cipher)
{
    const OSSL_PARAM *properties = param_find(params, OSSL_MAC_PARAM_PROPERTIES);
    const char *text;
    size_t len, i = 0;
    if (!param_get_text(cipher, &text, &len))
        return RAISE(m->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    while (i < COUNT(rows) &&
           !params_name_in_list(hr_algorithm_at(rows[i].cipher)->openssl_names, text, len))
        i++;
    const int asks = properties && (!param_get_text(properties, &text, &len) || len);
    return i == COUNT(rows) || asks ? ask_other(m, params) : take_ours(m, rows[i].gmac);
}

int gmac_set_params(struct mac *m, const OSSL_PARAM params[])
{
    const OSSL_PARAM *cipher = param_find(params, OSSL_MAC_PARAM_CIPHER);
    const OSSL_PARAM *key = param_find(params, OSSL_MAC_PARAM_KEY);
    const OSSL_PARAM *iv = param_find(params, OSSL_MAC_PARAM_IV);
    const void *bytes;
    size_t len;
    if (cipher ? !take_cipher(m, params, cipher) : m->other && !ask_other(m, params))
        return 0;
    if (m->other)
        return 1; /* ask_other passed all parameters on */
    if (key && (!param_get_octets(key, &bytes, &len) || !bytes || !mac_set_key(m, bytes, len)))
        return 0;
    return !iv || (param_get_octets(iv, &bytes, &len) && m->row && mac_set_iv(m, bytes, len));
}

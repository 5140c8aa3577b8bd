/* SPDX-License-Identifier: Apache-2.0 */
/* The cipher of GMAC and CMAC.  The library computes GMAC over AES, and CMAC over AES and triple
 * DES. Over another cipher (ARIA, Camellia, SM4), or with properties, another provider in the same
 * library context computes it, which raises its own errors. */
#include "mac.h"
#include "params.h"

static const struct mac_of_cipher rows[] = {
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
        EVP_MAC *mac =
            ssl->EVP_MAC_fetch(ssl->libctx, m->is_cmac ? "CMAC" : "GMAC", "provider!=headrace");
        m->other = mac ? ssl->EVP_MAC_CTX_new(mac) : NULL;
        ssl->EVP_MAC_free(mac); /* the context holds it */
    }
    return m->other && ssl->EVP_MAC_CTX_set_params(m->other, params) > 0;
}

/* take_ours makes the context start again without key and IV, even for the same cipher. */
static void take_ours(struct mac *m, enum row_index index)
{
    m->key_set = m->running = 0;
    m->iv_state = MAC_IV_NONE;
    mac_take_row(m, index);
}

/* Properties apply only to the cipher in the same list.  Empty properties ask for nothing. */
int mac_cipher_asked(struct mac *m, const OSSL_PARAM params[], const struct mac_of_cipher rows_of[],
                     size_t num_rows)
{
    const OSSL_PARAM *cipher = param_find(params, OSSL_MAC_PARAM_CIPHER);
    const OSSL_PARAM *properties = param_find(params, OSSL_MAC_PARAM_PROPERTIES);
    const char *text;
    size_t len, i = 0;
    if (!cipher)
        return m->other && !ask_other(m, params) ? -1 : 0;
    if (!param_get_text(cipher, &text, &len)) {
        RAISE(m->provider, PROV_R_FAILED_TO_GET_PARAMETER);
        return -1;
    }
    while (i < num_rows &&
           !params_name_in_list(hr_algorithm_at(rows_of[i].cipher)->openssl_names, text, len))
        i++;
    const int asks = properties && (!param_get_text(properties, &text, &len) || len);
    if (i == num_rows || asks)
        return ask_other(m, params) ? 0 : -1;
    leave_other(m);
    return rows_of[i].mac;
}

int gmac_set_params(struct mac *m, const OSSL_PARAM params[])
{
    const OSSL_PARAM *key = param_find(params, OSSL_MAC_PARAM_KEY);
    const OSSL_PARAM *iv = param_find(params, OSSL_MAC_PARAM_IV);
    const void *bytes;
    size_t len;
    const int asked = mac_cipher_asked(m, params, rows, COUNT(rows));
    if (asked < 0 || m->other)
        return asked >= 0; /* the other provider has got all parameters */
    if (asked)
        take_ours(m, (enum row_index)asked);
    if (key && (!param_get_octets(key, &bytes, &len) || !bytes || !mac_set_key(m, bytes, len)))
        return 0;
    return !iv || (param_get_octets(iv, &bytes, &len) && m->row && mac_set_iv(m, bytes, len));
}

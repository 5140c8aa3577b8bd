/* SPDX-License-Identifier: Apache-2.0 */
/* The provider side of an EVP_MAC_CTX: GMAC, Poly1305, Poly1305-AES, KASUMI-F9.  GMAC is one name
 * in OpenSSL and a row for each length of AES keys; over a cipher that is not ours it is left to
 * another provider: what OpenSSL alone can do must not fail because we are there. */
#ifndef HR_PROVIDER_MAC_H
#define HR_PROVIDER_MAC_H

#include "../stats.h"
#include "provider.h"

enum { MAX_MAC_IV = 128 }; /* as long as the default provider takes them */

/* Of the next message, or the one that runs. */
enum mac_iv { MAC_IV_NONE, MAC_IV_GIVEN, MAC_IV_SPENT };

struct mac {
    struct hr_nmac_key key;
    struct hr_nmac_ctx stream;      /* while running */
    const struct hr_algorithm *row; /* GMAC: NULL until its cipher is known */
    const struct provider *provider;
    EVP_MAC_CTX *other; /* GMAC of another provider, which then does everything; or NULL */
    struct served served;
    void *block; /* from malloc, somewhere before */
    size_t iv_len;
    uint8_t iv_state, key_set, running, is_gmac;
    uint8_t iv[MAX_MAC_IV];
};

/* ---- mac.c ---- */

/* 1, or 0 with an error raised. */
int mac_set_key(struct mac *m, const void *key, size_t key_len);
int mac_set_iv(struct mac *m, const void *iv, size_t iv_len);

/* ---- mac_gmac.c ---- */

/* GMAC's parameters, in the order in which they depend on each other.  1, or 0. */
int gmac_set_params(struct mac *m, const OSSL_PARAM params[]);

#endif

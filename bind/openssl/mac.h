/* SPDX-License-Identifier: Apache-2.0 */
/* The provider side of an EVP_MAC_CTX: GMAC, Poly1305, Poly1305-AES, KASUMI-F9.  GMAC is one name
 * in OpenSSL and a row for each length of AES keys.  GMAC over another cipher is left to another
 * provider: a MAC that OpenSSL alone can compute must not fail because Headrace is there. */
#ifndef HR_PROVIDER_MAC_H
#define HR_PROVIDER_MAC_H

#include "../stats.h"
#include "provider.h"

enum { MAX_MAC_IV = 128 }; /* the default provider's limit */

/* enum mac_iv is the state of the IV of the running message, or else of the next one. */
enum mac_iv { MAC_IV_NONE, MAC_IV_GIVEN, MAC_IV_SPENT };

struct mac {
    struct hr_nmac_key key;
    struct hr_nmac_ctx stream;      /* while running */
    const struct hr_algorithm *row; /* GMAC: NULL until its cipher is known */
    const struct provider *provider;
    EVP_MAC_CTX *other; /* GMAC of another provider, which then computes all; or NULL */
    struct served served;
    void *block; /* malloc's pointer, of which the struct is an aligned part */
    size_t iv_len;
    uint8_t iv_state, key_set, running, is_gmac;
    uint8_t iv[MAX_MAC_IV];
};

/* ---- mac.c ---- */

/* mac_set_key and mac_set_iv return 1, or 0 with an error raised. */
int mac_set_key(struct mac *m, const void *key, size_t key_len);
int mac_set_iv(struct mac *m, const void *iv, size_t iv_len);

/* ---- mac_gmac.c ---- */

/* gmac_set_params takes GMAC's parameters in the order in which they depend on each other.  It
 * returns 1 or 0. */
int gmac_set_params(struct mac *m, const OSSL_PARAM params[]);

#endif

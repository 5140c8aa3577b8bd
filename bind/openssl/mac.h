/* SPDX-License-Identifier: Apache-2.0 */
/* The provider side of an EVP_MAC_CTX: GMAC, Poly1305, Poly1305-AES, KASUMI-F9, CMAC.  GMAC is one
 * name in OpenSSL and a row for each length of AES keys, CMAC a row for each cipher.  Over another
 * cipher both are left to another provider: a MAC that OpenSSL alone can compute must not fail
 * because Headrace is there. */
#ifndef HR_PROVIDER_MAC_H
#define HR_PROVIDER_MAC_H

#include "../stats.h"
#include "provider.h"

enum { MAX_MAC_IV = 128 }; /* the default provider's limit */

/* enum mac_iv is the state of the IV of the running message, or else of the next one. */
enum mac_iv { MAC_IV_NONE, MAC_IV_GIVEN, MAC_IV_SPENT };

struct mac {
    union {
        struct {
            struct hr_nmac_key key;
            struct hr_nmac_ctx stream; /* while running */
        };
        struct {
            struct hr_cmac_key key;
            struct hr_cmac_ctx stream; /* while running */
        } cmac;
    };
    const struct hr_algorithm *row; /* GMAC, CMAC: NULL until the cipher is known */
    const struct provider *provider;
    EVP_MAC_CTX *other; /* of another provider, which then computes all; or NULL */
    struct served served;
    void *block; /* malloc's pointer, of which the struct is an aligned part */
    size_t iv_len;
    uint16_t next; /* CMAC: the row, as enum row_index, of the next key; 0: no cipher was named */
    uint8_t iv_state, key_set, running, is_gmac, is_cmac, ended;
    uint8_t iv[MAX_MAC_IV];
};

/* ---- mac.c ---- */

/* mac_newctx makes a context, for GMAC and CMAC with row NULL, whose calls are counted for `index`;
 * mac_take_row changes both.  mac_dupctx and mac_freectx are those of every MAC. */
void *mac_newctx(void *provctx, const struct hr_algorithm *row, enum row_index index);
void mac_take_row(struct mac *m, enum row_index index);
void *mac_dupctx(void *ctx);
void mac_freectx(void *ctx);
/* mac_set_key and mac_set_iv return 1, or 0 with an error raised. */
int mac_set_key(struct mac *m, const void *key, size_t key_len);
int mac_set_iv(struct mac *m, const void *iv, size_t iv_len);

/* mac_is_size compares without a call of libc, since EVP_MAC_final asks for the size each time. */
static inline int mac_is_size(const char *key)
{
    const char *size = OSSL_MAC_PARAM_SIZE;
    for (; *size && *size == *key; size++)
        key++;
    return *size == *key;
}

/* ---- mac_cmac.c ---- */

extern const OSSL_DISPATCH cmac_functions[];

/* ---- mac_gmac.c ---- */

struct mac_of_cipher {
    uint8_t cipher, mac; /* enum row_index */
};
/* mac_cipher_asked looks for a cipher among the parameters.  It returns the row of its MAC; 0 if
 * none is named or m->other computes it, which has then got all parameters; -1 with an error
 * raised. */
int mac_cipher_asked(struct mac *m, const OSSL_PARAM params[], const struct mac_of_cipher rows[],
                     size_t num_rows);

/* gmac_set_params takes GMAC's parameters in the order in which they depend on each other.  It
 * returns 1 or 0. */
int gmac_set_params(struct mac *m, const OSSL_PARAM params[]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Keys on Curve25519: X25519 (EVP_PKEY-X25519(7)) and Ed25519. */
#ifndef HR_PROVIDER_PKEY_ECX_H
#define HR_PROVIDER_PKEY_ECX_H

#include "pkey.h"
#include <headrace/algorithms.h>

enum { ECX_LEN = 32 }; /* of private and public keys of both */

struct ecx;
/* struct ecx_kind is in what the two differ. */
struct ecx_kind {
    /* public_of computes the public key of key->private.  It returns an HR_E... value. */
    int (*public_of)(uint8_t out[ECX_LEN], struct ecx *key);
    /* prepared_len returns the size of the library's key that `prepared` holds; NULL: none. */
    size_t (*prepared_len)(hr_alg alg);
    uint16_t index; /* enum row_index */
    uint16_t bits, max_size;
    uint8_t signs;
    char group[8]; /* in TLS, or "" */
};

/* struct ecx holds the bytes of a key.  X25519's public key may be set later, for TLS. */
struct ecx {
    struct pkey base;
    const struct ecx_kind *kind;
    _Atomic(void *) prepared; /* the library's key, if it was needed */
    uint8_t public[ECX_LEN], private[ECX_LEN];
};

/* ---- ecx.c ---- */

/* ecx_new makes a key without any part, or returns NULL. */
struct ecx *ecx_new(const struct provider *provider, const struct ecx_kind *kind);
/* ecx_complete computes the public key of key->private.  It returns 1, or 0 with an error raised.
 */
int ecx_complete(struct ecx *key);
/* ecx_keymgmt returns the functions that are the same for both. */
any_function *ecx_keymgmt(int id);

/* ---- ecx_generate.c ---- */

void *ecx_gen_init(void *provctx, int selection, const OSSL_PARAM params[],
                   const struct ecx_kind *kind);
/* ecx_gen_function returns the functions that make keys, but for the one before. */
any_function *ecx_gen_function(int id);

#endif

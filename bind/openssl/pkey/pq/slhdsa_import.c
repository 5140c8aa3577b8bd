/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of SLH-DSA from their parts.  OpenSSL takes the standard's private key, which contains the
 * public one, and does not look at another; or its first half, SK.seed || SK.prf, and the public
 * key. */
#include "lattice.h"
#include <headrace/sign.h>

enum { MAX_KEY = 128 };

/* find_part gets a part of one of two lengths.  It returns 1 also if the part is absent. */
static int find_part(const OSSL_PARAM *p, size_t len, size_t or_len, const void **bytes,
                     size_t *bytes_len)
{
    *bytes_len = 0;
    return !p ||
           (param_get_octets(p, bytes, bytes_len) && (*bytes_len == len || *bytes_len == or_len));
}

int slhdsa_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct lattice *key = keydata;
    uint8_t both[MAX_KEY];
    const void *private = NULL, *public = NULL;
    size_t private_len = 0, public_len = 0;
    if (!key || key->made || !(selection & OSSL_KEYMGMT_SELECT_KEYPAIR))
        return 0;
    const size_t whole = key->row->key_len, half = whole / 2;
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY &&
        !find_part(param_find(params, OSSL_PKEY_PARAM_PRIV_KEY), whole, half, &private,
                   &private_len))
        return 0;
    if (private_len == whole)
        return !lattice_make(key, private, whole, 0);
    if (!find_part(param_find(params, OSSL_PKEY_PARAM_PUB_KEY), half, half, &public, &public_len) ||
        !public_len)
        return 0;
    if (!private_len)
        return !lattice_make(key, public, half, 1);
    memcpy(both, private, half);
    memcpy(both + half, public, half);
    const int error = lattice_make(key, both, whole, 0);
    WIPE(&both);
    return !error;
}

int slhdsa_is_consistent(const struct lattice *key)
{
    uint8_t seed[LATTICE_MAX_SEED], want[MAX_KEY / 2], got[MAX_KEY / 2];
    size_t seed_len = sizeof seed, len = sizeof want;
    const size_t size = hr_sign_key_size(key->row->alg);
    void *made = pkey_aligned(size);
    const int same = made && key->base.has_private &&
                     !hr_sign_key_seed(seed, &seed_len, key->made) &&
                     !hr_sign_key_init(made, key->row->alg, seed, seed_len) &&
                     !hr_sign_key_public(want, &len, made) &&
                     !hr_sign_key_public(got, &len, key->made) && !memcmp(got, want, len);
    bytes_free(made, size);
    WIPE(&seed);
    return same;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of EC keys by SP 800-56A.  A key of ours had its point looked for on the curve, and its
 * scalar's range, when it was made, and the curves have the cofactor 1: then a point on the curve
 * has its order (section 5.6.2.3.3).  What is left is that public and private key fit. */
#include "ec.h"

/* is_pair tells whether the public key is the private one's (section 5.6.2.1.4). */
static int is_pair(struct ec_key *key)
{
    uint8_t point[EC_MAX_POINT];
    if (!ec_key_compute_point(point, key))
        return 0;
    return !memcmp(point, key->point, ec_point_len(key->curve)) ||
           RAISE_EC(key->head.provider, EC_R_INVALID_PRIVATE_KEY);
}

int ec_validate(const void *keydata, int selection, int type)
{
    struct ec_key *key = (void *)(uintptr_t)keydata;
    const int pair = OSSL_KEYMGMT_SELECT_KEYPAIR;
    selection = pkey_parts_here(&key->head, selection);
    if (!(selection & (pair | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS)))
        return 1;
    if (key->foreign)
        return other_validate(key->head.provider, key->foreign, selection, type);
    if (!key->curve)
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY && !key->head.has_public) ||
        (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && !key->head.has_private))
        return RAISE_EC(key->head.provider, ERR_R_PASSED_NULL_PARAMETER);
    return (selection & pair) != pair || is_pair(key);
}

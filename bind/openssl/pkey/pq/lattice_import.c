/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of ML-KEM and ML-DSA from their parts.  A seed and a private key must agree, and so must a
 * public key with the private key; ML-KEM's private key is tried, too (pairwise consistency). */
#include "lattice.h"
#include <headrace/kem.h>

#define PARAM_SEED "seed"

struct parts {
    struct {
        const void *at;
        size_t len; /* 0: absent */
    } part[NUM_LATTICE_PARTS];
};

/* empty_is_absent: to ML-DSA of OpenSSL 3.5, a part of no bytes is one of a wrong length. */
static int empty_is_absent(const struct lattice *key)
{
    return lattice_is_kem(key->row) || is_openssl_4(key->base.provider);
}

static int find_part(struct parts *parts, const struct lattice *key, enum lattice_part which,
                     const OSSL_PARAM *p)
{
    const void *bytes;
    size_t len;
    if (!p)
        return 1;
    if (!param_get_octets(p, &bytes, &len))
        return 0;
    const int absent = empty_is_absent(key) ? !len : !bytes;
    if (!absent && len != lattice_part_len(key->row, which))
        return RAISE(key->base.provider,
                     which == PART_SEED ? PROV_R_INVALID_SEED_LENGTH : PROV_R_INVALID_KEY_LENGTH);
    parts->part[which].at = bytes;
    parts->part[which].len = len;
    return 1;
}

static int find_parts(struct parts *parts, const struct lattice *key, int with_private,
                      const OSSL_PARAM params[])
{
    const OSSL_PARAM *public = param_find(params, OSSL_PKEY_PARAM_PUB_KEY);
    const int kem = lattice_is_kem(key->row);
    *parts = (struct parts){ 0 };
    if (!kem && !find_part(parts, key, PART_PUBLIC, public)) /* in OpenSSL's order */
        return 0;
    if (with_private &&
        (!find_part(parts, key, PART_SEED, param_find(params, PARAM_SEED)) ||
         !find_part(parts, key, PART_PRIVATE, param_find(params, OSSL_PKEY_PARAM_PRIV_KEY))))
        return 0;
    if (kem && !find_part(parts, key, PART_PUBLIC, public))
        return 0;
    return parts->part[PART_SEED].len || parts->part[PART_PRIVATE].len ||
           parts->part[PART_PUBLIC].len || RAISE(key->base.provider, PROV_R_MISSING_KEY);
}

/* The coefficients have 12 bits each, and stand before the public key.  The time does not depend on
 * them. */
int lattice_is_reduced(const struct hr_algorithm *row, const uint8_t *private)
{
    enum { Q = 3329, REST = 32 }; /* bytes of the public key behind its vector */
    uint32_t wrong = 0;
    for (size_t i = 0; i + 3 <= (size_t)row->public_len - REST; i += 3) {
        const uint32_t both =
            private[i] | (uint32_t) private[i + 1] << 8 | (uint32_t) private[i + 2] << 16;
        wrong |= (Q - 1 - (both & 0xfff)) | (Q - 1 - (both >> 12));
    }
    return !(wrong >> 31);
}

/* make_private makes a key of the seed, or of the private key, or of the one before the other. */
static int make_private(struct lattice *key, const struct parts *parts)
{
    uint8_t both[LATTICE_MAX_SEED + LATTICE_MAX_PRIVATE];
    size_t len = 0;
    for (enum lattice_part part = PART_SEED; part <= PART_PRIVATE; part++)
        if (parts->part[part].len) {
            memcpy(both + len, parts->part[part].at, parts->part[part].len);
            len += parts->part[part].len;
        }
    const int fits = !lattice_is_kem(key->row) || !parts->part[PART_PRIVATE].len ||
                     lattice_is_reduced(key->row, parts->part[PART_PRIVATE].at);
    const int error = fits ? lattice_make(key, both, len, 0) : HR_EKEY;
    WIPE(&both);
    if (!error)
        return 1;
    if (lattice_is_kem(key->row))
        return RAISE(key->base.provider, PROV_R_INVALID_KEY);
    return parts->part[PART_SEED].len ? RAISE(key->base.provider, PROV_R_FAILED_TO_GENERATE_KEY)
                                      : 0;
}

int lattice_is_consistent(const struct provider *provider, const struct hr_kem_key *key)
{
    uint8_t random[HR_KEM_RANDOM_LEN], secret[HR_KEM_SECRET_LEN], got[HR_KEM_SECRET_LEN];
    uint8_t ct[HR_KEM_MAX_CIPHERTEXT];
    size_t len = sizeof ct;
    const int same = random_bytes(provider, random, sizeof random) &&
                     !hr_kem_encapsulate(ct, &len, secret, key, random) &&
                     !hr_kem_decapsulate(got, ct, len, key) && bytes_equal(secret, got, sizeof got);
    WIPE(&secret);
    WIPE(&got);
    return same;
}

/* has_public tells whether the key's public part is this one, if one is given.  To OpenSSL, a seed
 * of ML-KEM without private key overrides it. */
static int has_public(const struct lattice *key, const struct parts *parts)
{
    uint8_t public[LATTICE_MAX_PUBLIC];
    if (!parts->part[PART_PUBLIC].len ||
        (lattice_is_kem(key->row) && !parts->part[PART_PRIVATE].len))
        return 1;
    return (lattice_part(public, key, PART_PUBLIC) &&
            bytes_equal(public, parts->part[PART_PUBLIC].at, key->row->public_len)) ||
           RAISE(key->base.provider, PROV_R_INVALID_KEY);
}

/* is_odd: OpenSSL's ML-DSA refuses a private key of no bytes beside a seed, without a reason. */
static int is_odd(const struct parts *parts, const struct lattice *key)
{
    const void *private = parts->part[PART_PRIVATE].at;
    return !lattice_is_kem(key->row) && private && !parts->part[PART_PRIVATE].len &&
           parts->part[PART_SEED].len;
}

int lattice_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct lattice *key = keydata;
    struct parts parts;
    if (!key || key->made || !(selection & OSSL_KEYMGMT_SELECT_KEYPAIR) ||
        !find_parts(&parts, key, selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY, params))
        return 0;
    if (is_odd(&parts, key))
        return 0;
    if (!parts.part[PART_SEED].len && !parts.part[PART_PRIVATE].len)
        return !lattice_make(key, parts.part[PART_PUBLIC].at, parts.part[PART_PUBLIC].len, 1) ||
               RAISE(key->base.provider, PROV_R_INVALID_KEY);
    if (!make_private(key, &parts))
        return 0;
    if (has_public(key, &parts) && (!lattice_is_kem(key->row) || key->has_seed ||
                                    lattice_is_consistent(key->base.provider, key->made) ||
                                    RAISE(key->base.provider, PROV_R_INVALID_KEY)))
        return 1;
    lattice_reset(key);
    return 0;
}

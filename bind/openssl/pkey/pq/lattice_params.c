/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of keys of ML-KEM, ML-DSA and SLH-DSA. */
#include "lattice.h"
#include <headrace/kem.h>

#define PARAM_SEED "seed"
/* CMS asks these of a key with OpenSSL 4: which kind of recipient it is for, and the key derivation
 * that goes with it. */
#define PARAM_RECIPIENT "ri-type"
#define PARAM_RECIPIENT_KDF "kemri-kdf-alg"
enum { RECIPIENT_SINCE = 400, RECIPIENT_KEM = 5 };
/* The AlgorithmIdentifier of HKDF with SHA-256, 1.2.840.113549.1.9.16.3.28 without parameters (RFC
 * 8619), which RFC 9936 section 2.2.1 asks for. */
static const uint8_t recipient_kdf[] = { 0x30, 0x0d, 0x06, 0x0b, 0x2a, 0x86, 0x48, 0x86,
                                         0xf7, 0x0d, 0x01, 0x09, 0x10, 0x03, 0x1c };

enum { BITS, SECURITY_BITS, MAX_SIZE, CATEGORY, NUM_NUMBERS };
enum {
    PUBLIC = NUM_NUMBERS,
    PRIVATE,
    SEED,
    ENCODED,
    MANDATORY_DIGEST,
    RECIPIENT,
    RECIPIENT_KDF,
    NUM_KEYS
};
static const param_name keys[NUM_KEYS] = {
    [BITS] = OSSL_PKEY_PARAM_BITS,
    [SECURITY_BITS] = OSSL_PKEY_PARAM_SECURITY_BITS,
    [MAX_SIZE] = OSSL_PKEY_PARAM_MAX_SIZE,
    [CATEGORY] = PARAM_CATEGORY,
    [PUBLIC] = OSSL_PKEY_PARAM_PUB_KEY,
    [PRIVATE] = OSSL_PKEY_PARAM_PRIV_KEY,
    [SEED] = PARAM_SEED,
    [ENCODED] = OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY,
    [MANDATORY_DIGEST] = OSSL_PKEY_PARAM_MANDATORY_DIGEST,
    [RECIPIENT] = PARAM_RECIPIENT,
    [RECIPIENT_KDF] = PARAM_RECIPIENT_KDF,
};

/* slhdsa_number answers what FIPS 205 table 2 says of a row.  n is a quarter of the private key. */
static uint64_t slhdsa_number(const struct hr_algorithm *row, int which)
{
    const unsigned n = row->key_len / 4u;
    switch (which) {
    case BITS:
        return 8 * (uint64_t)row->public_len;
    case SECURITY_BITS:
        return 8 * (uint64_t)n;
    case MAX_SIZE:
        return row->out_len;
    default:
        return n / 4 - 3; /* 1, 3, 5 */
    }
}

/* number answers what FIPS 203 and 204 say of a row; OpenSSL's "bits" are the rank of ML-KEM's
 * module times 256, but the length of ML-DSA's public key. */
static uint64_t number(const struct hr_algorithm *row, int which)
{
    static const uint8_t categories[] = { 1, 3, 5, 2, 3, 5 };
    static const uint16_t security[] = { 128, 192, 256, 128, 192, 256 };
    static const uint16_t bits[] = { 512, 768, 1024 };
    if (lattice_is_slhdsa(row))
        return slhdsa_number(row, which);
    const int kem = lattice_is_kem(row);
    const hr_alg first = kem ? HR_MLKEM512 : HR_MLDSA44;
    const unsigned level = (unsigned)row->alg - (unsigned)first, at = level + (kem ? 0 : 3);
    switch (which) {
    case BITS:
        return kem ? bits[level] : 8 * (uint64_t)row->public_len;
    case SECURITY_BITS:
        return security[at];
    case MAX_SIZE:
        return kem ? hr_kem_ciphertext_len(row->alg) : row->out_len;
    default:
        return categories[at];
    }
}

/* answer_part writes a part in place.  A part that the key does not have is left alone. */
static int answer_part(OSSL_PARAM *p, const struct lattice *key, enum lattice_part part)
{
    if (!lattice_has_part(key, part))
        return 1;
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return 0;
    p->return_size = lattice_part_len(key->row, part);
    return !p->data || (p->data_size >= p->return_size && lattice_part(p->data, key, part));
}

static int answer(OSSL_PARAM *p, const struct lattice *key, int which)
{
    const int kem = lattice_is_kem(key->row);
    switch (which) {
    case PUBLIC:
        return answer_part(p, key, PART_PUBLIC);
    case ENCODED:
        return !kem || answer_part(p, key, PART_PUBLIC);
    case PRIVATE:
        return answer_part(p, key, PART_PRIVATE);
    case SEED:
        return answer_part(p, key, PART_SEED);
    case MANDATORY_DIGEST: /* the message is never digested before */
        return kem || param_set_text(p, "");
    case RECIPIENT:
        return !kem || param_set_number(p, RECIPIENT_KEM);
    case RECIPIENT_KDF:
        return !kem || param_set_octets(p, recipient_kdf, sizeof recipient_kdf);
    default:
        return which < 0 || param_set_number(p, number(key->row, which));
    }
}

/* is_new tells whether this release of OpenSSL does not know the parameter. */
static int is_new(const struct lattice *key, int which)
{
    static const uint16_t since[NUM_KEYS] = { [CATEGORY] = CATEGORY_SINCE,
                                              [RECIPIENT] = RECIPIENT_SINCE,
                                              [RECIPIENT_KDF] = RECIPIENT_SINCE };
    return which >= 0 && since[which] && win_release(key->base.provider) < since[which];
}

int lattice_get_params(void *keydata, OSSL_PARAM params[])
{
    int good = 1;
    for (OSSL_PARAM *p = params; p && p->key && good; p++) {
        const int which = param_key(p, keys, NUM_KEYS);
        good = is_new(keydata, which) || answer(p, keydata, which);
    }
    return good;
}

const OSSL_PARAM *mlkem_gettable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_INT(OSSL_PKEY_PARAM_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_SECURITY_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_MAX_SIZE),
        PARAM_INT_SINCE(CATEGORY_SINCE, PARAM_CATEGORY),
        PARAM_OCTETS(PARAM_SEED),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PRIV_KEY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PUB_KEY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY),
        PARAM_INT_SINCE(RECIPIENT_SINCE, PARAM_RECIPIENT),
        PARAM_OCTETS_SINCE(RECIPIENT_SINCE, PARAM_RECIPIENT_KDF),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_MLKEM_GOT, list);
}

const OSSL_PARAM *mldsa_gettable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_INT(OSSL_PKEY_PARAM_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_SECURITY_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_MAX_SIZE),
        PARAM_INT_SINCE(CATEGORY_SINCE, PARAM_CATEGORY),
        PARAM_TEXT(OSSL_PKEY_PARAM_MANDATORY_DIGEST),
        PARAM_OCTETS(PARAM_SEED),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PUB_KEY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PRIV_KEY),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_MLDSA_GOT, list);
}

const OSSL_PARAM *slhdsa_gettable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_INT(OSSL_PKEY_PARAM_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_SECURITY_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_MAX_SIZE),
        PARAM_INT_SINCE(CATEGORY_SINCE, PARAM_CATEGORY),
        PARAM_TEXT(OSSL_PKEY_PARAM_MANDATORY_DIGEST),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PUB_KEY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PRIV_KEY),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_SLHDSA_GOT, list);
}

/* mlkem_set_params takes the public key of a TLS peer, once. */
int mlkem_set_params(void *keydata, const OSSL_PARAM params[])
{
    struct lattice *key = keydata;
    const OSSL_PARAM *p = param_find(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);
    const void *bytes;
    size_t len;
    if (!p)
        return 1;
    if (!param_get_octets(p, &bytes, &len) || len != key->row->public_len)
        return RAISE(key->base.provider, PROV_R_INVALID_KEY);
    if (key->made)
        return RAISE(key->base.provider, PROV_R_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE);
    return !lattice_make(key, bytes, len, 1) || RAISE(key->base.provider, PROV_R_INVALID_KEY);
}

const OSSL_PARAM *mlkem_settable(void *provctx)
{
    static const struct param_spec list[] = { PARAM_OCTETS(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY),
                                              PARAM_LIST_END };
    return param_list(provctx, LIST_MLKEM_TAKEN, list);
}

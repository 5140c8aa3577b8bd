/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "token_sets.h"
#include "../../accel/config/der.h"
#include <headrace/algorithms.h>
#include <stdlib.h>
#include <string.h>

static const struct set {
    CK_KEY_TYPE type;
    CK_ULONG set;
    hr_alg alg;
} sets[] = {
    { CKK_ML_DSA, CKP_ML_DSA_44, HR_MLDSA44 },
    { CKK_ML_DSA, CKP_ML_DSA_65, HR_MLDSA65 },
    { CKK_ML_DSA, CKP_ML_DSA_87, HR_MLDSA87 },
    { CKK_ML_KEM, CKP_ML_KEM_512, HR_MLKEM512 },
    { CKK_ML_KEM, CKP_ML_KEM_768, HR_MLKEM768 },
    { CKK_ML_KEM, CKP_ML_KEM_1024, HR_MLKEM1024 },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHA2_128S, HR_SLHDSA_SHA2_128S },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHA2_128F, HR_SLHDSA_SHA2_128F },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHA2_192S, HR_SLHDSA_SHA2_192S },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHA2_192F, HR_SLHDSA_SHA2_192F },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHA2_256S, HR_SLHDSA_SHA2_256S },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHA2_256F, HR_SLHDSA_SHA2_256F },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_128S, HR_SLHDSA_SHAKE_128S },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_128F, HR_SLHDSA_SHAKE_128F },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_192S, HR_SLHDSA_SHAKE_192S },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_192F, HR_SLHDSA_SHAKE_192F },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_256S, HR_SLHDSA_SHAKE_256S },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_256F, HR_SLHDSA_SHAKE_256F },
};

const char *token_set_name(CK_KEY_TYPE type, CK_ULONG set)
{
    for (size_t i = 0; i < COUNT(sets); i++)
        if (sets[i].type == type && sets[i].set == set)
            return hr_algorithm(sets[i].alg)->name;
    return NULL;
}

static const struct set *set_of(hr_alg alg)
{
    for (size_t i = 0; i < COUNT(sets); i++)
        if (sets[i].alg == alg)
            return &sets[i];
    return NULL;
}

hr_alg token_set_of(const char *oid)
{
    const struct hr_algorithm *row = hr_algorithm_by_name(oid);
    return row && set_of(row->alg) ? row->alg : HR_ALG_NONE;
}

/* ---- the library's keys ---- */

typedef int init_fn(void *key, hr_alg alg, const uint8_t *bytes, size_t len);
typedef int bytes_fn(uint8_t *out, size_t *len, const void *key);
static const struct calls {
    size_t (*size)(hr_alg alg);
    init_fn *init, *init_public;
    bytes_fn *private, *seed, *public;
} * calls_of(const struct hr_algorithm *row);

#define CALLS(stem)                                                                  \
    static int stem##_init(void *key, hr_alg alg, const uint8_t *bytes, size_t len)  \
    {                                                                                \
        return hr_##stem##_key_init(key, alg, bytes, len);                           \
    }                                                                                \
    static int stem##_init_public(void *key, hr_alg alg, const uint8_t *b, size_t n) \
    {                                                                                \
        return hr_##stem##_key_init_public(key, alg, b, n);                          \
    }                                                                                \
    static int stem##_private(uint8_t *out, size_t *len, const void *key)            \
    {                                                                                \
        return hr_##stem##_key_private(out, len, key);                               \
    }                                                                                \
    static int stem##_seed(uint8_t *out, size_t *len, const void *key)               \
    {                                                                                \
        return hr_##stem##_key_seed(out, len, key);                                  \
    }                                                                                \
    static int stem##_public(uint8_t *out, size_t *len, const void *key)             \
    {                                                                                \
        return hr_##stem##_key_public(out, len, key);                                \
    }                                                                                \
    static const struct calls stem##_calls = { hr_##stem##_key_size, stem##_init,    \
                                               stem##_init_public,   stem##_private, \
                                               stem##_seed,          stem##_public };
CALLS(sign)
CALLS(kem)

static const struct calls *calls_of(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_KEM ? &kem_calls : &sign_calls;
}

/* ---- the forms of private keys ---- */

enum { ML_DSA_SEED = 32, ML_KEM_SEED = 64, MOST_PRIVATE = 4896, MOST_PUBLIC = 2592 };
enum { SEED_ALONE = 0x80 /* [0] */ };

static size_t seed_len(CK_KEY_TYPE type)
{
    return type == CKK_ML_DSA ? ML_DSA_SEED : type == CKK_ML_KEM ? ML_KEM_SEED : 0;
}

/* enter steps over the tag and the length of an element whose length is known. */
static bool enter(const unsigned char **at, size_t *left, uint8_t tag, size_t len)
{
    const unsigned char head[] = { tag, 0x82, (unsigned char)(len >> 8), (unsigned char)len };
    const unsigned char short_head[] = { tag, (unsigned char)len };
    const unsigned char *wanted = len < 128 ? short_head : head;
    const size_t n = len < 128 ? sizeof short_head : sizeof head;
    if (*left < n + len || memcmp(*at, wanted, n) != 0)
        return false;
    *at += n;
    *left -= n;
    return true;
}

/* unpack writes the seed, the key, or both, one after the other, as the library takes them. Returns
 * how many bytes, 0: it is no such key. */
static size_t unpack(uint8_t out[ML_KEM_SEED + MOST_PRIVATE], const struct token_set_key *key,
                     CK_KEY_TYPE type)
{
    const size_t seed = seed_len(type), whole = hr_algorithm(key->alg)->key_len;
    const unsigned char *at = key->bytes;
    size_t left = key->len, used = 0;
    if (seed && enter(&at, &left, SEED_ALONE, seed)) {
        used = left == seed ? seed : 0;
    } else if (seed && enter(&at, &left, DER_SEQUENCE, 2 + seed + 4 + whole) &&
               enter(&at, &left, DER_OCTET_STRING, seed)) {
        memcpy(out, at, seed);
        at += seed;
        left -= seed;
        const bool is_fine = enter(&at, &left, DER_OCTET_STRING, whole) && left == whole;
        memcpy(out + seed, at, is_fine ? whole : 0);
        return is_fine ? seed + whole : 0;
    } else if (!seed || enter(&at, &left, DER_OCTET_STRING, whole)) {
        used = left == whole ? whole : 0;
    }
    memcpy(out, at, used);
    return used;
}

/* ---- objects ---- */

/* add_bytes adds what a call gives of a key; a seed that is not known is left out. */
static bool add_bytes(struct token_template *t, CK_ATTRIBUTE_TYPE type, bytes_fn *call,
                      const void *key)
{
    uint8_t bytes[MOST_PRIVATE];
    size_t len = sizeof bytes;
    const int error = call(bytes, &len, key);
    if (!error)
        template_add(t, type, bytes, len);
    explicit_bzero(bytes, sizeof bytes);
    return !error;
}

/* The id is that of other keys: of the SubjectPublicKeyInfo. */
static bool add_id(struct token_template *t, const struct token_set_key *key, bytes_fn *public,
                   const void *made)
{
    uint8_t bytes[MOST_PUBLIC], info[MOST_PUBLIC + 64], digest[32];
    size_t len = sizeof bytes, info_len;
    if (public(bytes, &len, made))
        return false;
    struct der d = der_begin(info, sizeof info);
    const uint8_t *end = d.end;
    der_put(&d, bytes, len);
    der_byte(&d, 0); /* unused bits */
    der_wrap(&d, DER_BIT_STRING, end);
    const uint8_t *behind = d.at;
    der_put(&d, key->oid, key->oid_len);
    der_wrap(&d, DER_SEQUENCE, behind);
    der_wrap(&d, DER_SEQUENCE, end);
    if (der_finish(&d, info, &info_len))
        return false;
    hr_sha256(digest, info, info_len);
    template_add(t, CKA_ID, digest, TOKEN_ID);
    return true;
}

static bool add_one(struct token_file *f, const struct token_set_key *key, const void *made,
                    CK_OBJECT_CLASS cls)
{
    const struct set *set = set_of(key->alg);
    const struct calls *calls = calls_of(hr_algorithm(key->alg));
    struct token_template *t = token_file_add(f, cls, set->type);
    if (!t)
        return false;
    template_number(t, CKA_PARAMETER_SET, set->set);
    bool is_fine =
        add_id(t, key, calls->public, made) &&
        add_bytes(t, CKA_VALUE, cls == CKO_PRIVATE_KEY ? calls->private : calls->public, made);
    if (cls == CKO_PRIVATE_KEY && seed_len(set->type))
        (void)add_bytes(t, CKA_SEED, calls->seed, made);
    return is_fine && !t->is_full;
}

/* make_private makes a key of its bytes. SLH-DSA's root is computed of the parts before it, and
 * must be the one that is given. */
static bool make_private(void *made, const struct token_set_key *key, const uint8_t *bytes,
                         size_t len)
{
    const struct calls *calls = calls_of(hr_algorithm(key->alg));
    if (set_of(key->alg)->type != CKK_SLH_DSA)
        return !calls->init(made, key->alg, bytes, len);
    uint8_t public[MOST_PUBLIC];
    size_t public_len = sizeof public;
    return !calls->init(made, key->alg, bytes, len / 4 * 3) &&
           !calls->public(public, &public_len, made) && public_len == len / 2 &&
           !memcmp(public, bytes + len / 2, public_len);
}

static bool add_all(struct token_file *f, const struct token_set_key *key, void *made)
{
    const struct calls *calls = calls_of(hr_algorithm(key->alg));
    if (!key->is_private)
        return !calls->init_public(made, key->alg, key->bytes, key->len) &&
               add_one(f, key, made, CKO_PUBLIC_KEY);
    uint8_t bytes[ML_KEM_SEED + MOST_PRIVATE];
    const size_t len = unpack(bytes, key, set_of(key->alg)->type);
    const bool is_fine = len && make_private(made, key, bytes, len);
    explicit_bzero(bytes, sizeof bytes);
    return is_fine && add_one(f, key, made, CKO_PRIVATE_KEY) &&
           add_one(f, key, made, CKO_PUBLIC_KEY);
}

int token_set_take(struct token_file *f, const char *path, const struct token_set_key *key)
{
    const struct hr_algorithm *row = hr_algorithm(key->alg);
    const size_t size = (calls_of(row)->size(key->alg) + 63) / 64 * 64;
    void *made = aligned_alloc(64, size);
    const bool is_fine = made && add_all(f, key, made);
    if (made)
        explicit_bzero(made, size);
    free(made);
    return is_fine ? EXIT_SUCCESS
                   : tool_error("%s: not a%s key of %s", path, key->is_private ? " private" : "",
                                row->name);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* New pairs.  What they are is said by the template of the public key: CKA_MODULUS_BITS,
 * CKA_EC_PARAMS, CKA_PARAMETER_SET, or a group. */
#include "pk.h"
#include <headrace/algorithms.h>

/* What a generator works on. */
struct pair {
    struct module *m;
    struct draft *public_key, *private_key;
    struct pk_source from; /* the template of the public key */
};

static RV add_public(struct pair *p, CK_ATTRIBUTE_TYPE type, const struct hr_number *n)
{
    return draft_add(p->m, p->public_key, type, n->bytes, n->len);
}

static RV add_private(struct pair *p, CK_ATTRIBUTE_TYPE type, const struct hr_number *n)
{
    return draft_add(p->m, p->private_key, type, n->bytes, n->len);
}

/* add_both adds an attribute of the public template to the private key, which may have it already,
 * with the same value. */
static RV add_both(struct pair *p, CK_ATTRIBUTE_TYPE type)
{
    const struct hr_number n = pk_value(&p->from, type);
    const CK_ATTRIBUTE *has = draft_find(p->private_key, type);
    if (!n.len)
        return CKR_TEMPLATE_INCOMPLETE;
    if (has && (has->ulValueLen != n.len || memcmp(has->pValue, n.bytes, n.len)))
        return CKR_TEMPLATE_INCONSISTENT;
    return add_private(p, type, &n);
}

/* with_room calls a function that writes so many bytes of a key, and adds them. */
typedef int write_fn(uint8_t *out, size_t *out_len, const void *key);
static RV add_written(struct pair *p, struct draft *draft, CK_ATTRIBUTE_TYPE type,
                      write_fn *write_key, const void *key)
{
    uint8_t *room = secret_new(p->m, MAX_SECRET);
    size_t len = MAX_SECRET;
    if (!room)
        return CKR_HOST_MEMORY;
    CK_RV rv = error_of(write_key(room, &len, key));
    if (rv == CKR_OK)
        rv = draft_add(p->m, draft, type, room, len);
    secret_free(p->m, room);
    return rv;
}

/* ---- RSA ---- */

static RV exponent_of(const struct pair *p, uint64_t *e)
{
    const struct hr_number n = pk_value(&p->from, CKA_PUBLIC_EXPONENT);
    uint8_t bytes[8];
    *e = 0;
    if (!n.len)
        return CKR_OK; /* 65,537 */
    if (!pk_fit(bytes, sizeof bytes, &n))
        return CKR_ATTRIBUTE_VALUE_INVALID;
    for (size_t i = 0; i < sizeof bytes; i++)
        *e = *e << 8 | bytes[i];
    return *e ? CKR_OK : CKR_ATTRIBUTE_VALUE_INVALID;
}

static RV put_rsa(struct pair *p, const struct hr_rsa_parts *parts)
{
    static const CK_ATTRIBUTE_TYPE types[] = { CKA_MODULUS,          CKA_PUBLIC_EXPONENT,
                                               CKA_PRIVATE_EXPONENT, CKA_PRIME_1,
                                               CKA_PRIME_2,          CKA_EXPONENT_1,
                                               CKA_EXPONENT_2,       CKA_COEFFICIENT };
    const struct hr_number *number = &parts->n;
    CK_RV rv = CKR_OK;
    for (size_t i = 0; i < COUNT(types) && rv == CKR_OK; i++) {
        rv = add_private(p, types[i], &number[i]);
        if (rv == CKR_OK && i < 2)
            rv = add_public(p, types[i], &number[i]);
    }
    return rv;
}

static RV generate_rsa(struct pair *p)
{
    const struct hr_number given = pk_value(&p->from, CKA_MODULUS_BITS);
    CK_ULONG bits;
    uint64_t e;
    if (given.len != sizeof bits)
        return CKR_TEMPLATE_INCOMPLETE;
    memcpy(&bits, given.bytes, sizeof bits);
    CK_RV rv = exponent_of(p, &e);
    if (rv != CKR_OK || bits > UINT32_MAX)
        return rv != CKR_OK ? rv : CKR_KEY_SIZE_RANGE;
    struct hr_rsa_key *key = secret_new(p->m, sizeof *key);
    struct hr_rsa_numbers *numbers = secret_new(p->m, sizeof *numbers);
    rv = CKR_HOST_MEMORY;
    if (key && numbers)
        rv = error_of(hr_rsa_key_generate(key, numbers, (uint32_t)bits, e));
    if (rv == CKR_OK)
        rv = put_rsa(p, &numbers->parts);
    secret_free(p->m, key);
    secret_free(p->m, numbers);
    return rv;
}

/* ---- curves ---- */

static int sign_private(uint8_t *out, size_t *out_len, const void *key)
{
    return hr_sign_key_private(out, out_len, key);
}

static int sign_public(uint8_t *out, size_t *out_len, const void *key)
{
    return hr_sign_key_public(out, out_len, key);
}

static int agree_private(uint8_t *out, size_t *out_len, const void *key)
{
    return hr_agree_key_private(out, out_len, key);
}

static int agree_public(uint8_t *out, size_t *out_len, const void *key)
{
    return hr_agree_key_public(out, out_len, key);
}

static RV generate_curve(struct pair *p)
{
    const struct pk_curve *curve = pk_curve_of(&p->from);
    if (!curve)
        return pk_value(&p->from, CKA_EC_PARAMS).len ? CKR_CURVE_NOT_SUPPORTED
                                                     : CKR_TEMPLATE_INCOMPLETE;
    const bool agrees = !curve->signs;
    void *key = secret_new(p->m, agrees ? hr_agree_key_size(curve->agrees)
                                        : hr_sign_key_size(curve->signs));
    if (!key)
        return CKR_HOST_MEMORY;
    CK_RV rv = error_of(agrees ? hr_agree_key_generate(key, curve->agrees, NULL)
                               : hr_sign_key_generate(key, curve->signs, NULL));
    if (rv == CKR_OK)
        rv = add_written(p, p->private_key, CKA_VALUE, agrees ? agree_private : sign_private, key);
    if (rv == CKR_OK)
        rv = add_written(p, p->public_key, CKA_EC_POINT, agrees ? agree_public : sign_public, key);
    secret_free(p->m, key);
    return rv == CKR_OK ? add_both(p, CKA_EC_PARAMS) : rv;
}

/* ---- parameter sets ---- */

static int sign_seed(uint8_t *out, size_t *out_len, const void *key)
{
    return hr_sign_key_seed(out, out_len, key);
}

static int kem_private(uint8_t *out, size_t *out_len, const void *key)
{
    return hr_kem_key_private(out, out_len, key);
}

static int kem_seed(uint8_t *out, size_t *out_len, const void *key)
{
    return hr_kem_key_seed(out, out_len, key);
}

static int kem_public(uint8_t *out, size_t *out_len, const void *key)
{
    return hr_kem_key_public(out, out_len, key);
}

static RV generate_set(struct pair *p)
{
    const hr_alg alg = pk_set_of(&p->from);
    if (!alg)
        return pk_value(&p->from, CKA_PARAMETER_SET).len ? CKR_PARAMETER_SET_NOT_SUPPORTED
                                                         : CKR_TEMPLATE_INCOMPLETE;
    const bool is_kem = p->from.type == CKK_ML_KEM;
    void *key = secret_new(p->m, is_kem ? hr_kem_key_size(alg) : hr_sign_key_size(alg));
    if (!key)
        return CKR_HOST_MEMORY;
    CK_RV rv = error_of(is_kem ? hr_kem_key_generate(key, alg, NULL)
                               : hr_sign_key_generate(key, alg, NULL));
    if (rv == CKR_OK)
        rv = add_written(p, p->private_key, CKA_VALUE, is_kem ? kem_private : sign_private, key);
    if (rv == CKR_OK && p->from.type != CKK_SLH_DSA)
        rv = add_written(p, p->private_key, CKA_SEED, is_kem ? kem_seed : sign_seed, key);
    if (rv == CKR_OK)
        rv = add_written(p, p->public_key, CKA_VALUE, is_kem ? kem_public : sign_public, key);
    secret_free(p->m, key);
    return rv == CKR_OK ? add_both(p, CKA_PARAMETER_SET) : rv;
}

/* ---- groups ---- */

static int dsa_private(uint8_t *out, size_t *out_len, const void *key)
{
    return hr_dsa_private(out, out_len, key);
}

static int dsa_public(uint8_t *out, size_t *out_len, const void *key)
{
    return hr_dsa_public(out, out_len, key);
}

static int dh_private(uint8_t *out, size_t *out_len, const void *key)
{
    return hr_dh_private(out, out_len, key);
}

static int dh_public(uint8_t *out, size_t *out_len, const void *key)
{
    return hr_dh_public(out, out_len, key);
}

static RV make_of_group(struct pair *p, void *key)
{
    const struct hr_number prime = pk_value(&p->from, CKA_PRIME), g = pk_value(&p->from, CKA_BASE);
    const CK_ATTRIBUTE *given = draft_find(p->private_key, CKA_VALUE_BITS);
    CK_ULONG bits = 0;
    if (p->from.type == CKK_DSA) {
        const struct hr_dsa_parts parts = { .p = prime,
                                            .q = pk_value(&p->from, CKA_SUBPRIME),
                                            .g = g };
        return error_of(hr_dsa_key_generate(key, &parts));
    }
    if (given)
        memcpy(&bits, given->pValue, sizeof bits);
    if (bits > UINT32_MAX)
        return CKR_KEY_SIZE_RANGE;
    const struct hr_dh_params params = { .p = prime, .g = g, .private_bits = (uint32_t)bits };
    const int error = hr_dh_key_generate(key, &params);
    return error == HR_EINVAL ? CKR_KEY_SIZE_RANGE : error_of(error);
}

static RV generate_in_group(struct pair *p)
{
    const bool is_dsa = p->from.type == CKK_DSA;
    if (!pk_value(&p->from, CKA_PRIME).len || !pk_value(&p->from, CKA_BASE).len ||
        (is_dsa && !pk_value(&p->from, CKA_SUBPRIME).len))
        return CKR_TEMPLATE_INCOMPLETE;
    void *key = secret_new(p->m, is_dsa ? sizeof(struct hr_dsa_key) : sizeof(struct hr_dh_key));
    if (!key)
        return CKR_HOST_MEMORY;
    CK_RV rv = make_of_group(p, key);
    if (rv == CKR_OK)
        rv = add_written(p, p->private_key, CKA_VALUE, is_dsa ? dsa_private : dh_private, key);
    if (rv == CKR_OK)
        rv = add_written(p, p->public_key, CKA_VALUE, is_dsa ? dsa_public : dh_public, key);
    secret_free(p->m, key);
    if (rv == CKR_OK)
        rv = add_both(p, CKA_PRIME);
    if (rv == CKR_OK && is_dsa)
        rv = add_both(p, CKA_SUBPRIME);
    return rv == CKR_OK ? add_both(p, CKA_BASE) : rv;
}

/* ---- all ---- */

RV pk_generate(struct module *m, const struct mechanism *mech, const CK_MECHANISM *mechanism,
               struct draft *public_key, struct draft *private_key)
{
    static const struct {
        CK_KEY_TYPE type;
        CK_RV (*generate)(struct pair *p);
    } generators[] = {
        { CKK_RSA, generate_rsa },          { CKK_EC, generate_curve },
        { CKK_EC_EDWARDS, generate_curve }, { CKK_EC_MONTGOMERY, generate_curve },
        { CKK_ML_DSA, generate_set },       { CKK_SLH_DSA, generate_set },
        { CKK_ML_KEM, generate_set },       { CKK_DSA, generate_in_group },
        { CKK_DH, generate_in_group },
    };
    struct pair p = { m,
                      public_key,
                      private_key,
                      { .draft = public_key, .cls = CKO_PUBLIC_KEY, .type = mech->key_type } };
    if (mechanism->ulParameterLen)
        return CKR_MECHANISM_PARAM_INVALID;
    if (draft_find(private_key, CKA_VALUE) || draft_find(public_key, CKA_VALUE))
        return CKR_TEMPLATE_INCONSISTENT;
    for (size_t i = 0; i < COUNT(generators); i++)
        if (generators[i].type == mech->key_type)
            return generators[i].generate(&p);
    return CKR_MECHANISM_INVALID;
}

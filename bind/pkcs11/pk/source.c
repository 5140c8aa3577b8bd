/* SPDX-License-Identifier: Apache-2.0 */
/* What public and private keys are made of. */
#include "pk.h"
#include <headrace/algorithms.h>

/* ---- attributes ---- */

struct hr_number pk_value(const struct pk_source *from, CK_ATTRIBUTE_TYPE type)
{
    size_t len = 0;
    if (from->object) {
        const uint8_t *bytes = object_value(from->object, type, &len);
        return (struct hr_number){ bytes, len };
    }
    const CK_ATTRIBUTE *a = draft_find(from->draft, type);
    return a ? (struct hr_number){ a->pValue, a->ulValueLen } : (struct hr_number){ NULL, 0 };
}

bool pk_fit(uint8_t *out, size_t len, const struct hr_number *number)
{
    const size_t over = number->len > len ? number->len - len : 0;
    unsigned high = 0;
    for (size_t i = 0; i < over; i++)
        high |= number->bytes[i];
    memset(out, 0, len);
    if (number->len > over)
        memcpy(out + len - (number->len - over), number->bytes + over, number->len - over);
    return !high;
}

RV pk_finish_make(struct module *m, void **form, int error)
{
    const CK_RV rv = form_made(m, form, error);
    return error == HR_EINVAL ? CKR_ATTRIBUTE_VALUE_INVALID : rv;
}

CK_RV pk_verdict(int error, size_t sig_len, size_t right_len)
{
    if (error != HR_EMAC)
        return error_of(error);
    return sig_len == right_len ? CKR_SIGNATURE_INVALID : CKR_SIGNATURE_LEN_RANGE;
}

hr_alg pk_row_of_size(enum hr_class cls, size_t len)
{
    const struct hr_algorithm *row;
    hr_alg found = HR_ALG_NONE;
    for (size_t i = 0; (row = hr_algorithm_at(i)) != NULL; i++)
        if (row->cls == cls) {
            found = row->alg;
            if (len <= row->public_len)
                break;
        }
    return found;
}

/* ---- parameter sets ---- */

static const struct {
    CK_KEY_TYPE type;
    CK_ULONG set;
    hr_alg alg;
    uint8_t oid[2]; /* the end of 2.16.840.1.101.3.4.x.y (NIST's registry) */
} sets[] = {
    { CKK_ML_DSA, CKP_ML_DSA_44, HR_MLDSA44, { 3, 17 } },
    { CKK_ML_DSA, CKP_ML_DSA_65, HR_MLDSA65, { 3, 18 } },
    { CKK_ML_DSA, CKP_ML_DSA_87, HR_MLDSA87, { 3, 19 } },
    { CKK_ML_KEM, CKP_ML_KEM_512, HR_MLKEM512, { 4, 1 } },
    { CKK_ML_KEM, CKP_ML_KEM_768, HR_MLKEM768, { 4, 2 } },
    { CKK_ML_KEM, CKP_ML_KEM_1024, HR_MLKEM1024, { 4, 3 } },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHA2_128S, HR_SLHDSA_SHA2_128S, { 3, 20 } },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHA2_128F, HR_SLHDSA_SHA2_128F, { 3, 21 } },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHA2_192S, HR_SLHDSA_SHA2_192S, { 3, 22 } },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHA2_192F, HR_SLHDSA_SHA2_192F, { 3, 23 } },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHA2_256S, HR_SLHDSA_SHA2_256S, { 3, 24 } },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHA2_256F, HR_SLHDSA_SHA2_256F, { 3, 25 } },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_128S, HR_SLHDSA_SHAKE_128S, { 3, 26 } },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_128F, HR_SLHDSA_SHAKE_128F, { 3, 27 } },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_192S, HR_SLHDSA_SHAKE_192S, { 3, 28 } },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_192F, HR_SLHDSA_SHAKE_192F, { 3, 29 } },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_256S, HR_SLHDSA_SHAKE_256S, { 3, 30 } },
    { CKK_SLH_DSA, CKP_SLH_DSA_SHAKE_256F, HR_SLHDSA_SHAKE_256F, { 3, 31 } },
};

hr_alg pk_set_of(const struct pk_source *from)
{
    const struct hr_number value = pk_value(from, CKA_PARAMETER_SET);
    CK_ULONG set;
    if (value.len != sizeof set)
        return HR_ALG_NONE;
    memcpy(&set, value.bytes, sizeof set);
    for (size_t i = 0; i < COUNT(sets); i++)
        if (sets[i].type == from->type && sets[i].set == set)
            return sets[i].alg;
    return HR_ALG_NONE;
}

static const uint8_t nist[] = { 0x60, 0x86, 0x48, 1, 0x65, 3, 4 };

void pk_set_oid(uint8_t oid[PK_SET_OID_LEN], hr_alg alg)
{
    size_t i = 0;
    while (sets[i].alg != alg)
        i++;
    static_assert(sizeof nist + sizeof sets->oid == PK_SET_OID_LEN, "an OID");
    memcpy(oid, nist, sizeof nist);
    memcpy(oid + sizeof nist, sets[i].oid, sizeof sets[i].oid);
}

bool pk_set_of_oid(const struct hr_number *oid, CK_KEY_TYPE *type, CK_ULONG *set)
{
    if (oid->len != PK_SET_OID_LEN || memcmp(oid->bytes, nist, sizeof nist) != 0)
        return false;
    for (size_t i = 0; i < COUNT(sets); i++)
        if (!memcmp(oid->bytes + sizeof nist, sets[i].oid, sizeof sets[i].oid)) {
            *type = sets[i].type;
            *set = sets[i].set;
            return true;
        }
    return false;
}

/* ---- types ---- */

enum { MOST_NEEDED = 8 };

/* What a type's keys need, ended by CKA_CLASS, which all have. */
static const struct {
    CK_KEY_TYPE type;
    CK_ATTRIBUTE_TYPE public[MOST_NEEDED + 1], private[MOST_NEEDED + 1];
    pk_make_fn *make;
} types[] = {
    { CKK_RSA,
      { CKA_MODULUS, CKA_PUBLIC_EXPONENT },
      { CKA_MODULUS, CKA_PUBLIC_EXPONENT, CKA_PRIVATE_EXPONENT, CKA_PRIME_1, CKA_PRIME_2,
        CKA_EXPONENT_1, CKA_EXPONENT_2, CKA_COEFFICIENT },
      pk_make_rsa },
    { CKK_EC, { CKA_EC_PARAMS, CKA_EC_POINT }, { CKA_EC_PARAMS, CKA_VALUE }, pk_make_signer },
    { CKK_EC_EDWARDS,
      { CKA_EC_PARAMS, CKA_EC_POINT },
      { CKA_EC_PARAMS, CKA_VALUE },
      pk_make_signer },
    { CKK_EC_MONTGOMERY,
      { CKA_EC_PARAMS, CKA_EC_POINT },
      { CKA_EC_PARAMS, CKA_VALUE },
      pk_make_agreer },
    { CKK_DSA,
      { CKA_PRIME, CKA_SUBPRIME, CKA_BASE, CKA_VALUE },
      { CKA_PRIME, CKA_SUBPRIME, CKA_BASE, CKA_VALUE },
      pk_make_dsa },
    { CKK_DH, { CKA_PRIME, CKA_BASE, CKA_VALUE }, { CKA_PRIME, CKA_BASE, CKA_VALUE }, pk_make_dh },
    { CKK_ML_DSA, { CKA_PARAMETER_SET, CKA_VALUE }, { CKA_PARAMETER_SET }, pk_make_signer },
    { CKK_SLH_DSA,
      { CKA_PARAMETER_SET, CKA_VALUE },
      { CKA_PARAMETER_SET, CKA_VALUE },
      pk_make_signer },
    { CKK_ML_KEM, { CKA_PARAMETER_SET, CKA_VALUE }, { CKA_PARAMETER_SET }, pk_make_kem },
};

static CK_ULONG bits_of(const struct hr_number *n)
{
    size_t at = 0;
    while (at < n->len && !n->bytes[at])
        at++;
    CK_ULONG bits = 8 * (n->len - at);
    for (unsigned top = at < n->len ? n->bytes[at] : 128; top < 128; top *= 2)
        bits--;
    return bits;
}

/* add_value adds the CKA_VALUE of a private key that was made of CKA_SEED alone. */
static RV add_value(struct module *m, struct draft *draft, const void *key, hr_alg alg)
{
    if (!draft_find(draft, CKA_SEED) || draft_find(draft, CKA_VALUE))
        return CKR_OK;
    uint8_t *value = secret_new(m, MAX_SECRET);
    size_t len = MAX_SECRET;
    if (!value)
        return CKR_HOST_MEMORY;
    CK_RV rv =
        error_of(hr_algorithm(alg)->cls == HR_CLASS_KEM ? hr_kem_key_private(value, &len, key)
                                                        : hr_sign_key_private(value, &len, key));
    if (rv == CKR_OK)
        rv = draft_add(m, draft, CKA_VALUE, value, len);
    secret_free(m, value);
    return rv;
}

static RV add_lengths(struct module *m, struct draft *draft, const struct pk_source *from)
{
    const struct hr_number n = pk_value(from, CKA_MODULUS), x = pk_value(from, CKA_VALUE);
    if (draft->key_type == CKK_RSA && draft->cls == CKO_PUBLIC_KEY)
        return draft_add_number(m, draft, CKA_MODULUS_BITS, bits_of(&n));
    if (draft->key_type == CKK_DH && draft->cls == CKO_PRIVATE_KEY)
        return draft_add_number(m, draft, CKA_VALUE_BITS, bits_of(&x));
    return CKR_OK;
}

RV pk_complete(struct module *m, struct draft *draft)
{
    const struct pk_source from = { .draft = draft, .cls = draft->cls, .type = draft->key_type };
    size_t i = 0;
    if (draft->key_type == CK_UNAVAILABLE_INFORMATION)
        return CKR_TEMPLATE_INCOMPLETE;
    while (i < COUNT(types) && types[i].type != draft->key_type)
        i++;
    if (i == COUNT(types))
        return CKR_ATTRIBUTE_VALUE_INVALID;
    const CK_ATTRIBUTE_TYPE *needed =
        draft->cls == CKO_PUBLIC_KEY ? types[i].public : types[i].private;
    for (; *needed; needed++)
        if (!pk_value(&from, *needed).len)
            return CKR_TEMPLATE_INCOMPLETE;
    void *key = NULL;
    hr_alg alg;
    CK_RV rv = types[i].make(m, &from, &key, &alg);
    if (rv == CKR_OK)
        rv = add_value(m, draft, key, alg);
    if (rv == CKR_OK)
        rv = pk_show_point(m, draft, &from);
    if (rv == CKR_OK)
        rv = pk_add_info(m, draft, &from, key);
    secret_free(m, key);
    return rv == CKR_OK ? add_lengths(m, draft, &from) : rv;
}

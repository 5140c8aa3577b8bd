/* SPDX-License-Identifier: Apache-2.0 */
/* The objects that stand for named keys. */
#include "../key.h"
#include "accel.h"
#include "public.h"
#include <headrace/algorithms.h>
#include <headrace/classes.h>

enum { ID = 20, MOST_ALLOWED = 64, MAX_POINT = 255, OCTET_STRING = 0x04 };

/* Attributes of all objects of the slot, which only the service changes.  No login is needed, as
 * the service knows the user.  Nobody can say what happened to a key before the service had it: so
 * it was not always sensitive. */
#define COMMON P11_BIT(TOKEN)

static const struct {
    uint32_t use;
    uint64_t bit;        /* of the key itself, */
    uint64_t public_bit; /* and of the public key beside it */
} uses[] = {
    { HR_USE_ENCRYPT, P11_BIT(ENCRYPT), 0 },
    { HR_USE_DECRYPT, P11_BIT(DECRYPT), P11_BIT(ENCRYPT) },
    { HR_USE_MAC, P11_BIT(SIGN), 0 },
    { HR_USE_VERIFY, P11_BIT(VERIFY), 0 },
    { HR_USE_SIGN, P11_BIT(SIGN), P11_BIT(VERIFY) },
};

static uint64_t bits_of(const struct hr_accel_key *key, bool of_public)
{
    uint64_t bits = COMMON;
    for (size_t i = 0; i < COUNT(uses); i++)
        if (key->uses & uses[i].use)
            bits |= of_public ? uses[i].public_bit : uses[i].bit;
    return bits;
}

/* ---- which mechanisms a key may be used with ---- */

static bool has_digest(const struct hr_accel_key *key, hr_alg digest)
{
    for (uint32_t i = 0; i < key->num_digests; i++)
        if (key->digests[i] == digest)
            return true;
    return !digest || !key->num_digests; /* those are of keys that sign nothing else */
}

static bool is_allowed(const struct mechanism *mech, const struct hr_accel_key *key,
                       CK_KEY_TYPE type)
{
    if (!accel_is_public(key->alg))
        return !strcmp(mech->row, hr_algorithm(key->alg)->pkcs11);
    const CK_FLAGS flag = key->uses & HR_USE_SIGN ? CKF_SIGN : CKF_DECRYPT;
    return mech->key_type == type && mech->flags & flag && has_digest(key, mech->digest) &&
           (type != CKK_RSA || key->paddings >> mech->detail & 1);
}

static RV add_allowed(struct module *m, struct draft *draft, const struct hr_accel_key *key)
{
    CK_MECHANISM_TYPE list[MOST_ALLOWED];
    size_t num = 0;
    for (size_t i = 0; i < accel_num_mechanisms && num < MOST_ALLOWED; i++)
        if (is_allowed(&accel_mechanisms[i], key, draft->key_type))
            list[num++] = accel_mechanisms[i].type;
    return draft_add(m, draft, CKA_ALLOWED_MECHANISMS, list, num * sizeof list[0]);
}

/* ---- what both keys of a pair show ---- */

static RV describe_rsa(struct module *m, struct draft *draft, const struct public_key *key)
{
    CK_ULONG bits = 8 * (key->n.len - 1);
    for (unsigned first = key->n.at[0]; first; first >>= 1)
        bits++;
    CK_RV rv = draft_add(m, draft, CKA_MODULUS, key->n.at, key->n.len);
    if (rv == CKR_OK)
        rv = draft_add(m, draft, CKA_PUBLIC_EXPONENT, key->e.at, key->e.len);
    if (rv == CKR_OK && draft->cls == CKO_PUBLIC_KEY)
        rv = draft_add_number(m, draft, CKA_MODULUS_BITS, bits);
    return rv;
}

static RV describe_curve(struct module *m, struct draft *draft, const struct public_key *key)
{
    uint8_t point[MAX_POINT + 3] = { OCTET_STRING, 0x81, (uint8_t)key->bytes.len };
    const size_t head = key->bytes.len < 0x80 ? 2 : 3;
    if (head == 2)
        point[1] = (uint8_t)key->bytes.len;
    memcpy(point + head, key->bytes.at, key->bytes.len);
    CK_RV rv = draft_add(m, draft, CKA_EC_PARAMS, key->curve.at, key->curve.len);
    if (rv == CKR_OK && draft->cls == CKO_PUBLIC_KEY)
        rv = draft_add(m, draft, CKA_EC_POINT, point, head + key->bytes.len);
    return rv;
}

static RV describe_lattice(struct module *m, struct draft *draft, const struct public_key *key)
{
    CK_RV rv = draft_add_number(m, draft, CKA_PARAMETER_SET, key->parameter_set);
    if (rv == CKR_OK && draft->cls == CKO_PUBLIC_KEY)
        rv = draft_add(m, draft, CKA_VALUE, key->bytes.at, key->bytes.len);
    return rv;
}

static RV describe(struct module *m, struct draft *draft, const struct public_key *key,
                   const uint8_t *spki, size_t len)
{
    CK_RV rv = draft_add_number(m, draft, CKA_KEY_TYPE, key->type);
    if (rv == CKR_OK)
        rv = draft_add(m, draft, CKA_PUBLIC_KEY_INFO, spki, len);
    if (rv != CKR_OK)
        return rv;
    return key->type == CKK_RSA      ? describe_rsa(m, draft, key)
           : key->type == CKK_ML_DSA ? describe_lattice(m, draft, key)
                                     : describe_curve(m, draft, key);
}

/* ---- making them ---- */

/* add_unique_id makes an object's CKA_UNIQUE_ID of what it stands for, so that it is the same in
 * all processes, and after a restart. */
static RV add_unique_id(struct module *m, struct draft *draft, const struct accel_named *named)
{
    const uint8_t cls = (uint8_t)draft->cls;
    struct hr_digest_ctx ctx;
    uint8_t digest[HR_DIGEST_MAX_OUT];
    int error = hr_digest_init(&ctx, HR_SHA256);
    if (!error)
        error = hr_digest_update(&ctx, &cls, sizeof cls);
    if (!error)
        error = hr_digest_update(&ctx, named->print, sizeof named->print);
    if (!error)
        error = hr_digest_update(&ctx, named->key.name, strlen(named->key.name));
    if (!error)
        error = hr_digest_final(&ctx, digest);
    return error ? error_of(error) : key_id_text(m, draft, digest);
}

static RV begin(struct module *m, struct draft *draft, CK_OBJECT_CLASS cls,
                const struct accel_named *named, const void *id, size_t id_len)
{
    *draft = (struct draft){ .key_type = CK_UNAVAILABLE_INFORMATION,
                             .bits = bits_of(&named->key, cls == CKO_PUBLIC_KEY) };
    CK_RV rv = draft_add_number(m, draft, CKA_CLASS, cls);
    if (rv == CKR_OK)
        rv = draft_add(m, draft, CKA_LABEL, named->key.name, strlen(named->key.name));
    if (rv == CKR_OK)
        rv = draft_add(m, draft, CKA_ID, id, id_len);
    return rv == CKR_OK ? add_unique_id(m, draft, named) : rv;
}

static RV make(struct module *m, struct draft *draft, struct accel_named *named, size_t which)
{
    const CK_RV rv = key_defaults(m, draft);
    return rv == CKR_OK ? object_show(m, draft, named, &named->objects[which]) : rv;
}

static RV make_one_of_pair(struct module *m, struct accel_named *named, CK_OBJECT_CLASS cls,
                           const struct public_key *key, const uint8_t *spki, size_t len)
{
    struct draft draft;
    CK_RV rv = begin(m, &draft, cls, named, named->print, ID);
    if (rv == CKR_OK)
        rv = describe(m, &draft, key, spki, len);
    if (rv == CKR_OK && cls == CKO_PRIVATE_KEY) {
        draft.bits |= P11_BIT(SENSITIVE);
        rv = add_allowed(m, &draft, &named->key);
    }
    if (rv == CKR_OK)
        rv = make(m, &draft, named, cls == CKO_PUBLIC_KEY);
    draft_wipe(m, &draft);
    return rv;
}

/* type_of returns the type of the keys of a row that has a mechanism; of triple DES the other type
 * is that of keys of 16 bytes. */
static CK_KEY_TYPE type_of(const struct hr_algorithm *row)
{
    for (size_t i = 0; i < accel_num_mechanisms; i++)
        if (!strcmp(accel_mechanisms[i].row, row->pkcs11))
            return row->key_len == 16 ? accel_mechanisms[i].other_type
                                      : accel_mechanisms[i].key_type;
    return CK_UNAVAILABLE_INFORMATION;
}

static RV make_secret(struct module *m, struct accel_named *named)
{
    const struct hr_algorithm *row = hr_algorithm(named->key.alg);
    const CK_KEY_TYPE type = type_of(row);
    if (type == CK_UNAVAILABLE_INFORMATION)
        return CKR_KEY_TYPE_INCONSISTENT;
    struct draft draft;
    CK_RV rv = begin(m, &draft, CKO_SECRET_KEY, named, named->key.name, strlen(named->key.name));
    if (rv == CKR_OK)
        rv = draft_add_number(m, &draft, CKA_KEY_TYPE, type);
    if (rv == CKR_OK && row->key_len && type != CKK_DES2 && type != CKK_DES3)
        rv = draft_add_number(m, &draft, CKA_VALUE_LEN, row->key_len);
    draft.bits |= P11_BIT(SENSITIVE);
    if (rv == CKR_OK)
        rv = add_allowed(m, &draft, &named->key);
    if (rv == CKR_OK)
        rv = make(m, &draft, named, 0);
    draft_wipe(m, &draft);
    return rv;
}

RV accel_objects_make(struct module *m, struct accel_named *named, const uint8_t *spki, size_t len)
{
    if (!len)
        return make_secret(m, named);
    struct public_key key;
    if (!public_parse(&key, named->key.alg, spki, len))
        return CKR_DEVICE_ERROR;
    const CK_RV rv = make_one_of_pair(m, named, CKO_PRIVATE_KEY, &key, spki, len);
    return rv != CKR_OK ? rv : make_one_of_pair(m, named, CKO_PUBLIC_KEY, &key, spki, len);
}

struct accel_named *accel_of(const struct object *object)
{
    return object->accel;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* New objects get what their class and type need, and what follows of that. */
#include "key.h"
#include "session.h"

/* The lengths of types that have not any. */
struct lengths {
    CK_KEY_TYPE type;
    uint8_t lens[3];
};

static const struct lengths *lengths_of(CK_KEY_TYPE type)
{
    static const struct lengths types[] = {
        { CKK_AES, { 16, 24, 32 } },      { CKK_AES_XTS, { 32, 64, 64 } },
        { CKK_DES, { 8, 8, 8 } },         { CKK_DES2, { 16, 16, 16 } },
        { CKK_DES3, { 24, 24, 24 } },     { CKK_CAMELLIA, { 16, 24, 32 } },
        { CKK_CHACHA20, { 32, 32, 32 } }, { CKK_POLY1305, { 32, 32, 32 } },
    };
    for (size_t i = 0; i < COUNT(types); i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

RV secret_len_check(CK_KEY_TYPE type, size_t len)
{
    const struct lengths *l = lengths_of(type);
    const bool fits =
        l ? len == l->lens[0] || len == l->lens[1] || len == l->lens[2] : len && len <= MAX_SECRET;
    return fits ? CKR_OK : CKR_KEY_SIZE_RANGE;
}

size_t secret_len_of(CK_KEY_TYPE type)
{
    const struct lengths *l = lengths_of(type);
    return l && l->lens[0] == l->lens[2] ? l->lens[0] : 0;
}

static bool is_secret_type(CK_KEY_TYPE type)
{
    static const CK_KEY_TYPE types[] = { CKK_AES,
                                         CKK_AES_XTS,
                                         CKK_DES,
                                         CKK_DES2,
                                         CKK_DES3,
                                         CKK_CAMELLIA,
                                         CKK_CHACHA20,
                                         CKK_POLY1305,
                                         CKK_GENERIC_SECRET,
                                         CKK_HKDF,
                                         CKK_MD5_HMAC,
                                         CKK_SHA_1_HMAC,
                                         CKK_SHA224_HMAC,
                                         CKK_SHA256_HMAC,
                                         CKK_SHA384_HMAC,
                                         CKK_SHA512_HMAC,
                                         CKK_SHA512_224_HMAC,
                                         CKK_SHA512_256_HMAC };
    for (size_t i = 0; i < COUNT(types); i++)
        if (types[i] == type)
            return true;
    return false;
}

static RV secret_complete(struct module *m, struct draft *draft)
{
    const CK_ATTRIBUTE *value = draft_find(draft, CKA_VALUE);
    if (!value || draft->key_type == CK_UNAVAILABLE_INFORMATION)
        return CKR_TEMPLATE_INCOMPLETE;
    if (!is_secret_type(draft->key_type))
        return CKR_ATTRIBUTE_VALUE_INVALID;
    if (draft_number(draft, CKA_VALUE_LEN, value->ulValueLen) != value->ulValueLen)
        return CKR_TEMPLATE_INCONSISTENT;
    const CK_RV rv = secret_len_check(draft->key_type, value->ulValueLen);
    if (rv != CKR_OK)
        return CKR_ATTRIBUTE_VALUE_INVALID;
    return draft_add_number(m, draft, CKA_VALUE_LEN, value->ulValueLen);
}

static RV cert_complete(struct draft *draft)
{
    const CK_ATTRIBUTE *type = draft_find(draft, CKA_CERTIFICATE_TYPE);
    CK_CERTIFICATE_TYPE is;
    if (!type || !draft_find(draft, CKA_VALUE))
        return CKR_TEMPLATE_INCOMPLETE;
    memcpy(&is, type->pValue, sizeof is);
    return is == CKC_X_509 ? CKR_OK : CKR_ATTRIBUTE_VALUE_INVALID;
}

/* empty_defaults adds attributes that callers expect to find, with nothing in them. */
static RV empty_defaults(struct module *m, struct draft *draft)
{
    static const struct {
        CK_ATTRIBUTE_TYPE type;
        unsigned classes;
    } empty[] = {
        { CKA_LABEL, CLASS_ALL },
        { CKA_ID, CLASS_KEYS | CLASS_CERT },
        { CKA_SUBJECT, CLASS_PUBLIC | CLASS_PRIVATE | CLASS_CERT },
        { CKA_START_DATE, CLASS_KEYS | CLASS_CERT },
        { CKA_END_DATE, CLASS_KEYS | CLASS_CERT },
        { CKA_ISSUER, CLASS_CERT },
        { CKA_SERIAL_NUMBER, CLASS_CERT },
        { CKA_APPLICATION, CLASS_DATA },
        { CKA_OBJECT_ID, CLASS_DATA },
        { CKA_VALUE, CLASS_DATA },
    };
    CK_RV rv = CKR_OK;
    for (size_t i = 0; i < COUNT(empty) && rv == CKR_OK; i++)
        if (empty[i].classes & class_bit(draft->cls))
            rv = draft_default(m, draft, empty[i].type, "", 0);
    return rv;
}

RV key_defaults(struct module *m, struct draft *draft)
{
    const bool is_key = class_bit(draft->cls) & CLASS_KEYS;
    CK_RV rv = CKR_OK;
    if (is_key && !draft_find(draft, CKA_KEY_GEN_MECHANISM))
        rv = draft_add_number(m, draft, CKA_KEY_GEN_MECHANISM, CK_UNAVAILABLE_INFORMATION);
    return rv == CKR_OK ? empty_defaults(m, draft) : rv;
}

RV key_id_text(struct module *m, struct draft *draft, const uint8_t id[UNIQUE_ID])
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * UNIQUE_ID];
    for (size_t i = 0; i < UNIQUE_ID; i++) {
        text[2 * i] = digits[id[i] >> 4];
        text[2 * i + 1] = digits[id[i] & 15];
    }
    return draft_add(m, draft, CKA_UNIQUE_ID, text, sizeof text);
}

RV key_unique_id(struct module *m, struct draft *draft)
{
    uint8_t random[UNIQUE_ID];
    const CK_RV rv = random_bytes(random, sizeof random);
    return rv == CKR_OK ? key_id_text(m, draft, random) : rv;
}

RV key_complete(struct module *m, struct draft *draft)
{
    const unsigned cls = class_bit(draft->cls);
    CK_RV rv = CKR_OK;
    if (cls == CLASS_SECRET)
        rv = secret_complete(m, draft);
    else if (cls == CLASS_CERT)
        rv = cert_complete(draft);
    else if (cls & CLASS_KEYS)
        rv = pk_complete(m, draft);
    if (rv == CKR_OK)
        rv = key_defaults(m, draft);
    return rv == CKR_OK ? key_unique_id(m, draft) : rv;
}

RV key_material(struct module *m, const struct object *key, uint8_t *out, size_t *len)
{
    if (key->cls != CKO_SECRET_KEY)
        return pk_encode(m, key, out, len);
    size_t value_len;
    const uint8_t *value = object_value(key, CKA_VALUE, &value_len);
    if (!value)
        return CKR_KEY_NOT_WRAPPABLE;
    if (value_len > *len)
        return CKR_DEVICE_MEMORY;
    memcpy(out, value, value_len);
    *len = value_len;
    return CKR_OK;
}

/* cut_len returns how many bytes of a secret the new key takes: of one that was wrapped all, since
 * who tries all values of a short part finds it, and then the next. */
static RV cut_len(const struct draft *draft, size_t len, enum origin origin, size_t *cut)
{
    const size_t natural = secret_len_of(draft->key_type),
                 wanted = draft_number(draft, CKA_VALUE_LEN, natural ? natural : len);
    *cut = wanted;
    return wanted == len || (wanted < len && origin != UNWRAPPED) ? CKR_OK
                                                                  : CKR_TEMPLATE_INCONSISTENT;
}

RV secret_finish(struct session *s, struct draft *draft, const uint8_t *secret, size_t len,
                 enum origin origin, const struct object *from, CK_OBJECT_HANDLE *handle)
{
    size_t cut;
    if (draft_find(draft, CKA_VALUE))
        return CKR_TEMPLATE_INCONSISTENT;
    CK_RV rv = cut_len(draft, len, origin, &cut);
    if (rv == CKR_OK)
        rv = draft_add(s->module, draft, CKA_VALUE, secret, cut);
    if (rv == CKR_OK)
        rv = policy_complete(s, draft, origin, from);
    if (rv == CKR_OK)
        rv = key_complete(s->module, draft);
    return rv == CKR_OK ? object_make(s, draft, handle) : rv;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Templates: a private copy of what they say, each attribute once and of the right form. */
#include "object.h"

enum { OWN_SIZE = 32768 };

void draft_set(struct draft *draft, uint64_t bit, bool on)
{
    draft->bits = on ? draft->bits | bit : draft->bits & ~bit;
}

const CK_ATTRIBUTE *draft_find(const struct draft *draft, CK_ATTRIBUTE_TYPE type)
{
    for (size_t i = 0; i < draft->num; i++)
        if (draft->list[i].type == type)
            return &draft->list[i];
    return NULL;
}

static RV read_bool(struct draft *draft, const struct attribute_info *info, const CK_ATTRIBUTE *a)
{
    const uint64_t bit = UINT64_C(1) << info->bit;
    CK_BBOOL value;
    if (a->ulValueLen != sizeof value)
        return CKR_ATTRIBUTE_VALUE_INVALID;
    memcpy(&value, a->pValue, sizeof value);
    if (draft->given & bit)
        return CKR_TEMPLATE_INCONSISTENT;
    draft->given |= bit;
    draft_set(draft, bit, value != CK_FALSE);
    return CKR_OK;
}

static bool has_form(const struct attribute_info *info, const CK_ATTRIBUTE *a)
{
    switch (info->kind) {
    case KIND_ULONG:
        return a->ulValueLen == sizeof(CK_ULONG);
    case KIND_LIST:
        return a->ulValueLen % sizeof(CK_MECHANISM_TYPE) == 0;
    default:
        return true;
    }
}

static RV read_one(struct draft *draft, const CK_ATTRIBUTE *a)
{
    const struct attribute_info *info = attribute_info(a->type);
    if (!info)
        return CKR_ATTRIBUTE_TYPE_INVALID;
    if ((!a->pValue && a->ulValueLen) || a->ulValueLen > MAX_VALUE)
        return CKR_ATTRIBUTE_VALUE_INVALID;
    if (info->kind == KIND_BOOL)
        return a->pValue ? read_bool(draft, info, a) : CKR_ATTRIBUTE_VALUE_INVALID;
    if (!has_form(info, a))
        return CKR_ATTRIBUTE_VALUE_INVALID;
    if (draft_find(draft, a->type))
        return CKR_TEMPLATE_INCONSISTENT;
    if (draft->num == MAX_TEMPLATE)
        return CKR_TEMPLATE_INCONSISTENT;
    draft->list[draft->num++] = *a;
    if (a->type == CKA_CLASS)
        memcpy(&draft->cls, a->pValue, sizeof draft->cls);
    if (a->type == CKA_KEY_TYPE)
        memcpy(&draft->key_type, a->pValue, sizeof draft->key_type);
    return CKR_OK;
}

RV draft_read(struct draft *draft, const CK_ATTRIBUTE *template, CK_ULONG num)
{
    *draft =
        (struct draft){ .cls = CK_UNAVAILABLE_INFORMATION, .key_type = CK_UNAVAILABLE_INFORMATION };
    if ((!template && num) || num > MAX_TEMPLATE)
        return CKR_ARGUMENTS_BAD;
    CK_RV rv = CKR_OK;
    for (CK_ULONG i = 0; i < num && rv == CKR_OK; i++)
        rv = read_one(draft, &template[i]);
    return rv;
}

RV draft_add(struct module *m, struct draft *draft, CK_ATTRIBUTE_TYPE type, const void *value,
             size_t len)
{
    if (!draft->own)
        draft->own = secret_new(m, OWN_SIZE);
    if (!draft->own)
        return CKR_HOST_MEMORY;
    CK_ATTRIBUTE *a = NULL;
    for (size_t i = 0; i < draft->num; i++)
        if (draft->list[i].type == type)
            a = &draft->list[i];
    if (len > OWN_SIZE - draft->own_used || (!a && draft->num == MAX_TEMPLATE))
        return CKR_TEMPLATE_INCONSISTENT;
    if (!a)
        a = &draft->list[draft->num++];
    uint8_t *at = draft->own + draft->own_used;
    if (len)
        memcpy(at, value, len);
    draft->own_used += (len + 7) / 8 * 8;
    if (draft->own_used > OWN_SIZE)
        draft->own_used = OWN_SIZE;
    *a = (CK_ATTRIBUTE){ type, at, len };
    if (type == CKA_CLASS && len == sizeof draft->cls)
        memcpy(&draft->cls, value, len);
    if (type == CKA_KEY_TYPE && len == sizeof draft->key_type)
        memcpy(&draft->key_type, value, len);
    return CKR_OK;
}

RV draft_default(struct module *m, struct draft *draft, CK_ATTRIBUTE_TYPE type, const void *value,
                 size_t len)
{
    return draft_find(draft, type) ? CKR_OK : draft_add(m, draft, type, value, len);
}

RV draft_add_number(struct module *m, struct draft *draft, CK_ATTRIBUTE_TYPE type, CK_ULONG value)
{
    return draft_add(m, draft, type, &value, sizeof value);
}

void draft_wipe(struct module *m, struct draft *draft)
{
    secret_free(m, draft->own);
    WIPE(draft);
}

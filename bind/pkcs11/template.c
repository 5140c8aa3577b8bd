/* SPDX-License-Identifier: Apache-2.0 */
/* Templates: a private copy of what they say, each attribute once and of the right form. */
#include "object.h"

enum { OWN_SIZE = 4096 - 64, OWN_HEAD = 16 }; /* a block of secret.c */

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

CK_ULONG draft_number(const struct draft *draft, CK_ATTRIBUTE_TYPE type, CK_ULONG otherwise)
{
    const CK_ATTRIBUTE *a = draft_find(draft, type);
    CK_ULONG number = otherwise;
    if (a)
        memcpy(&number, a->pValue, sizeof number);
    return number;
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

/* own_room returns memory for a value, of the draft's newest block, or of a new one.  A block
 * begins with the address of the one before. */
static uint8_t *own_room(struct module *m, struct draft *draft, size_t len)
{
    len = (len + 7) / 8 * 8;
    if (!draft->own || len > draft->own_size - draft->own_used) {
        const size_t size = len + OWN_HEAD > OWN_SIZE ? len + OWN_HEAD : OWN_SIZE;
        uint8_t *block = secret_new(m, size);
        if (!block)
            return NULL;
        memcpy(block, &draft->own, sizeof draft->own);
        draft->own = block;
        draft->own_size = size;
        draft->own_used = OWN_HEAD;
    }
    uint8_t *at = draft->own + draft->own_used;
    draft->own_used += len;
    return at;
}

RV draft_add(struct module *m, struct draft *draft, CK_ATTRIBUTE_TYPE type, const void *value,
             size_t len)
{
    uint8_t *at = own_room(m, draft, len);
    if (!at)
        return CKR_HOST_MEMORY;
    CK_ATTRIBUTE *a = NULL;
    for (size_t i = 0; i < draft->num; i++)
        if (draft->list[i].type == type)
            a = &draft->list[i];
    if (!a && draft->num == MAX_TEMPLATE)
        return CKR_TEMPLATE_INCONSISTENT;
    if (!a)
        a = &draft->list[draft->num++];
    if (len)
        memcpy(at, value, len);
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
    while (draft->own) {
        uint8_t *block = draft->own;
        memcpy(&draft->own, block, sizeof draft->own);
        secret_free(m, block);
    }
    WIPE(draft);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* C_CreateObject, C_CopyObject, C_DestroyObject, and the attributes of objects. */
#include "key.h"
#include "session.h"
#include "slot.h"

/* ---- new objects ---- */

static RV create(struct session *s, struct draft *draft, CK_OBJECT_HANDLE *object)
{
    CK_RV rv = policy_complete(s, draft, CREATED, NULL);
    if (rv == CKR_OK)
        rv = key_complete(s->module, draft);
    return rv == CKR_OK ? object_make(s, draft, object) : rv;
}

CK_RV C_CreateObject(CK_SESSION_HANDLE session, CK_ATTRIBUTE *template, CK_ULONG num,
                     CK_OBJECT_HANDLE *object)
{
    struct session *s;
    CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    if (!object)
        return CKR_ARGUMENTS_BAD;
    struct draft draft;
    rv = draft_read(&draft, template, num);
    if (rv == CKR_OK)
        rv = create(s, &draft, object);
    draft_wipe(s->module, &draft);
    return rv;
}

/* draft_of makes a draft of an object, with copies of all values; under objects_lock. */
static RV draft_of(struct module *m, struct draft *draft, const struct object *object)
{
    const struct attributes *a = object->attributes;
    *draft = (struct draft){ .cls = object->cls,
                             .key_type = object->key_type,
                             .bits = atomic_load(&object->bits) };
    CK_RV rv = CKR_OK;
    for (uint32_t i = 0; i < a->num && rv == CKR_OK; i++)
        rv = draft_add(m, draft, a->list[i].type, attribute_value(a, &a->list[i]), a->list[i].len);
    return rv;
}

/* overlay puts what `changes` has over a draft. */
static RV overlay(struct module *m, struct draft *draft, const struct draft *changes)
{
    CK_RV rv = CKR_OK;
    draft->bits = (draft->bits & ~changes->given) | (changes->bits & changes->given);
    for (size_t i = 0; i < changes->num && rv == CKR_OK; i++)
        rv = draft_add(m, draft, changes->list[i].type, changes->list[i].pValue,
                       changes->list[i].ulValueLen);
    return rv;
}

/* may_copy_with finds what a copy may never change: what the key is. */
static RV may_copy_with(const struct draft *changes)
{
    for (size_t i = 0; i < changes->num; i++)
        if (!(attribute_info(changes->list[i].type)->flags & ATTR_CHANGES))
            return CKR_ATTRIBUTE_READ_ONLY;
    const uint64_t made = P11_BIT(LOCAL) | P11_BIT(ALWAYS_SENSITIVE) | P11_BIT(NEVER_EXTRACTABLE);
    return changes->given & made ? CKR_ATTRIBUTE_READ_ONLY : CKR_OK;
}

/* copy_draft makes the draft of a copy, and *from a description of the original that stays. */
static RV copy_draft(struct session *s, CK_OBJECT_HANDLE handle, const struct draft *changes,
                     struct draft *draft, struct object *from)
{
    struct module *m = s->module;
    CK_RV rv = CKR_OBJECT_HANDLE_INVALID;
    pthread_mutex_lock(&m->objects_lock);
    const struct object *object = object_of(m, handle);
    if (object && is_visible(s, object)) {
        from->cls = object->cls;
        atomic_store(&from->bits, atomic_load(&object->bits));
        rv = policy_types(changes, object->cls);
        if (rv == CKR_OK)
            rv = atomic_load(&object->bits) & P11_BIT(COPYABLE) ? draft_of(m, draft, object)
                                                                : CKR_ACTION_PROHIBITED;
    }
    draft->is_copied = true;
    pthread_mutex_unlock(&m->objects_lock);
    return rv == CKR_OK ? overlay(m, draft, changes) : rv;
}

/* set_copied says that an object has a copy. */
static void set_copied(struct module *m, CK_OBJECT_HANDLE handle)
{
    pthread_mutex_lock(&m->objects_lock);
    struct object *object = object_of(m, handle);
    if (object)
        atomic_store(&object->is_copied, true);
    pthread_mutex_unlock(&m->objects_lock);
}

CK_RV C_CopyObject(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *template,
                   CK_ULONG num, CK_OBJECT_HANDLE *copy)
{
    struct session *s;
    CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    if (!copy)
        return CKR_ARGUMENTS_BAD;
    struct draft changes, draft = { 0 };
    struct object from = { 0 };
    rv = draft_read(&changes, template, num);
    if (rv == CKR_OK)
        rv = may_copy_with(&changes);
    if (rv == CKR_OK)
        rv = copy_draft(s, object, &changes, &draft, &from);
    if (rv == CKR_OK)
        rv = policy_complete(s, &draft, COPIED, &from);
    if (rv == CKR_OK)
        rv = key_unique_id(s->module, &draft);
    if (rv == CKR_OK)
        rv = object_make(s, &draft, copy);
    if (rv == CKR_OK)
        set_copied(s->module, object);
    draft_wipe(s->module, &draft);
    draft_wipe(s->module, &changes);
    return rv;
}

/* ---- the end of objects ---- */

static RV may_destroy(const struct session *s, const struct object *object)
{
    const uint64_t bits = atomic_load(&object->bits);
    if (!(bits & P11_BIT(DESTROYABLE)))
        return CKR_ACTION_PROHIBITED;
    return bits & P11_BIT(TOKEN) && !s->is_rw ? CKR_SESSION_READ_ONLY : CKR_OK;
}

/* let_go makes operations of this session that have ended forget a key. */
static void let_go(struct session *s, const struct object *object)
{
    for (int i = 0; i < NUM_OPS; i++) {
        struct op *op = atomic_load(&s->ops[i]);
        if (op && op->stage == OP_NONE && atomic_load(&op->key) == object) {
            op->form_mech = NULL;
            atomic_store(&op->key, NULL);
        }
    }
}

CK_RV C_DestroyObject(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE handle)
{
    struct session *s;
    CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    struct module *m = s->module;
    pthread_mutex_lock(&m->objects_lock);
    struct object *object = object_of(m, handle);
    rv = object && is_visible(s, object) ? may_destroy(s, object) : CKR_OBJECT_HANDLE_INVALID;
    if (rv == CKR_OK && atomic_load(&object->bits) & P11_BIT(TOKEN))
        rv = slot_forget(m, object);
    if (rv == CKR_OK) {
        let_go(s, object);
        object_remove(m, object);
    }
    pthread_mutex_unlock(&m->objects_lock);
    return rv;
}

CK_RV C_GetObjectSize(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE handle, CK_ULONG *size)
{
    struct session *s;
    CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    if (!size)
        return CKR_ARGUMENTS_BAD;
    pthread_mutex_lock(&s->module->objects_lock);
    const struct object *object = object_of(s->module, handle);
    rv = object && is_visible(s, object) ? CKR_OK : CKR_OBJECT_HANDLE_INVALID;
    if (rv == CKR_OK)
        *size = object->attributes->values_len +
                object->attributes->num * sizeof(struct attribute) + sizeof *object;
    pthread_mutex_unlock(&s->module->objects_lock);
    return rv;
}

/* ---- attributes ---- */

static RV get_bytes(CK_ATTRIBUTE *a, const void *bytes, size_t len)
{
    if (a->pValue && a->ulValueLen < len) {
        a->ulValueLen = CK_UNAVAILABLE_INFORMATION;
        return CKR_BUFFER_TOO_SMALL;
    }
    if (a->pValue && len)
        memcpy(a->pValue, bytes, len);
    a->ulValueLen = len;
    return CKR_OK;
}

static RV get_one(const struct object *object, CK_ATTRIBUTE *a)
{
    const struct attribute_info *info = attribute_info(a->type);
    const uint64_t bits = atomic_load(&object->bits);
    const unsigned cls = class_bit(object->cls);
    CK_RV rv = CKR_ATTRIBUTE_TYPE_INVALID;
    if (info && info->classes & cls) {
        if (info->kind == KIND_BOOL) {
            const CK_BBOOL value = bits >> info->bit & 1;
            return get_bytes(a, &value, sizeof value);
        }
        const bool is_secret = info->flags & ATTR_SENSITIVE && cls & (CLASS_SECRET | CLASS_PRIVATE);
        size_t len;
        const uint8_t *value = object_value(object, a->type, &len);
        if (is_secret && (bits & P11_BIT(SENSITIVE) || !(bits & P11_BIT(EXTRACTABLE))))
            rv = CKR_ATTRIBUTE_SENSITIVE;
        else if (value)
            return get_bytes(a, value, len);
    }
    a->ulValueLen = CK_UNAVAILABLE_INFORMATION;
    return rv;
}

/* worse returns which of two results of one call is returned: the specification lets any be, and
 * callers that ask for more than an object has want to hear of a small buffer last. */
static CK_RV worse(CK_RV a, CK_RV b)
{
    return a == CKR_OK || (a == CKR_BUFFER_TOO_SMALL && b != CKR_OK) ? b : a;
}

CK_RV C_GetAttributeValue(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE handle,
                          CK_ATTRIBUTE *template, CK_ULONG num)
{
    struct session *s;
    CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    if (!template && num)
        return CKR_ARGUMENTS_BAD;
    pthread_mutex_lock(&s->module->objects_lock);
    const struct object *object = object_of(s->module, handle);
    if (!object || !is_visible(s, object))
        rv = CKR_OBJECT_HANDLE_INVALID;
    for (CK_ULONG i = 0; i < num && object && rv != CKR_OBJECT_HANDLE_INVALID; i++)
        rv = worse(rv, get_one(object, &template[i]));
    pthread_mutex_unlock(&s->module->objects_lock);
    return rv;
}

static RV change(struct session *s, struct object *object, const struct draft *changes)
{
    struct draft draft = { 0 };
    CK_RV rv = policy_change(s, object, changes);
    if (rv == CKR_OK)
        rv = draft_of(s->module, &draft, object);
    if (rv == CKR_OK)
        rv = overlay(s->module, &draft, changes);
    if (rv == CKR_OK)
        rv = object_change(s->module, object, &draft);
    if (rv == CKR_OK && draft.bits & P11_BIT(TOKEN))
        rv = slot_store(s->module, object);
    draft_wipe(s->module, &draft);
    return rv;
}

CK_RV C_SetAttributeValue(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE handle,
                          CK_ATTRIBUTE *template, CK_ULONG num)
{
    struct session *s;
    CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    struct draft changes;
    rv = draft_read(&changes, template, num);
    if (rv != CKR_OK)
        return rv;
    pthread_mutex_lock(&s->module->objects_lock);
    struct object *object = object_of(s->module, handle);
    rv = object && is_visible(s, object) ? change(s, object, &changes) : CKR_OBJECT_HANDLE_INVALID;
    pthread_mutex_unlock(&s->module->objects_lock);
    return rv;
}

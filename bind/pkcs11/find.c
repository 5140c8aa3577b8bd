/* SPDX-License-Identifier: Apache-2.0 */
/* The indices by label and id, and C_FindObjects. */
#include "object.h"
#include "session.h"
#include "slot.h"

/* ---- indices: lists of objects whose value has the same hash ---- */

static uint32_t hash_of(const uint8_t *bytes, size_t len)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return (hash ^ hash >> 15) % NUM_BUCKETS;
}

/* bucket_of returns the list of an object without or with an attribute. */
static struct object **bucket_of(struct object **buckets, const struct object *object,
                                 CK_ATTRIBUTE_TYPE type)
{
    size_t len;
    const uint8_t *value = object_value(object, type, &len);
    return &buckets[hash_of(value, value ? len : 0)];
}

bool object_is_stored(const struct object *object)
{
    static const uint8_t none[sizeof object->stored];
    return memcmp(object->stored, none, sizeof none) != 0;
}

static size_t stored_bucket(const uint8_t stored[16])
{
    return (stored[0] | (size_t)stored[1] << 8) % NUM_BUCKETS; /* it is random */
}

void object_index(struct module *m, struct object *object)
{
    struct object **label = bucket_of(m->by_label, object, CKA_LABEL),
                  **id = bucket_of(m->by_id, object, CKA_ID);
    object->before_label = object->before_id = NULL;
    object->next_label = *label;
    if (*label)
        (*label)->before_label = object;
    *label = object;
    object->next_id = *id;
    if (*id)
        (*id)->before_id = object;
    *id = object;
    if (object_is_stored(object)) {
        struct object **stored = &m->by_stored[stored_bucket(object->stored)];
        object->before_stored = NULL;
        object->next_stored = *stored;
        if (*stored)
            (*stored)->before_stored = object;
        *stored = object;
    }
}

void object_unindex(struct module *m, struct object *object)
{
    *(object->before_label ? &object->before_label->next_label
                           : bucket_of(m->by_label, object, CKA_LABEL)) = object->next_label;
    if (object->next_label)
        object->next_label->before_label = object->before_label;
    *(object->before_id ? &object->before_id->next_id : bucket_of(m->by_id, object, CKA_ID)) =
        object->next_id;
    if (object->next_id)
        object->next_id->before_id = object->before_id;
    if (!object_is_stored(object))
        return;
    *(object->before_stored ? &object->before_stored->next_stored
                            : &m->by_stored[stored_bucket(object->stored)]) = object->next_stored;
    if (object->next_stored)
        object->next_stored->before_stored = object->before_stored;
}

struct object *object_stored(const struct module *m, const uint8_t stored[16])
{
    struct object *object = m->by_stored[stored_bucket(stored)];
    while (object && memcmp(object->stored, stored, sizeof object->stored))
        object = object->next_stored;
    return object;
}

/* ---- matching ---- */

/* matches_value compares an attribute; one that a caller may not see equals nothing. */
static bool matches_value(const struct object *object, const CK_ATTRIBUTE *a)
{
    const struct attribute_info *info = attribute_info(a->type);
    const uint64_t bits = atomic_load(&object->bits);
    const bool is_hidden = info->flags & ATTR_SENSITIVE &&
                           class_bit(object->cls) & (CLASS_SECRET | CLASS_PRIVATE) &&
                           (bits & P11_BIT(SENSITIVE) || !(bits & P11_BIT(EXTRACTABLE)));
    size_t len;
    const uint8_t *value = is_hidden ? NULL : object_value(object, a->type, &len);
    return value && len == a->ulValueLen && (!len || !memcmp(value, a->pValue, len));
}

static bool matches(const struct object *object, const struct draft *wanted)
{
    if ((atomic_load(&object->bits) ^ wanted->bits) & wanted->given)
        return false;
    for (size_t i = 0; i < wanted->num; i++)
        if (!matches_value(object, &wanted->list[i]))
            return false;
    return true;
}

/* ---- C_FindObjects ---- */

struct candidates {
    struct object *first;
    size_t next; /* where in struct object the next one is */
};

static struct candidates candidates_of(const struct module *m, const struct draft *wanted)
{
    const CK_ATTRIBUTE *a = draft_find(wanted, CKA_LABEL);
    if (a)
        return (struct candidates){ m->by_label[hash_of(a->pValue, a->ulValueLen)],
                                    offsetof(struct object, next_label) };
    a = draft_find(wanted, CKA_ID);
    if (a)
        return (struct candidates){ m->by_id[hash_of(a->pValue, a->ulValueLen)],
                                    offsetof(struct object, next_id) };
    return (struct candidates){ m->first, offsetof(struct object, next) };
}

static struct object *next_of(const struct object *object, size_t offset)
{
    struct object *next;
    memcpy(&next, (const char *)object + offset, sizeof next);
    return next;
}

static RV add_found(struct session *s, CK_OBJECT_HANDLE handle)
{
    if (s->found.num == s->found.room) {
        const size_t more = s->found.room ? 2 * s->found.room : 16;
        CK_OBJECT_HANDLE *handles = secret_new(s->module, more * sizeof *handles);
        if (!handles)
            return CKR_HOST_MEMORY;
        if (s->found.num)
            memcpy(handles, s->found.handles, s->found.num * sizeof *handles);
        secret_free(s->module, s->found.handles);
        s->found.handles = handles;
        s->found.room = more;
    }
    s->found.handles[s->found.num++] = handle;
    return CKR_OK;
}

/* search collects the handles of all objects that match; under objects_lock. */
static RV search(struct session *s, const struct draft *wanted)
{
    const struct candidates some = candidates_of(s->module, wanted);
    CK_RV rv = CKR_OK;
    for (struct object *object = some.first; object && rv == CKR_OK;
         object = next_of(object, some.next))
        if (is_visible(s, object) && matches(object, wanted))
            rv = add_found(s, atomic_load(&object->handle));
    return rv;
}

CK_RV C_FindObjectsInit(CK_SESSION_HANDLE session, CK_ATTRIBUTE *template, CK_ULONG num)
{
    struct session *s;
    struct draft wanted;
    CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    if (s->found.is_active)
        return CKR_OPERATION_ACTIVE;
    rv = draft_read(&wanted, template, num);
    if (rv != CKR_OK && rv != CKR_ATTRIBUTE_TYPE_INVALID)
        return rv;
    const bool is_possible = rv == CKR_OK; /* no object has an attribute that is not known here */
    s->found.num = s->found.next = 0;
    slot_refresh(s->module, s->slot);
    pthread_mutex_lock(&s->module->objects_lock);
    rv = is_possible ? search(s, &wanted) : CKR_OK;
    pthread_mutex_unlock(&s->module->objects_lock);
    s->found.is_active = rv == CKR_OK;
    return rv;
}

CK_RV C_FindObjects(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG max,
                    CK_ULONG *num)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    if (!s->found.is_active)
        return CKR_OPERATION_NOT_INITIALIZED;
    if (!num || (!objects && max))
        return CKR_ARGUMENTS_BAD;
    size_t left = s->found.num - s->found.next;
    if (left > max)
        left = max;
    if (left)
        memcpy(objects, s->found.handles + s->found.next, left * sizeof *objects);
    s->found.next += left;
    *num = left;
    return CKR_OK;
}

CK_RV C_FindObjectsFinal(CK_SESSION_HANDLE session)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    if (!s->found.is_active)
        return CKR_OPERATION_NOT_INITIALIZED;
    s->found.is_active = false;
    return CKR_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of the token's files.  A file's private part, which is encrypted, has all attributes
 * of an object with CKA_PRIVATE, and the secret ones of every key.  Both parts are lists of
 *   type (8 bytes), length (4 bytes), value
 * with numbers in little-endian order; a CK_ULONG has 8 bytes, a CK_BBOOL one. */
#include "key.h"
#include "slot.h"
#include "token.h"

enum { HEADER = 12 };

/* ---- writing ---- */

struct writer {
    uint8_t *at;
    size_t left;
    bool is_full;
};

static void put_number(uint8_t *out, uint64_t number, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)(number >> 8 * i);
}

static uint64_t get_number(const uint8_t *in, size_t len)
{
    uint64_t number = 0;
    for (size_t i = 0; i < len; i++)
        number |= (uint64_t)in[i] << 8 * i;
    return number;
}

static void put_attribute(struct writer *w, CK_ATTRIBUTE_TYPE type, const uint8_t *value,
                          size_t len)
{
    if (w->left < HEADER + len) {
        w->is_full = true;
        return;
    }
    put_number(w->at, type, 8);
    put_number(w->at + 8, len, 4);
    if (len)
        memcpy(w->at + HEADER, value, len);
    w->at += HEADER + len;
    w->left -= HEADER + len;
}

/* is_of_part tells whether an attribute belongs to the private part, or to the public one. */
static bool is_of_part(const struct object *object, unsigned flags, bool is_private_part)
{
    const bool is_hidden =
        atomic_load(&object->bits) & P11_BIT(PRIVATE) ||
        (flags & ATTR_SENSITIVE && class_bit(object->cls) & (CLASS_SECRET | CLASS_PRIVATE));
    return is_hidden == is_private_part;
}

/* put_others writes the attributes of a part that are no bits. */
static void put_others(struct writer *w, const struct object *object, bool is_private_part)
{
    const struct attributes *a = object->attributes;
    for (uint32_t i = 0; i < a->num; i++) {
        const uint8_t *value = attribute_value(a, &a->list[i]);
        const struct attribute_info *info = attribute_info(a->list[i].type);
        CK_ULONG number;
        uint8_t bytes[8];
        if (!is_of_part(object, info->flags, is_private_part))
            continue;
        if (info->kind == KIND_ULONG && a->list[i].len == sizeof number) {
            memcpy(&number, value, sizeof number);
            put_number(bytes, number, sizeof bytes);
            value = bytes;
        }
        put_attribute(w, a->list[i].type, value, a->list[i].len);
    }
}

static void put_bits(struct writer *w, const struct object *object, bool is_private_part)
{
    const uint64_t bits = atomic_load(&object->bits);
    const unsigned cls = class_bit(object->cls);
#define P11_BOOL(type, SYM, classes, flags)                              \
    if (cls & (classes) && is_of_part(object, flags, is_private_part)) { \
        const uint8_t value = (bits & P11_BIT(SYM)) != 0;                \
        put_attribute(w, type, &value, 1);                               \
    }
#include "attributes.def"
}

/* ---- what the officer does not see of an object: its private part ---- */

struct unseen {
    const uint8_t *id;
    struct writer *w;
    bool is_found;
};

static int copy_unseen(void *arg, const struct store_object *stored)
{
    struct unseen *u = arg;
    if (!stored->is_open || memcmp(stored->id, u->id, STORE_ID) != 0)
        return 0;
    u->is_found = true;
    u->w->is_full |= u->w->left < stored->parts.secret_len;
    if (!u->w->is_full && stored->parts.secret_len) {
        memcpy(u->w->at, stored->parts.secret, stored->parts.secret_len);
        u->w->at += stored->parts.secret_len;
        u->w->left -= stored->parts.secret_len;
    }
    return 0;
}

/* put_unseen writes the private part that an object's file has. */
static RV put_unseen(struct token *t, struct writer *w, const struct object *object)
{
    struct unseen u = { object->stored, w, false };
    t->is_loaded = false; /* the next refresh would miss what other processes changed until now */
    const int error = store_load(&t->store, copy_unseen, &u);
    return error ? token_error(error) : u.is_found ? CKR_OK : CKR_OBJECT_HANDLE_INVALID;
}

/* put_private writes the private part of an object. */
static RV put_private(struct token *t, struct writer *w, const struct object *object, bool is_new)
{
    if (!is_new && t->store.role == STORE_SO)
        return put_unseen(t, w, object);
    put_bits(w, object, true);
    put_others(w, object, true);
    return CKR_OK;
}

/* put writes an object; under both locks. */
static RV put(struct token *t, struct object *object, bool is_new)
{
    int error = is_new ? store_new_id(object->stored) : 0;
    if (error)
        return token_error(error);
    struct writer w = { t->parts, sizeof t->parts, false };
    put_bits(&w, object, false);
    put_others(&w, object, false);
    const uint8_t *secret = w.at;
    CK_RV rv = put_private(t, &w, object, is_new);
    if (rv == CKR_OK && w.is_full)
        rv = CKR_DEVICE_MEMORY;
    const struct store_parts parts = { .open = t->parts,
                                       .secret = secret,
                                       .open_len = (size_t)(secret - t->parts),
                                       .secret_len = (size_t)(w.at - secret) };
    if (rv == CKR_OK)
        rv = token_error(
            store_put(&t->store, object->stored, &parts, is_new ? STORE_NEW : STORE_REPLACE));
    wipe_bytes(t->parts, (size_t)(w.at - t->parts));
    t->is_loaded &= rv == CKR_OK; /* else the next refresh takes what the file has */
    return rv;
}

RV token_put(struct module *m, struct object *object)
{
    pthread_mutex_lock(&m->token_lock);
    object->stamp = m->token->stamp;
    const CK_RV rv = !m->token->is_usable        ? CKR_TOKEN_WRITE_PROTECTED
                     : !m->token->store.is_there ? CKR_TOKEN_NOT_INITIALIZED
                                                 : put(m->token, object, !object_is_stored(object));
    pthread_mutex_unlock(&m->token_lock);
    return rv;
}

RV token_forget(struct module *m, const struct object *object)
{
    pthread_mutex_lock(&m->token_lock);
    const int error = store_delete(&m->token->store, object->stored);
    pthread_mutex_unlock(&m->token_lock);
    return error == STORE_GONE ? CKR_OK : token_error(error); /* another process was faster */
}

/* ---- reading: the bytes may be anybody's ---- */

static RV read_attribute(struct module *m, struct draft *draft, CK_ATTRIBUTE_TYPE type,
                         const uint8_t *value, size_t len)
{
    const struct attribute_info *info = attribute_info(type);
    if (!info)
        return CKR_ATTRIBUTE_TYPE_INVALID;
    if (info->kind == KIND_BOOL) {
        const uint64_t bit = UINT64_C(1) << info->bit;
        if (len != 1 || value[0] > 1 || draft->given & bit)
            return CKR_ATTRIBUTE_VALUE_INVALID;
        draft->given |= bit;
        draft_set(draft, bit, value[0]);
        return CKR_OK;
    }
    if (draft_find(draft, type))
        return CKR_TEMPLATE_INCONSISTENT;
    if (info->kind == KIND_ULONG)
        return len == 8 ? draft_add_number(m, draft, type, (CK_ULONG)get_number(value, len))
                        : CKR_ATTRIBUTE_VALUE_INVALID;
    if (info->kind == KIND_LIST && len % sizeof(CK_MECHANISM_TYPE))
        return CKR_ATTRIBUTE_VALUE_INVALID;
    return draft_add(m, draft, type, value, len);
}

static RV read_part(struct module *m, struct draft *draft, const uint8_t *in, size_t len)
{
    CK_RV rv = CKR_OK;
    while (len && rv == CKR_OK) {
        if (len < HEADER)
            return CKR_DEVICE_ERROR;
        const uint64_t type = get_number(in, 8);
        const size_t value_len = get_number(in + 8, 4);
        if (value_len > len - HEADER)
            return CKR_DEVICE_ERROR;
        rv = read_attribute(m, draft, type, in + HEADER, value_len);
        in += HEADER + value_len;
        len -= HEADER + value_len;
    }
    return rv;
}

/* may_be tells whether a file can be one of this module's; what nobody vouches for is not trusted.
 */
static bool may_be(struct draft *draft, const struct store_object *stored)
{
    if (!stored->is_open)
        draft->bits &= ~P11_BIT(TRUSTED);
    return class_bit(draft->cls) && draft->bits & P11_BIT(TOKEN) &&
           ((draft->bits & P11_BIT(PRIVATE)) != 0) == !stored->parts.open_len;
}

/* is_same compares an object with what its file has now. */
static bool is_same(const struct object *object, const struct draft *draft)
{
    if (atomic_load(&object->bits) != draft->bits || object->attributes->num != draft->num)
        return false;
    for (size_t i = 0; i < draft->num; i++) {
        size_t len;
        const uint8_t *value = object_value(object, draft->list[i].type, &len);
        if (!value || len != draft->list[i].ulValueLen ||
            (len && memcmp(value, draft->list[i].pValue, len)))
            return false;
    }
    return true;
}

/* take_over makes the object of a file, or changes the one that is there: its handle stays. */
static CK_RV take_over(struct module *m, struct draft *draft, const uint8_t id[STORE_ID])
{
    struct object *known = object_stored(m, id);
    if (known && (known->cls != draft->cls || known->key_type != draft->key_type)) {
        object_remove(m, known);
        known = NULL;
    }
    if (!known)
        return object_load(m, draft, SLOT_TOKEN, id, m->token->stamp);
    known->stamp = m->token->stamp;
    return is_same(known, draft) ? CKR_OK : object_change(m, known, draft);
}

/* take takes over one object of the files; under both locks.  What is private only the user
 * sees. */
static int take(void *arg, const struct store_object *stored)
{
    struct module *m = arg;
    const bool is_open = stored->is_open && m->token->role == STORE_USER;
    struct draft draft = { .cls = CK_UNAVAILABLE_INFORMATION,
                           .key_type = CK_UNAVAILABLE_INFORMATION };
    if (!stored->parts.open_len && !is_open)
        return 0;
    CK_RV rv = read_part(m, &draft, stored->parts.open, stored->parts.open_len);
    if (rv == CKR_OK && is_open)
        rv = read_part(m, &draft, stored->parts.secret, stored->parts.secret_len);
    if (rv == CKR_OK && may_be(&draft, stored))
        (void)take_over(m, &draft, stored->id);
    draft_wipe(m, &draft);
    return 0;
}

/* remove_others removes the token objects that the files have no more. */
static void remove_others(struct module *m)
{
    for (struct object *object = m->first, *next; object; object = next) {
        next = object->next;
        if (object->slot == SLOT_TOKEN && object_is_stored(object) &&
            object->stamp != m->token->stamp)
            object_remove(m, object);
    }
}

/* is_behind tells whether the table may not be what the files are: one look at the file system. */
static bool is_behind(struct token *t)
{
    if (!t->is_loaded || t->role != t->store.role)
        return true;
    return t->store.is_there ? store_changed(&t->store) : !store_look(&t->store);
}

void token_refresh(struct module *m)
{
    struct token *t = m->token;
    pthread_mutex_lock(&m->objects_lock);
    pthread_mutex_lock(&m->token_lock);
    if (t->is_usable && is_behind(t)) {
        t->stamp++;
        t->role = t->store.role;
        const int error = store_look(&t->store);
        if (!error && t->store.is_there)
            (void)store_load(&t->store, take, m);
        remove_others(m);
        t->is_loaded = true;
    }
    pthread_mutex_unlock(&m->token_lock);
    pthread_mutex_unlock(&m->objects_lock);
}

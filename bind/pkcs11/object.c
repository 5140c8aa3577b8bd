/* SPDX-License-Identifier: Apache-2.0 */
/* The table of objects, and who refers to one. */
#include "object.h"
#include "mechanism.h"
#include "session.h"
#include "slot.h"
#include <stdlib.h>
#include <sys/mman.h>

/* A handle is the place + 1 in its low bits, and a number above them that no other object had. */
enum { PLACE_BITS = 17, PLACE_MASK = (1 << PLACE_BITS) - 1 };

struct object_table {
    struct object *_Atomic at[MAX_OBJECTS];
    uint32_t free_places[MAX_OBJECTS], num_free, used;
};

static struct object_table *table_of(const struct module *m)
{
    return atomic_load_explicit(&m->objects, memory_order_acquire);
}

/* ---- handles ---- */

static struct object *_Atomic *place_of(const struct module *m, CK_OBJECT_HANDLE handle)
{
    struct object_table *table = table_of(m);
    const CK_OBJECT_HANDLE place = (handle & PLACE_MASK) - 1;
    return table && place < MAX_OBJECTS ? &table->at[place] : NULL;
}

struct object *object_of(const struct module *m, CK_OBJECT_HANDLE handle)
{
    struct object *_Atomic *place = place_of(m, handle);
    struct object *object = place ? atomic_load(place) : NULL;
    return object && atomic_load(&object->handle) == handle ? object : NULL;
}

static struct object_table *table_new(void)
{
    struct object_table *table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return table == MAP_FAILED ? NULL : table;
}

/* handle_new puts an object into the table; under objects_lock. */
static RV handle_new(struct module *m, struct object *object)
{
    struct object_table *table = table_of(m);
    if (!table) {
        table = table_new();
        if (!table)
            return CKR_HOST_MEMORY;
        atomic_store_explicit(&m->objects, table, memory_order_release);
    }
    if (!table->num_free && table->used == MAX_OBJECTS)
        return CKR_DEVICE_MEMORY;
    const uint32_t place = table->num_free ? table->free_places[--table->num_free] : table->used++;
    atomic_store(&object->handle, ++m->next_object << PLACE_BITS | (place + 1));
    atomic_store(&table->at[place], object);
    return CKR_OK;
}

/* ---- who refers to an object ----
 * An operation writes the object's address where all can see it, and then looks whether the table
 * still has it.  Who destroys it takes it out of the table, and then looks at all operations.  So
 * one of the two sees the other.
 *
 * The address stays there after an operation, and the next one only looks whether the object's
 * handle is still the same.  So the object stays as long as an operation refers to it, but what is
 * secret of it only as long as one is at work (op_enter). */

static bool is_held_by(const struct session *s, const struct object *object)
{
    if (!atomic_load(&s->has_ops))
        return false;
    for (int i = 0; i < NUM_OPS; i++) {
        struct op *op = atomic_load(&s->ops[i]);
        if (op && atomic_load(&op->key) == object)
            return true;
    }
    return false;
}

static bool is_held(const struct module *m, const struct object *object)
{
    const uint32_t num = atomic_load(&m->used_sessions);
    for (uint32_t i = 0; i < num; i++)
        if (is_held_by(session_at(m, i), object))
            return true;
    return false;
}

static bool is_used_by(const struct session *s, const struct object *object)
{
    for (int i = 0; i < NUM_OPS && atomic_load(&s->has_ops); i++) {
        struct op *op = atomic_load(&s->ops[i]);
        if (op && atomic_load(&op->key) == object &&
            atomic_load_explicit(&op->is_busy, memory_order_acquire))
            return true;
    }
    return false;
}

/* is_used tells whether an operation may be at work with an object whose handle is gone. */
static bool is_used(const struct module *m, const struct object *object)
{
    const uint32_t num = atomic_load(&m->used_sessions);
    bool is_one = !barrier_all();
    for (uint32_t i = 0; i < num && !is_one; i++)
        is_one = is_used_by(session_at(m, i), object);
    return is_one;
}

/* object_empty wipes and frees what an object has of a key. */
static void object_empty(struct module *m, struct object *object)
{
    for (uint32_t i = 0; i < atomic_load(&object->num_forms); i++)
        mechanism_form_free(m, object, object->forms[i].made);
    atomic_store(&object->num_forms, 0);
    secret_free(m, object->attributes);
    object->attributes = NULL;
}

static void object_free(struct module *m, struct object *object)
{
    object_empty(m, object);
    secret_free(m, object);
}

/* let_go frees an object that was destroyed, or lets it wait in the limbo as long as an operation
 * refers to it; under objects_lock.  It is in the limbo before that is looked at, so that either
 * this sees that an operation has taken another key, or that sees that something waits. */
static void let_go(struct module *m, struct object *object)
{
    object->next = atomic_load(&m->limbo);
    atomic_store(&m->limbo, object);
    if (!is_held(m, object)) {
        atomic_store(&m->limbo, object->next);
        object_free(m, object);
    } else if (object->attributes && !is_used(m, object)) {
        object_empty(m, object);
    }
}

void objects_release(struct module *m, const struct object *object)
{
    pthread_mutex_lock(&m->objects_lock);
    struct object *found = atomic_load(&m->limbo), *before = NULL;
    while (found && found != object) {
        before = found;
        found = found->next;
    }
    if (found && before) /* NULL: who let go of it too has freed it */
        before->next = found->next;
    else if (found)
        atomic_store(&m->limbo, found->next);
    if (found)
        let_go(m, found);
    pthread_mutex_unlock(&m->objects_lock);
}

/* ---- of many objects at once ----
 * One look at all operations finds most of those to which none refers: a filter has a bit for each
 * hash of an address. */

static size_t filter_bit(const struct object *object)
{
    return (uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15) >> 48;
}
_Static_assert(FILTER_WORDS * 64 == 1 << 16, "a bit for each hash");

static void filter_fill(const struct module *m, uint64_t filter[FILTER_WORDS])
{
    const uint32_t num = atomic_load(&m->used_sessions);
    memset(filter, 0, FILTER_WORDS * sizeof *filter);
    for (uint32_t i = 0; i < num; i++) {
        const struct session *s = session_at(m, i);
        for (int k = 0; s && k < NUM_OPS && atomic_load(&s->has_ops); k++) {
            struct op *op = atomic_load(&s->ops[k]);
            const struct object *key = op ? atomic_load(&op->key) : NULL;
            if (key)
                filter[filter_bit(key) / 64] |= UINT64_C(1) << filter_bit(key) % 64;
        }
    }
}

/* let_all_go does so with a list of objects that were destroyed. */
static void let_all_go(struct module *m, struct object *gone)
{
    filter_fill(m, m->filter);
    for (struct object *next; gone; gone = next) {
        next = gone->next;
        if (m->filter[filter_bit(gone) / 64] >> filter_bit(gone) % 64 & 1)
            let_go(m, gone);
        else
            object_free(m, gone);
    }
}

/* refer makes an operation refer to an object or to none, and lets go of the one before, which may
 * have been destroyed. */
static void refer(struct op *op, struct object *object)
{
    struct module *m = op->session->module;
    const struct object *before = atomic_exchange(&op->key, object);
    if (before && before != object && atomic_load(&m->limbo))
        objects_release(m, before);
}

RV object_hold(struct op *op, CK_OBJECT_HANDLE handle)
{
    struct module *m = op->session->module;
    struct object *before = atomic_load_explicit(&op->key, memory_order_relaxed);
    if (LIKELY(before && op->key_handle == handle &&
               atomic_load_explicit(&before->handle, memory_order_acquire) == handle))
        return CKR_OK;
    op->form_mech = NULL;
    struct object *_Atomic *place = place_of(m, handle);
    struct object *object = NULL;
    do {
        object = place ? atomic_load(place) : NULL;
        refer(op, object);
    } while (place && atomic_load(place) != object);
    if (!object || atomic_load(&object->handle) != handle || !is_visible(op->session, object)) {
        refer(op, NULL);
        return CKR_KEY_HANDLE_INVALID;
    }
    op->key_handle = handle;
    return CKR_OK;
}

bool is_visible(const struct session *session, const struct object *object)
{
    return object->slot == session->slot &&
           (!(atomic_load_explicit(&object->bits, memory_order_relaxed) & P11_BIT(PRIVATE)) ||
            atomic_load(&session->module->slots[session->slot].who) == USER);
}

/* ---- attributes ---- */

static const struct attribute *find_attribute(const struct object *object, CK_ATTRIBUTE_TYPE type)
{
    const struct attributes *a = object->attributes;
    for (uint32_t i = 0; i < a->num; i++)
        if (a->list[i].type == type)
            return &a->list[i];
    return NULL;
}

const uint8_t *object_value(const struct object *object, CK_ATTRIBUTE_TYPE type, size_t *len)
{
    const struct attribute *a = find_attribute(object, type);
    *len = a ? a->len : 0;
    return a ? attribute_value(object->attributes, a) : NULL;
}

CK_ULONG object_number(const struct object *object, CK_ATTRIBUTE_TYPE type, CK_ULONG otherwise)
{
    size_t len;
    const uint8_t *value = object_value(object, type, &len);
    CK_ULONG number = otherwise;
    if (value && len == sizeof number)
        memcpy(&number, value, len);
    return number;
}

static struct attributes *attributes_of(struct module *m, const struct draft *draft)
{
    size_t len = 0;
    for (size_t i = 0; i < draft->num; i++)
        len += (draft->list[i].ulValueLen + 7) / 8 * 8;
    struct attributes *a = secret_new(m, sizeof *a + draft->num * sizeof a->list[0] + len);
    if (!a)
        return NULL;
    a->num = (uint32_t)draft->num;
    a->values_len = (uint32_t)len;
    size_t at = 0;
    for (size_t i = 0; i < draft->num; i++) {
        const CK_ATTRIBUTE *one = &draft->list[i];
        a->list[i] = (struct attribute){ one->type, (uint32_t)one->ulValueLen, (uint32_t)at };
        if (one->ulValueLen)
            memcpy((uint8_t *)(a->list + a->num) + at, one->pValue, one->ulValueLen);
        at += (one->ulValueLen + 7) / 8 * 8;
    }
    return a;
}

RV object_change(struct module *m, struct object *object, struct draft *draft)
{
    struct attributes *after = attributes_of(m, draft), *before = object->attributes;
    if (!after)
        return CKR_HOST_MEMORY;
    object_unindex(m, object);
    object->attributes = after;
    atomic_store(&object->bits, draft->bits);
    object_index(m, object);
    secret_free(m, before);
    return CKR_OK;
}

/* ---- their life ---- */

static void link_last(struct module *m, struct object *object)
{
    object->before = m->last;
    object->next = NULL;
    *(m->last ? &m->last->next : &m->first) = object;
    m->last = object;
    m->num_objects++;
}

static void unlink_object(struct module *m, struct object *object)
{
    *(object->before ? &object->before->next : &m->first) = object->next;
    *(object->next ? &object->next->before : &m->last) = object->before;
    m->num_objects--;
}

/* insert gives an object its handle and puts it into all lists; under objects_lock. */
static RV insert(struct module *m, struct session *session, struct object *object)
{
    const CK_RV rv = handle_new(m, object);
    if (rv != CKR_OK)
        return rv;
    link_last(m, object);
    object_index(m, object);
    if (object->session)
        session->num_objects++;
    return CKR_OK;
}

/* object_new makes an object of a draft, without a handle. */
static struct object *object_new(struct module *m, const struct draft *draft, unsigned slot)
{
    struct object *object = secret_new(m, sizeof *object);
    if (!object)
        return NULL;
    object->cls = draft->cls;
    object->key_type = draft->key_type;
    object->slot = (uint8_t)slot;
    object->is_limited = draft_find(draft, CKA_ALLOWED_MECHANISMS) != NULL;
    atomic_store(&object->bits, draft->bits);
    atomic_store(&object->is_copied, draft->is_copied);
    object->attributes = attributes_of(m, draft);
    if (object->attributes)
        return object;
    secret_free(m, object);
    return NULL;
}

RV object_make(struct session *session, struct draft *draft, CK_OBJECT_HANDLE *handle)
{
    struct module *m = session->module;
    if (session->slot == SLOT_ACCEL)
        return CKR_TOKEN_WRITE_PROTECTED;
    struct object *object = object_new(m, draft, session->slot);
    if (!object)
        return CKR_HOST_MEMORY;
    const bool is_token = draft->bits & P11_BIT(TOKEN);
    object->session = is_token ? 0 : atomic_load(&session->handle);
    pthread_mutex_lock(&m->objects_lock);
    /* a logout since policy_complete has removed what is private */
    CK_RV rv = is_visible(session, object) ? CKR_OK : CKR_USER_NOT_LOGGED_IN;
    if (rv == CKR_OK && is_token)
        rv = slot_store(m, object);
    if (rv == CKR_OK)
        rv = insert(m, session, object);
    if (rv == CKR_OK)
        *handle = atomic_load(&object->handle);
    pthread_mutex_unlock(&m->objects_lock);
    if (rv != CKR_OK)
        object_free(m, object);
    return rv;
}

RV object_load(struct module *m, struct draft *draft, unsigned slot, const uint8_t stored[16],
               uint32_t stamp)
{
    struct object *object = object_new(m, draft, slot);
    if (!object)
        return CKR_HOST_MEMORY;
    memcpy(object->stored, stored, sizeof object->stored);
    object->stamp = stamp;
    const CK_RV rv = insert(m, NULL, object);
    if (rv != CKR_OK)
        object_free(m, object);
    return rv;
}

RV object_show(struct module *m, struct draft *draft, struct accel_named *accel,
               CK_OBJECT_HANDLE *handle)
{
    struct object *object = object_new(m, draft, SLOT_ACCEL);
    if (!object)
        return CKR_HOST_MEMORY;
    object->accel = accel;
    pthread_mutex_lock(&m->objects_lock);
    const CK_RV rv = insert(m, NULL, object);
    if (rv == CKR_OK)
        *handle = atomic_load(&object->handle);
    pthread_mutex_unlock(&m->objects_lock);
    if (rv != CKR_OK)
        object_free(m, object);
    return rv;
}

/* take_out takes an object out of all lists. */
static void take_out(struct module *m, struct object *object)
{
    struct object_table *table = table_of(m);
    const CK_OBJECT_HANDLE handle = atomic_exchange(&object->handle, 0);
    const uint32_t place = (uint32_t)(handle & PLACE_MASK) - 1;
    object_unindex(m, object);
    unlink_object(m, object);
    atomic_store(&table->at[place], NULL);
    table->free_places[table->num_free++] = place;
}

void object_remove(struct module *m, struct object *object)
{
    take_out(m, object);
    let_go(m, object);
}

static void remove_all(struct module *m, bool (*goes)(const struct object *, uint64_t),
                       uint64_t what)
{
    pthread_mutex_lock(&m->objects_lock);
    struct object *gone = NULL;
    for (struct object *object = m->first, *next; object; object = next) {
        next = object->next;
        if (goes(object, what)) {
            take_out(m, object);
            object->next = gone;
            gone = object;
        }
    }
    if (gone)
        let_all_go(m, gone);
    pthread_mutex_unlock(&m->objects_lock);
}

static bool is_of_session(const struct object *object, uint64_t session)
{
    return object->session == session;
}

void objects_of_session_end(struct module *m, CK_SESSION_HANDLE session)
{
    remove_all(m, is_of_session, session);
}

static bool is_of_slot(const struct object *object, uint64_t slot)
{
    return object->slot == slot;
}

/* is_hidden_of_slot: private objects, and stored keys, whose secret only the user has. */
static bool is_hidden_of_slot(const struct object *object, uint64_t slot)
{
    const uint64_t bits = atomic_load(&object->bits);
    const bool is_key = class_bit(object->cls) & (CLASS_SECRET | CLASS_PRIVATE);
    return object->slot == slot && (bits & P11_BIT(PRIVATE) || (bits & P11_BIT(TOKEN) && is_key));
}

void objects_of_slot_end(struct module *m, unsigned slot, bool only_hidden)
{
    remove_all(m, only_hidden ? is_hidden_of_slot : is_of_slot, slot);
}

void objects_end(struct module *m)
{
    for (unsigned slot = 0; slot < NUM_SLOTS; slot++)
        objects_of_slot_end(m, slot, false);
    struct object_table *table = table_of(m);
    if (table)
        munmap(table, sizeof *table);
}

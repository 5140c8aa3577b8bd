/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"
#include "async.h"
#include "slot.h"
#include <stdlib.h>

struct op *session_make_op(struct session *session, enum op_kind kind)
{
    struct op *op = secret_new(session->module, sizeof *op);
    if (!op)
        return NULL;
    op->session = session;
    op->kind = (uint8_t)kind;
    atomic_store(&session->has_ops, true);
    atomic_store(&session->ops[kind], op);
    return op;
}

/* ---- places; under sessions_lock ---- */

static struct session *place_new(struct module *m)
{
    struct session *s = m->free_sessions;
    if (s) {
        m->free_sessions = s->next_free;
        return s;
    }
    const uint32_t place = atomic_load(&m->used_sessions);
    if (place == MAX_SESSIONS)
        return NULL;
    if (place % SESSION_CHUNK == 0) {
        struct session *chunk = secret_new(m, SESSION_CHUNK * sizeof *chunk);
        if (!chunk)
            return NULL;
        atomic_store_explicit(&m->chunks[place / SESSION_CHUNK], chunk, memory_order_release);
    }
    s = session_at(m, place);
    s->module = m;
    s->place = place;
    atomic_store(&m->used_sessions, place + 1);
    return s;
}

/* ---- the end of a session ---- */

/* ops_take takes the operations out of the session: who destroys an object looks at them. */
static void ops_take(struct session *s, struct op *ops[NUM_OPS])
{
    pthread_mutex_lock(&s->module->objects_lock);
    for (int i = 0; i < NUM_OPS; i++)
        ops[i] = atomic_exchange(&s->ops[i], NULL);
    atomic_store(&s->has_ops, false);
    pthread_mutex_unlock(&s->module->objects_lock);
}

static void ops_free(struct session *s)
{
    struct op *ops[NUM_OPS];
    const bool any = atomic_load(&s->has_ops);
    for (int i = 0; i < NUM_OPS && any && s->is_async; i++) {
        struct op *op = atomic_load(&s->ops[i]);
        if (op && op->stage == OP_PENDING) /* its job refers to the key */
            (void)op_end(op, CKR_OK);
    }
    if (any)
        ops_take(s, ops);
    for (int i = 0; i < NUM_OPS && any; i++)
        if (ops[i]) {
            const struct object *key = atomic_load(&ops[i]->key);
            op_free(s->module, ops[i]);
            if (key)
                objects_release(s->module, key);
        }
    secret_free(s->module, s->found.handles);
    s->found = (struct found){ 0 };
}

/* lock_to_end takes sessions_lock, and login_lock before if a session's end may end a login, which
 * another thread's login would else mix with.  It returns whether it took both. */
static bool lock_to_end(struct module *m, const struct slot *slot)
{
    pthread_mutex_lock(&m->sessions_lock);
    if (slot->num_sessions > 1 || atomic_load(&slot->who) == NOBODY)
        return false;
    pthread_mutex_unlock(&m->sessions_lock);
    pthread_mutex_lock(&m->login_lock);
    pthread_mutex_lock(&m->sessions_lock);
    return true;
}

static void session_end(struct module *m, struct session *s, CK_SESSION_HANDLE handle)
{
    const unsigned number = s->slot;
    struct slot *slot = &m->slots[number];
    if (s->num_objects)
        objects_of_session_end(m, handle);
    ops_free(s);
    const bool may_log_out = lock_to_end(m, slot);
    slot->num_sessions--;
    slot->num_rw_sessions -= s->is_rw;
    m->num_sessions--;
    s->next_free = m->free_sessions;
    m->free_sessions = s;
    const bool logs_out = !slot->num_sessions && slot_set_nobody(slot);
    pthread_mutex_unlock(&m->sessions_lock);
    if (logs_out)
        slot_logged_out(m, number);
    if (may_log_out)
        pthread_mutex_unlock(&m->login_lock);
}

/* session_take makes the handle invalid; of several threads that try, one succeeds. */
static bool session_take(struct session *s, CK_SESSION_HANDLE handle)
{
    return handle && atomic_compare_exchange_strong(&s->handle, &handle, 0);
}

/* ---- the calls ---- */

static RV session_new(struct module *m, CK_SLOT_ID slot, CK_FLAGS flags, CK_SESSION_HANDLE *out)
{
    const bool is_rw = flags & CKF_RW_SESSION;
    pthread_mutex_lock(&m->sessions_lock);
    const bool is_barred = !is_rw && atomic_load(&m->slots[slot].who) == OFFICER;
    struct session *s = is_barred ? NULL : place_new(m);
    if (s) {
        s->slot = (uint8_t)slot;
        s->is_rw = is_rw;
        s->is_async = (flags & CKF_ASYNC_SESSION) != 0;
        s->num_objects = 0;
        s->times++;
        m->num_sessions++;
        m->slots[slot].num_sessions++;
        m->slots[slot].num_rw_sessions += is_rw;
        *out = (CK_SESSION_HANDLE)s->times << SESSION_BITS | (s->place + 1);
        atomic_store_explicit(&s->handle, *out, memory_order_release);
    }
    pthread_mutex_unlock(&m->sessions_lock);
    return is_barred ? CKR_SESSION_READ_WRITE_SO_EXISTS : s ? CKR_OK : CKR_SESSION_COUNT;
}

CK_RV C_OpenSession(CK_SLOT_ID slot, CK_FLAGS flags, void *application, CK_NOTIFY notify,
                    CK_SESSION_HANDLE *session)
{
    struct module *m = module_get();
    if (!m)
        return CKR_CRYPTOKI_NOT_INITIALIZED;
    if (!session)
        return CKR_ARGUMENTS_BAD;
    if (!(flags & CKF_SERIAL_SESSION))
        return CKR_SESSION_PARALLEL_NOT_SUPPORTED;
    const CK_RV rv = slot_check(m, slot);
    return rv != CKR_OK ? rv : session_new(m, slot, flags, session);
}

CK_RV C_CloseSession(CK_SESSION_HANDLE session)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    if (!session_take(s, session))
        return CKR_SESSION_HANDLE_INVALID;
    session_end(s->module, s, session);
    return CKR_OK;
}

/* take_next takes the next session of a slot from a place on; NULL: there is none. */
static struct session *take_next(struct module *m, CK_SLOT_ID slot, uint32_t *place,
                                 CK_SESSION_HANDLE *handle)
{
    struct session *taken = NULL;
    pthread_mutex_lock(&m->sessions_lock);
    const uint32_t num = atomic_load(&m->used_sessions);
    while (*place < num && !taken) {
        struct session *s = session_at(m, (*place)++);
        *handle = atomic_load(&s->handle);
        if (s->slot == slot && session_take(s, *handle))
            taken = s;
    }
    pthread_mutex_unlock(&m->sessions_lock);
    return taken;
}

static void close_all(struct module *m, CK_SLOT_ID slot)
{
    CK_SESSION_HANDLE handle;
    uint32_t place = 0;
    for (struct session *s; (s = take_next(m, slot, &place, &handle)) != NULL;)
        session_end(m, s, handle);
}

CK_RV C_CloseAllSessions(CK_SLOT_ID slot)
{
    struct module *m = module_get();
    if (!m)
        return CKR_CRYPTOKI_NOT_INITIALIZED;
    if (slot >= NUM_SLOTS)
        return CKR_SLOT_ID_INVALID;
    close_all(m, slot);
    return CKR_OK;
}

void sessions_end(struct module *m)
{
    for (CK_SLOT_ID slot = 0; slot < NUM_SLOTS; slot++)
        close_all(m, slot);
}

CK_RV C_GetSessionInfo(CK_SESSION_HANDLE session, CK_SESSION_INFO *info)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    if (!info)
        return CKR_ARGUMENTS_BAD;
    static const CK_STATE states[][2] = {
        /* by who is logged in, and whether it may write */
        { CKS_RO_PUBLIC_SESSION, CKS_RW_PUBLIC_SESSION },
        { CKS_RO_USER_FUNCTIONS, CKS_RW_USER_FUNCTIONS },
        { CKS_RO_PUBLIC_SESSION, CKS_RW_SO_FUNCTIONS },
    };
    *info = (CK_SESSION_INFO){
        .slotID = s->slot,
        .state = states[atomic_load(&s->module->slots[s->slot].who)][s->is_rw],
        .flags = CKF_SERIAL_SESSION | (s->is_rw ? CKF_RW_SESSION : 0) |
                 (s->is_async ? CKF_ASYNC_SESSION : 0),
    };
    return CKR_OK;
}

CK_RV C_SessionCancel(CK_SESSION_HANDLE session, CK_FLAGS flags)
{
    static const struct {
        CK_FLAGS flag;
        enum op_kind kind;
    } kinds[] = {
        { CKF_DIGEST, OP_DIGEST },
        { CKF_ENCRYPT, OP_ENCRYPT },
        { CKF_DECRYPT, OP_DECRYPT },
        { CKF_SIGN, OP_SIGN },
        { CKF_VERIFY, OP_VERIFY },
        { CKF_SIGN_RECOVER, OP_SIGN_RECOVER },
        { CKF_VERIFY_RECOVER, OP_VERIFY_RECOVER },
        { CKF_MESSAGE_ENCRYPT, OP_MESSAGE_ENCRYPT },
        { CKF_MESSAGE_DECRYPT, OP_MESSAGE_DECRYPT },
        { CKF_MESSAGE_SIGN, OP_MESSAGE_SIGN },
        { CKF_MESSAGE_VERIFY, OP_MESSAGE_VERIFY },
    };
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct op *op = atomic_load(&s->ops[kinds[i].kind]);
        if (flags & kinds[i].flag && op)
            (void)op_end(op, CKR_OK);
    }
    if (flags & CKF_FIND_OBJECTS)
        s->found.is_active = false;
    return CKR_OK;
}

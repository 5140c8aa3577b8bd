/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions.  A handle is the place of a session in a table, and how often the place was used, so
 * that it is found without a lock, and a handle of a session that has ended finds nothing. */
#ifndef HR_P11_SESSION_H
#define HR_P11_SESSION_H

#include "op.h"

struct session {
    _Alignas(64) _Atomic CK_SESSION_HANDLE handle; /* 0: the place is free */
    struct module *module;
    struct session *next_free;
    uint32_t place, times;
    uint8_t slot, is_rw, is_async;
    uint8_t asks;         /* enum op_kind: the last one begun with a key that always asks */
    _Atomic bool has_ops; /* one at least is made */
    uint32_t num_objects; /* session objects that end with it; under objects_lock */
    struct op *_Atomic ops[NUM_OPS]; /* each made at its first use */
    struct found {                   /* of C_FindObjects */
        CK_OBJECT_HANDLE *handles;
        size_t num, next, room;
        bool is_active;
    } found;
};

/* A handle is the place + 1 in its low bits, and above them how often the place was used. */
enum { SESSION_BITS = 15 };

/* session_at returns the session in this place, or NULL. */
static inline struct session *session_at(const struct module *m, uint32_t place)
{
    if (UNLIKELY(place >= MAX_SESSIONS))
        return NULL;
    struct session *chunk =
        atomic_load_explicit(&m->chunks[place / SESSION_CHUNK], memory_order_acquire);
    return LIKELY(chunk != NULL) ? &chunk[place % SESSION_CHUNK] : NULL;
}

/* session_get finds a session: CKR_CRYPTOKI_NOT_INITIALIZED, CKR_SESSION_HANDLE_INVALID. */
static inline RV session_get(struct session **out, CK_SESSION_HANDLE handle)
{
    struct module *m = module_get();
    if (UNLIKELY(!m))
        return CKR_CRYPTOKI_NOT_INITIALIZED;
    struct session *s = session_at(m, (uint32_t)(handle & ((1u << SESSION_BITS) - 1)) - 1);
    if (UNLIKELY(!s || !handle || atomic_load_explicit(&s->handle, memory_order_acquire) != handle))
        return CKR_SESSION_HANDLE_INVALID;
    *out = s;
    return CKR_OK;
}

/* session_op returns the session's operation of a kind, and makes it if needed; NULL: no memory. */
struct op *session_make_op(struct session *session, enum op_kind kind);
static inline struct op *session_op(struct session *session, enum op_kind kind)
{
    struct op *op = atomic_load_explicit(&session->ops[kind], memory_order_relaxed);
    return LIKELY(op != NULL) ? op : session_make_op(session, kind);
}
void sessions_end(struct module *m);

#endif

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
    uint8_t slot, is_rw;
    _Atomic bool has_ops;            /* one at least is made */
    uint32_t num_objects;            /* session objects that end with it; under objects_lock */
    struct op *_Atomic ops[NUM_OPS]; /* each made at its first use */
    struct found {                   /* of C_FindObjects */
        CK_OBJECT_HANDLE *handles;
        size_t num, next, room;
        bool is_active;
    } found;
};

/* session_get finds a session: CKR_CRYPTOKI_NOT_INITIALIZED, CKR_SESSION_HANDLE_INVALID. */
RV session_get(struct session **out, CK_SESSION_HANDLE handle);
/* session_op returns the session's operation of a kind, and makes it if needed; NULL: no memory. */
struct op *session_op(struct session *session, enum op_kind kind);
/* session_of returns the session in this place, or NULL. */
struct session *session_at(const struct module *m, uint32_t place);
void sessions_end(struct module *m);

#endif

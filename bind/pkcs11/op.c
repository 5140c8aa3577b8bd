/* SPDX-License-Identifier: Apache-2.0 */
/* The life of an operation. */
#include "op.h"
#include "async.h"
#include "mechanism.h"
#include "session.h"

enum { MOST_KEPT = 1 << 28, MOST_LEFT = 4096 };

/* ---- C_...Init ---- */

static RV take_key(struct op *op, CK_OBJECT_HANDLE key, uint64_t uses)
{
    const struct mechanism *mech = op->mech;
    CK_RV rv = object_hold(op, key);
    if (UNLIKELY(rv != CKR_OK))
        return rv;
    struct object *object = atomic_load_explicit(&op->key, memory_order_relaxed);
    if (UNLIKELY(object->key_type != mech->key_type && object->key_type != mech->other_type))
        return CKR_KEY_TYPE_INCONSISTENT;
    rv = policy_use(op->session, object, mech, uses);
    if (UNLIKELY(rv != CKR_OK))
        return rv;
    if (LIKELY(op->form_mech == mech))
        return CKR_OK;
    rv = key_form(op->session->module, mech, object, &op->form, &op->alg);
    op->form_mech = rv == CKR_OK ? mech : NULL;
    return rv;
}

static RV take_mechanism(struct op *op, const CK_MECHANISM *mechanism, CK_FLAGS flag)
{
    if (LIKELY(op->mech && op->mech->type == mechanism->mechanism))
        return CKR_OK; /* the same as before */
    const struct session *s = op->session;
    const struct mechanism *mech = mechanism_find(s->module, s->slot, mechanism->mechanism);
    if (!mech || !mech->engine || !(mech->flags & flag))
        return CKR_MECHANISM_INVALID;
    op->mech = mech;
    op->alg = HR_ALG_NONE;
    op->form_mech = NULL;
    return CKR_OK;
}

/* set_row makes the statistics count for the operation's row. */
static void set_row(struct op *op)
{
    for (size_t i = 0; i < NUM_ROWS; i++)
        if (hr_algorithm_at(i)->alg == op->alg) {
            if (op->served.calls)
                stats_fold(&op->served);
            served_init(&op->served, (enum row_index)i);
            return;
        }
}

static bool is_of_messages(enum op_kind kind)
{
    return kind == OP_MESSAGE_ENCRYPT || kind == OP_MESSAGE_DECRYPT;
}

RV op_begin(CK_SESSION_HANDLE session, enum op_kind kind, const CK_MECHANISM *mechanism,
            CK_OBJECT_HANDLE key, uint64_t uses, CK_FLAGS flag)
{
    struct session *s;
    CK_RV rv = session_get(&s, session);
    if (UNLIKELY(rv != CKR_OK))
        return rv;
    struct op *op = session_op(s, kind);
    if (UNLIKELY(!op))
        return CKR_HOST_MEMORY;
    if (UNLIKELY(!mechanism)) /* since 3.0: ends what there is */
        return op->stage ? op_end(op, CKR_OK) : CKR_OPERATION_NOT_INITIALIZED;
    if (UNLIKELY(op->stage))
        return CKR_OPERATION_ACTIVE;
    if (UNLIKELY(!mechanism->pParameter && mechanism->ulParameterLen))
        return CKR_MECHANISM_PARAM_INVALID;
    op_enter(op);
    op->decrypts = flag == CKF_DECRYPT || flag == CKF_UNWRAP || flag == CKF_MESSAGE_DECRYPT;
    rv = take_mechanism(op, mechanism, flag);
    const hr_alg before = op->alg;
    if (rv == CKR_OK && uses)
        rv = take_key(op, key, uses);
    if (rv == CKR_OK)
        rv = (is_of_messages(kind) ? op->mech->engine->init_messages
                                   : op->mech->engine->init)(op, mechanism);
    if (UNLIKELY(rv != CKR_OK))
        return op_end(op, rv);
    if (UNLIKELY(op->alg != before))
        set_row(op);
    if (UNLIKELY(uses && atomic_load_explicit(&op->key, memory_order_relaxed)->bits &
                             P11_BIT(ALWAYS_AUTHENTICATE))) {
        op->always_auth = 1;
        s->asks = (uint8_t)kind;
    }
    op->stage = OP_READY;
    return CKR_OK;
}

RV op_get(struct op **out, CK_SESSION_HANDLE session, enum op_kind kind, enum op_stage a,
          enum op_stage b)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    if (UNLIKELY(rv != CKR_OK))
        return rv;
    struct op *op = atomic_load_explicit(&s->ops[kind], memory_order_relaxed);
    if (UNLIKELY(!op || !op->stage))
        return CKR_OPERATION_NOT_INITIALIZED;
    if (UNLIKELY(op->stage != a && op->stage != b))
        return CKR_OPERATION_ACTIVE;
    if (UNLIKELY(op->always_auth))
        return op_end(op, CKR_USER_NOT_LOGGED_IN);
    *out = op;
    return CKR_OK;
}

/* ---- the end ---- */

COLD static void forget_key(struct op *op)
{
    const struct object *key = atomic_exchange(&op->key, NULL);
    op->form_mech = NULL;
    objects_release(op->session->module, key);
}

/* empty wipes what an operation kept, and frees memory that is large. */
static void empty(struct op *op)
{
    if (op->more_room > MOST_LEFT) {
        secret_free(op->session->module, op->more);
        op->more = NULL;
        op->more_room = 0;
    } else {
        wipe_bytes(op->more, op->more_len);
    }
    op->more_len = 0;
    op->sig_len = 0;
}

CK_RV op_end(struct op *op, CK_RV rv)
{
    if (UNLIKELY(op->stage == OP_PENDING))
        async_drop(op);
    if (op->is_context)
        WIPE(&op->u);
    op->is_context = 0;
    op->stage = OP_NONE;
    op->always_auth = 0;
    if (op->more_len)
        empty(op);
    op_leave(op);
    struct object *key = atomic_load_explicit(&op->key, memory_order_relaxed);
    if (UNLIKELY(key && !atomic_load_explicit(&key->handle, memory_order_acquire)))
        forget_key(op);
    return rv;
}

void op_free(struct module *m, struct op *op)
{
    if (op->served.calls)
        stats_fold(&op->served);
    secret_free(m, op->more);
    secret_free(m, op);
}

RV op_keep(struct op *op, const void *bytes, size_t len)
{
    struct module *m = op->session->module;
    if (len > MOST_KEPT - op->more_len)
        return CKR_DATA_LEN_RANGE;
    if (op->more_len + len > op->more_room) {
        size_t room = op->more_room ? op->more_room : 192;
        while (room < op->more_len + len)
            room *= 2;
        uint8_t *more = secret_new(m, room);
        if (!more)
            return CKR_HOST_MEMORY;
        if (op->more_len)
            memcpy(more, op->more, op->more_len);
        secret_free(m, op->more);
        op->more = more;
        op->more_room = room;
    }
    if (len)
        memcpy(op->more + op->more_len, bytes, len);
    op->more_len += len;
    return CKR_OK;
}

/* ---- results ---- */

RV has_room(const CK_BYTE *out, CK_ULONG *out_len, size_t len, bool *is_query)
{
    *is_query = !out;
    if (LIKELY(out && *out_len >= len))
        return CKR_OK;
    *out_len = len;
    return out ? CKR_BUFFER_TOO_SMALL : CKR_OK;
}

RV put_bytes(CK_BYTE *out, CK_ULONG *out_len, const void *bytes, size_t len)
{
    bool is_query;
    if (!out_len)
        return CKR_ARGUMENTS_BAD;
    const CK_RV rv = has_room(out, out_len, len, &is_query);
    if (rv != CKR_OK || is_query)
        return rv;
    if (len)
        memcpy(out, bytes, len);
    *out_len = len;
    return CKR_OK;
}

CK_RV error_of(int error)
{
    static const struct {
        int error;
        CK_RV rv;
    } errors[] = {
        { 0, CKR_OK },
        { HR_ELENGTH, CKR_DATA_LEN_RANGE },
        { HR_EKEYLEN, CKR_KEY_SIZE_RANGE },
        { HR_EIVLEN, CKR_MECHANISM_PARAM_INVALID },
        { HR_ETAGLEN, CKR_MECHANISM_PARAM_INVALID },
        { HR_EKEY, CKR_ATTRIBUTE_VALUE_INVALID },
        { HR_EMAC, CKR_ENCRYPTED_DATA_INVALID },
        { HR_EPADDING, CKR_ENCRYPTED_DATA_INVALID },
        { HR_EBUFFER, CKR_BUFFER_TOO_SMALL },
        { HR_EOVERLAP, CKR_ARGUMENTS_BAD },
        { HR_EINVAL, CKR_ARGUMENTS_BAD },
        { HR_EALG, CKR_MECHANISM_INVALID },
        { HR_EFAULT, CKR_DEVICE_ERROR },
        { HR_ESYSTEM, CKR_DEVICE_ERROR },
        { HR_EGONE, CKR_DEVICE_REMOVED },
        { HR_EACCESS, CKR_KEY_FUNCTION_NOT_PERMITTED },
        { HR_EHANDLE, CKR_KEY_HANDLE_INVALID },
    };
    for (size_t i = 0; i < COUNT(errors); i++)
        if (errors[i].error == error)
            return errors[i].rv;
    return CKR_GENERAL_ERROR;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Digests: C_Digest and its relatives, and their engine. */
#include "async.h"
#include "mechanism.h"
#include "session.h"

/* ---- the engine ---- */

static RV digest_init(struct op *op, const CK_MECHANISM *mechanism)
{
    if (UNLIKELY(!op->alg)) {
        op->alg = mechanism_row(op->mech, 0);
        op->out_len = op->alg ? hr_algorithm(op->alg)->out_len : 0;
    }
    return no_parameter(mechanism);
}

static size_t digest_size(const struct op *op, size_t len, enum op_stage stage)
{
    return op->out_len;
}

static RV digest_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    *out_len = op->out_len;
    return error_of(hr_digest(out, op->alg, in, len));
}

static RV digest_update(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    if (!op->is_context) {
        const int error = hr_digest_init(&op->u.digest, op->alg);
        if (error)
            return error_of(error);
        op->is_context = 1;
    }
    return error_of(hr_digest_update(&op->u.digest, in, len));
}

static RV digest_final(struct op *op, CK_BYTE *out, size_t *out_len)
{
    *out_len = op->out_len;
    return op->is_context ? error_of(hr_digest_final(&op->u.digest, out))
                          : error_of(hr_digest(out, op->alg, "", 0));
}

static RV digest_prepare(struct op *op, const CK_BYTE *in, size_t len, struct prepared *to)
{
    if (!in)
        return CKR_FUNCTION_NOT_SUPPORTED;
    to->job.alg = (uint16_t)op->alg;
    to->job.op = HR_JOB_DIGEST;
    to->job.in = in;
    to->job.len = len;
    return CKR_OK;
}

const struct engine engine_digest = { .prepare = digest_prepare,
                                      .init = digest_init,
                                      .size = digest_size,
                                      .whole = digest_whole,
                                      .update = digest_update,
                                      .final = digest_final };

/* ---- the calls ---- */

CK_RV C_DigestInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism)
{
    return op_begin(session, OP_DIGEST, mechanism, 0, 0, CKF_DIGEST);
}

CK_RV C_Digest(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
               CK_ULONG *out_len)
{
    struct op *op;
    CK_RV rv = op_get(&op, session, OP_DIGEST, OP_READY, OP_READY);
    if (UNLIKELY(rv != CKR_OK))
        return rv;
    if (UNLIKELY(!out_len || (!in && len)))
        return op_end(op, CKR_ARGUMENTS_BAD);
    bool is_query;
    rv = has_room(out, out_len, op->out_len, &is_query);
    if (UNLIKELY(rv != CKR_OK || is_query))
        return rv;
    op_count(op, len);
    in = in ? in : (CK_BYTE *)"";
    rv = LIKELY(!op->session->is_async) ? op->mech->engine->whole(op, in, len, out, out_len)
                                        : async_run(op, ASYNC_DIGEST, in, len, out, out_len);
    return rv == CKR_PENDING ? rv : op_end(op, rv);
}

CK_RV C_DigestUpdate(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len)
{
    struct op *op;
    CK_RV rv = op_get(&op, session, OP_DIGEST, OP_READY, OP_PIECES);
    if (rv != CKR_OK)
        return rv;
    if (!in && len)
        return op_end(op, CKR_ARGUMENTS_BAD);
    op_count(op, len);
    rv = op->mech->engine->update(op, in ? in : (const CK_BYTE *)"", len, NULL, NULL);
    op->stage = OP_PIECES;
    return rv == CKR_OK ? rv : op_end(op, rv);
}

/* digest_key digests the value of a secret key that may be seen, or whose digest says as little as
 * the specification expects: CKR_KEY_INDIGESTIBLE for all others. */
static RV digest_key(struct op *op, CK_OBJECT_HANDLE handle)
{
    struct module *m = op->session->module;
    CK_RV rv = CKR_KEY_HANDLE_INVALID;
    pthread_mutex_lock(&m->objects_lock);
    const struct object *key = object_of(m, handle);
    if (key && is_visible(op->session, key)) {
        size_t len;
        const uint8_t *value = object_value(key, CKA_VALUE, &len);
        const uint64_t bits = atomic_load(&key->bits);
        const bool is_shown = bits & P11_BIT(EXTRACTABLE) && !(bits & P11_BIT(SENSITIVE));
        rv = key->cls == CKO_SECRET_KEY && value && is_shown
                 ? op->mech->engine->update(op, value, len, NULL, NULL)
                 : CKR_KEY_INDIGESTIBLE;
    }
    pthread_mutex_unlock(&m->objects_lock);
    return rv;
}

CK_RV C_DigestKey(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key)
{
    struct op *op;
    CK_RV rv = op_get(&op, session, OP_DIGEST, OP_READY, OP_PIECES);
    if (rv != CKR_OK)
        return rv;
    rv = digest_key(op, key);
    op->stage = OP_PIECES;
    return rv == CKR_OK ? rv : op_end(op, rv);
}

CK_RV C_DigestFinal(CK_SESSION_HANDLE session, CK_BYTE *out, CK_ULONG *out_len)
{
    struct op *op;
    CK_RV rv = op_get(&op, session, OP_DIGEST, OP_READY, OP_PIECES);
    if (rv != CKR_OK)
        return rv;
    if (!out_len)
        return op_end(op, CKR_ARGUMENTS_BAD);
    bool is_query;
    rv = has_room(out, out_len, op->out_len, &is_query);
    if (rv != CKR_OK || is_query)
        return rv;
    return op_end(op, op->mech->engine->final(op, out, out_len));
}

/* ---- the state of a digest can be saved, and no other: it has no key ---- */

/* only_digests returns a session's digest, if it has no other operation, and is not pending. */
static RV only_digests(struct op **op, CK_SESSION_HANDLE session)
{
    struct session *s;
    CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    for (int i = 0; i < NUM_OPS; i++) {
        const struct op *other = atomic_load(&s->ops[i]);
        if (other && (i != OP_DIGEST ? other->stage != OP_NONE : other->stage == OP_PENDING))
            return CKR_STATE_UNSAVEABLE;
    }
    return op_get(op, session, OP_DIGEST, OP_READY, OP_PIECES);
}

CK_RV C_GetOperationState(CK_SESSION_HANDLE session, CK_BYTE *state, CK_ULONG *len)
{
    struct op *op;
    CK_RV rv = only_digests(&op, session);
    if (rv != CKR_OK)
        return rv;
    if (!len)
        return CKR_ARGUMENTS_BAD;
    rv = digest_update(op, (const CK_BYTE *)"", 0, NULL, NULL); /* begins, if it has not yet */
    uint8_t bytes[HR_DIGEST_MAX_EXPORT];
    size_t bytes_len = 0;
    if (rv == CKR_OK)
        rv = error_of(hr_digest_export(&op->u.digest, bytes, sizeof bytes, &bytes_len));
    if (rv == CKR_OK)
        rv = put_bytes(state, len, bytes, bytes_len);
    WIPE(&bytes);
    return rv;
}

/* restore continues a digest from a saved state, which may be anything. */
static RV restore(struct session *s, const CK_BYTE *state, CK_ULONG len)
{
    struct hr_digest_ctx ctx;
    if (len < 8 || hr_digest_import(&ctx, state, len))
        return CKR_SAVED_STATE_INVALID;
    const hr_alg alg = (hr_alg)state[6] << 8 | state[7]; /* as hr_digest_export writes it */
    const struct mechanism *mech = mechanism_of_digest(s->module, s->slot, alg);
    struct op *op = mech ? session_op(s, OP_DIGEST) : NULL;
    CK_MECHANISM mechanism = { mech ? mech->type : 0, NULL, 0 };
    CK_RV rv = op ? CKR_OK : CKR_SAVED_STATE_INVALID;
    if (rv == CKR_OK && op->stage)
        (void)op_end(op, CKR_OK);
    if (rv == CKR_OK)
        rv = op_begin(s->handle, OP_DIGEST, &mechanism, 0, 0, CKF_DIGEST);
    if (rv == CKR_OK) {
        op->u.digest = ctx;
        op->is_context = 1;
        op->stage = OP_PIECES;
    }
    WIPE(&ctx);
    return rv;
}

CK_RV C_SetOperationState(CK_SESSION_HANDLE session, CK_BYTE *state, CK_ULONG len,
                          CK_OBJECT_HANDLE encryption, CK_OBJECT_HANDLE authentication)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    if (!state)
        return CKR_ARGUMENTS_BAD;
    return encryption || authentication ? CKR_KEY_NOT_NEEDED : restore(s, state, len);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* C_Sign, C_Verify and their relatives, for any engine. */
#include "async.h"
#include "mechanism.h"
#include "session.h"

static const CK_BYTE nothing[1];

/* ---- C_Sign ---- */

CK_RV C_SignInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
    return op_begin(session, OP_SIGN, mechanism, key, P11_BIT(SIGN), CKF_SIGN);
}

/* sign_whole signs a message, or recovers one from a signature. */
static RV sign_whole(CK_SESSION_HANDLE session, enum op_kind kind, const CK_BYTE *in, CK_ULONG len,
                     CK_BYTE *out, CK_ULONG *out_len)
{
    struct op *op;
    CK_RV rv = op_get(&op, session, kind, OP_READY, OP_READY);
    if (UNLIKELY(rv != CKR_OK))
        return rv;
    if (UNLIKELY(!out_len || (!in && len) || len > SIZE_MAX / 4))
        return op_end(op, CKR_ARGUMENTS_BAD);
    bool is_query;
    rv = has_room(out, out_len, op->mech->engine->size(op, len, OP_READY), &is_query);
    if (UNLIKELY(rv != CKR_OK || is_query))
        return rv;
    size_t written = *out_len;
    op_count(op, len);
    in = in ? in : nothing;
    rv = LIKELY(!op->session->is_async || kind != OP_SIGN)
             ? op->mech->engine->whole(op, in, len, out, &written)
             : async_run(op, ASYNC_SIGN, in, len, out, &written);
    if (UNLIKELY(rv == CKR_PENDING))
        return rv;
    if (LIKELY(rv == CKR_OK))
        *out_len = written;
    return op_end(op, rv);
}

CK_RV C_Sign(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out, CK_ULONG *out_len)
{
    return sign_whole(session, OP_SIGN, in, len, out, out_len);
}

static RV absorb(CK_SESSION_HANDLE session, enum op_kind kind, const CK_BYTE *in, CK_ULONG len)
{
    struct op *op;
    CK_RV rv = op_get(&op, session, kind, OP_READY, OP_PIECES);
    if (rv != CKR_OK)
        return rv;
    if ((!in && len) || len > SIZE_MAX / 4)
        return op_end(op, CKR_ARGUMENTS_BAD);
    if (!op->mech->engine->update)
        return op_end(op, CKR_FUNCTION_NOT_SUPPORTED);
    op_count(op, len);
    rv = op->mech->engine->update(op, in ? in : nothing, len, NULL, NULL);
    op->stage = OP_PIECES;
    return rv == CKR_OK ? rv : op_end(op, rv);
}

CK_RV C_SignUpdate(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len)
{
    return absorb(session, OP_SIGN, in, len);
}

CK_RV C_SignFinal(CK_SESSION_HANDLE session, CK_BYTE *out, CK_ULONG *out_len)
{
    struct op *op;
    CK_RV rv = op_get(&op, session, OP_SIGN, OP_READY, OP_PIECES);
    if (rv != CKR_OK)
        return rv;
    if (!out_len)
        return op_end(op, CKR_ARGUMENTS_BAD);
    if (!op->mech->engine->final)
        return op_end(op, CKR_FUNCTION_NOT_SUPPORTED);
    bool is_query;
    rv = has_room(out, out_len, op->mech->engine->size(op, 0, OP_NONE), &is_query);
    if (rv != CKR_OK || is_query)
        return rv;
    size_t written = *out_len;
    rv = async_run(op, ASYNC_SIGN_FINAL, NULL, 0, out, &written);
    if (rv == CKR_PENDING)
        return rv;
    if (rv == CKR_OK)
        *out_len = written;
    return op_end(op, rv);
}

/* ---- C_Verify ---- */

CK_RV C_VerifyInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
    return op_begin(session, OP_VERIFY, mechanism, key, P11_BIT(VERIFY), CKF_VERIFY);
}

CK_RV C_Verify(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *sig, CK_ULONG sig_len)
{
    struct op *op;
    CK_RV rv = op_get(&op, session, OP_VERIFY, OP_READY, OP_READY);
    if (UNLIKELY(rv != CKR_OK))
        return rv;
    if (UNLIKELY(!sig || (!in && len) || len > SIZE_MAX / 4))
        return op_end(op, CKR_ARGUMENTS_BAD);
    if (UNLIKELY(op->sig_len)) /* C_VerifySignatureInit has the signature */
        return CKR_OPERATION_ACTIVE;
    op_count(op, len);
    return op_end(op, op->mech->engine->verify(op, in ? in : nothing, len, sig, sig_len));
}

CK_RV C_VerifyUpdate(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len)
{
    return absorb(session, OP_VERIFY, in, len);
}

CK_RV C_VerifyFinal(CK_SESSION_HANDLE session, CK_BYTE *sig, CK_ULONG sig_len)
{
    struct op *op;
    CK_RV rv = op_get(&op, session, OP_VERIFY, OP_READY, OP_PIECES);
    if (rv != CKR_OK)
        return rv;
    if (!sig)
        return op_end(op, CKR_ARGUMENTS_BAD);
    if (!op->mech->engine->verify_final)
        return op_end(op, CKR_FUNCTION_NOT_SUPPORTED);
    return op_end(op, op->mech->engine->verify_final(op, sig, sig_len));
}

/* ---- recovery ---- */

CK_RV C_SignRecoverInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
    return op_begin(session, OP_SIGN_RECOVER, mechanism, key, P11_BIT(SIGN_RECOVER),
                    CKF_SIGN_RECOVER);
}

CK_RV C_SignRecover(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                    CK_ULONG *out_len)
{
    return sign_whole(session, OP_SIGN_RECOVER, in, len, out, out_len);
}

CK_RV C_VerifyRecoverInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
    return op_begin(session, OP_VERIFY_RECOVER, mechanism, key, P11_BIT(VERIFY_RECOVER),
                    CKF_VERIFY_RECOVER);
}

CK_RV C_VerifyRecover(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                      CK_ULONG *out_len)
{
    return sign_whole(session, OP_VERIFY_RECOVER, in, len, out, out_len);
}

/* ---- with the signature first (3.2): op->more has it until the message is whole ---- */

CK_RV C_VerifySignatureInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism,
                            CK_OBJECT_HANDLE key, CK_BYTE *sig, CK_ULONG sig_len)
{
    struct session *s;
    CK_RV rv = session_get(&s, session);
    if (rv == CKR_OK && mechanism && !sig)
        return CKR_ARGUMENTS_BAD;
    if (rv == CKR_OK && mechanism && (!sig_len || sig_len > MAX_VALUE))
        return CKR_SIGNATURE_LEN_RANGE;
    if (rv == CKR_OK)
        rv = C_VerifyInit(session, mechanism, key);
    struct op *op;
    if (rv != CKR_OK || !mechanism)
        return rv;
    rv = op_get(&op, session, OP_VERIFY, OP_READY, OP_READY);
    if (rv == CKR_OK)
        rv = op_keep(op, sig, sig_len);
    if (rv == CKR_OK)
        op->sig_len = (uint32_t)sig_len;
    return rv == CKR_OK ? rv : op_end(op, rv);
}

CK_RV C_VerifySignature(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len)
{
    struct op *op;
    CK_RV rv = op_get(&op, session, OP_VERIFY, OP_READY, OP_READY);
    if (rv != CKR_OK)
        return rv;
    if ((!in && len) || len > SIZE_MAX / 4)
        return op_end(op, CKR_ARGUMENTS_BAD);
    if (!op->sig_len)
        return CKR_OPERATION_NOT_INITIALIZED;
    op_count(op, len);
    return op_end(op, op->mech->engine->verify(op, in ? in : nothing, len, op->more, op->sig_len));
}

CK_RV C_VerifySignatureUpdate(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len)
{
    return absorb(session, OP_VERIFY, in, len);
}

CK_RV C_VerifySignatureFinal(CK_SESSION_HANDLE session)
{
    struct op *op;
    CK_RV rv = op_get(&op, session, OP_VERIFY, OP_READY, OP_PIECES);
    if (rv != CKR_OK)
        return rv;
    if (!op->sig_len)
        return CKR_OPERATION_NOT_INITIALIZED;
    if (!op->mech->engine->verify_final)
        return op_end(op, CKR_FUNCTION_NOT_SUPPORTED);
    return op_end(op, op->mech->engine->verify_final(op, op->more, op->sig_len));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* C_Encrypt, C_Decrypt and their relatives, for any engine. */
#include "mechanism.h"

static const CK_BYTE nothing[1];

/* checked returns an operation whose arguments are fine; an input without bytes may be NULL. */
static RV checked(struct op **op, CK_SESSION_HANDLE session, enum op_kind kind, enum op_stage last,
                  const CK_BYTE **in, CK_ULONG len, const CK_ULONG *out_len)
{
    const CK_RV rv = op_get(op, session, kind, OP_READY, last);
    if (UNLIKELY(rv != CKR_OK))
        return rv;
    if (UNLIKELY(!out_len || (!*in && len) || len > SIZE_MAX / 4))
        return op_end(*op, CKR_ARGUMENTS_BAD);
    if (!*in)
        *in = nothing;
    return CKR_OK;
}

/* whole processes a message. */
static RV whole(CK_SESSION_HANDLE session, enum op_kind kind, const CK_BYTE *in, CK_ULONG len,
                CK_BYTE *out, CK_ULONG *out_len)
{
    struct op *op;
    CK_RV rv = checked(&op, session, kind, OP_READY, &in, len, out_len);
    if (UNLIKELY(rv != CKR_OK))
        return rv;
    const struct engine *engine = op->mech->engine;
    if (UNLIKELY(!out)) {
        *out_len = engine->size(op, len, OP_READY);
        return CKR_OK;
    }
    size_t written = *out_len;
    rv = engine->whole(op, in, len, out, &written);
    if (UNLIKELY(rv == CKR_BUFFER_TOO_SMALL)) {
        *out_len = written;
        return rv;
    }
    if (LIKELY(rv == CKR_OK))
        *out_len = written;
    op_count(op, len);
    return op_end(op, rv);
}

static RV update(CK_SESSION_HANDLE session, enum op_kind kind, const CK_BYTE *in, CK_ULONG len,
                 CK_BYTE *out, CK_ULONG *out_len)
{
    struct op *op;
    CK_RV rv = checked(&op, session, kind, OP_PIECES, &in, len, out_len);
    if (UNLIKELY(rv != CKR_OK))
        return rv;
    const struct engine *engine = op->mech->engine;
    if (!engine->update)
        return op_end(op, CKR_FUNCTION_NOT_SUPPORTED);
    const size_t most = engine->size(op, len, OP_PIECES);
    bool is_query;
    rv = has_room(out, out_len, most, &is_query);
    if (rv != CKR_OK || is_query)
        return rv;
    size_t written = 0;
    rv = engine->update(op, in, len, out, &written);
    if (rv != CKR_OK)
        return op_end(op, rv);
    op_count(op, len);
    op->stage = OP_PIECES;
    *out_len = written;
    return CKR_OK;
}

static RV final(CK_SESSION_HANDLE session, enum op_kind kind, CK_BYTE *out, CK_ULONG *out_len)
{
    struct op *op;
    const CK_BYTE *in = nothing;
    CK_RV rv = checked(&op, session, kind, OP_PIECES, &in, 0, out_len);
    if (rv != CKR_OK)
        return rv;
    const struct engine *engine = op->mech->engine;
    if (!engine->final)
        return op_end(op, CKR_FUNCTION_NOT_SUPPORTED);
    const size_t most = engine->size(op, 0, OP_NONE);
    if (!out) {
        *out_len = most;
        return CKR_OK;
    }
    size_t written = *out_len;
    rv = engine->final(op, out, &written);
    if (rv == CKR_BUFFER_TOO_SMALL) {
        *out_len = written;
        return rv;
    }
    if (rv == CKR_OK)
        *out_len = written;
    return op_end(op, rv);
}

CK_RV C_EncryptInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
    return op_begin(session, OP_ENCRYPT, mechanism, key, P11_BIT(ENCRYPT), CKF_ENCRYPT);
}

CK_RV C_Encrypt(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                CK_ULONG *out_len)
{
    return whole(session, OP_ENCRYPT, in, len, out, out_len);
}

CK_RV C_EncryptUpdate(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                      CK_ULONG *out_len)
{
    return update(session, OP_ENCRYPT, in, len, out, out_len);
}

CK_RV C_EncryptFinal(CK_SESSION_HANDLE session, CK_BYTE *out, CK_ULONG *out_len)
{
    return final(session, OP_ENCRYPT, out, out_len);
}

CK_RV C_DecryptInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
    return op_begin(session, OP_DECRYPT, mechanism, key, P11_BIT(DECRYPT), CKF_DECRYPT);
}

CK_RV C_Decrypt(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                CK_ULONG *out_len)
{
    return whole(session, OP_DECRYPT, in, len, out, out_len);
}

CK_RV C_DecryptUpdate(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                      CK_ULONG *out_len)
{
    return update(session, OP_DECRYPT, in, len, out, out_len);
}

CK_RV C_DecryptFinal(CK_SESSION_HANDLE session, CK_BYTE *out, CK_ULONG *out_len)
{
    return final(session, OP_DECRYPT, out, out_len);
}

/* ---- two operations at once (section 5.15) ----
 * The text is an input of the second one, whether it is encrypted in place or not. */

static RV and_encrypt(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                      CK_ULONG *out_len, CK_RV (*second)(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG))
{
    CK_ULONG most = 0;
    CK_RV rv = C_EncryptUpdate(session, in, len, NULL, &most);
    if (rv != CKR_OK)
        return rv;
    if (!out_len)
        return CKR_ARGUMENTS_BAD;
    bool is_query;
    rv = has_room(out, out_len, most, &is_query);
    if (rv == CKR_OK && !is_query)
        rv = second(session, in, len);
    return rv != CKR_OK || is_query ? rv : C_EncryptUpdate(session, in, len, out, out_len);
}

static RV and_decrypt(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                      CK_ULONG *out_len, CK_RV (*second)(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG))
{
    const CK_RV rv = C_DecryptUpdate(session, in, len, out, out_len);
    return rv == CKR_OK && out ? second(session, out, *out_len) : rv;
}

CK_RV C_DigestEncryptUpdate(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                            CK_ULONG *out_len)
{
    return and_encrypt(session, in, len, out, out_len, C_DigestUpdate);
}

CK_RV C_SignEncryptUpdate(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                          CK_ULONG *out_len)
{
    return and_encrypt(session, in, len, out, out_len, C_SignUpdate);
}

CK_RV C_DecryptDigestUpdate(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                            CK_ULONG *out_len)
{
    return and_decrypt(session, in, len, out, out_len, C_DigestUpdate);
}

CK_RV C_DecryptVerifyUpdate(CK_SESSION_HANDLE session, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                            CK_ULONG *out_len)
{
    return and_decrypt(session, in, len, out, out_len, C_VerifyUpdate);
}

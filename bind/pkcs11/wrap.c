/* SPDX-License-Identifier: Apache-2.0 */
/* C_WrapKey, C_UnwrapKey, C_DeriveKey, and key encapsulation. */
#include "key.h"
#include "mechanism.h"
#include "session.h"

/* as_wrapping translates what is wrong with a key that is the wrapping one. */
static CK_RV as_wrapping(CK_RV rv, bool unwraps)
{
    switch (rv) {
    case CKR_KEY_HANDLE_INVALID:
        return unwraps ? CKR_UNWRAPPING_KEY_HANDLE_INVALID : CKR_WRAPPING_KEY_HANDLE_INVALID;
    case CKR_KEY_TYPE_INCONSISTENT:
        return unwraps ? CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT : CKR_WRAPPING_KEY_TYPE_INCONSISTENT;
    case CKR_KEY_SIZE_RANGE:
        return unwraps ? CKR_UNWRAPPING_KEY_SIZE_RANGE : CKR_WRAPPING_KEY_SIZE_RANGE;
    case CKR_ENCRYPTED_DATA_LEN_RANGE:
        return CKR_WRAPPED_KEY_LEN_RANGE;
    case CKR_ENCRYPTED_DATA_INVALID:
    case CKR_AEAD_DECRYPT_FAILED:
        return CKR_WRAPPED_KEY_INVALID;
    case CKR_DATA_LEN_RANGE:
        return unwraps ? CKR_WRAPPED_KEY_LEN_RANGE : CKR_KEY_SIZE_RANGE;
    default:
        return rv;
    }
}

/* begin begins an operation that ends within the call. */
static RV begin(struct op **op, CK_SESSION_HANDLE session, enum op_kind kind,
                const CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key, uint64_t use, CK_FLAGS flag)
{
    struct session *s;
    CK_RV rv = session_get(&s, session);
    if (rv == CKR_OK)
        rv = mechanism ? op_begin(session, kind, mechanism, key, use, flag) : CKR_ARGUMENTS_BAD;
    return rv == CKR_OK ? op_get(op, session, kind, OP_READY, OP_READY) : rv;
}

/* ---- wrap ---- */

/* take_material gets what is to be wrapped of a key that may be. */
static RV take_material(struct op *op, CK_OBJECT_HANDLE handle, uint8_t *out, size_t *len)
{
    struct module *m = op->session->module;
    pthread_mutex_lock(&m->objects_lock);
    const struct object *key = object_of(m, handle);
    CK_RV rv = key && is_visible(op->session, key) ? policy_wrap(atomic_load(&op->key), key)
                                                   : CKR_KEY_HANDLE_INVALID;
    if (rv == CKR_OK)
        rv = key_material(m, key, out, len);
    pthread_mutex_unlock(&m->objects_lock);
    return rv;
}

static RV wrap(struct op *op, CK_OBJECT_HANDLE key, CK_BYTE *out, CK_ULONG *out_len)
{
    struct module *m = op->session->module;
    uint8_t *material = secret_new(m, MAX_SECRET);
    size_t len = MAX_SECRET;
    if (!material)
        return CKR_HOST_MEMORY;
    CK_RV rv = take_material(op, key, material, &len);
    size_t written = rv == CKR_OK ? op->mech->engine->size(op, len, OP_READY) : 0;
    if (rv == CKR_OK && out) {
        size_t room = *out_len;
        rv = room < written
                 ? CKR_BUFFER_TOO_SMALL
                 : as_wrapping(op->mech->engine->whole(op, material, len, out, &room), false);
        written = rv == CKR_OK ? room : written;
    }
    if (rv == CKR_OK || rv == CKR_BUFFER_TOO_SMALL)
        *out_len = written;
    secret_free(m, material);
    return rv;
}

CK_RV C_WrapKey(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE wrapping,
                CK_OBJECT_HANDLE key, CK_BYTE *out, CK_ULONG *out_len)
{
    struct op *op;
    const CK_RV rv = begin(&op, session, OP_WRAP, mechanism, wrapping, P11_BIT(WRAP), CKF_WRAP);
    if (rv != CKR_OK)
        return as_wrapping(rv, false);
    return op_end(op, out_len ? wrap(op, key, out, out_len) : CKR_ARGUMENTS_BAD);
}

/* ---- unwrap ---- */

static RV make_unwrapped(struct op *op, struct draft *draft, const uint8_t *material, size_t len,
                         CK_OBJECT_HANDLE *key)
{
    struct session *s = op->session;
    const struct object *by = atomic_load(&op->key);
    if (draft->cls == CKO_SECRET_KEY)
        return secret_finish(s, draft, material, len, UNWRAPPED, by, key);
    if (draft->cls != CKO_PRIVATE_KEY)
        return draft_find(draft, CKA_CLASS) ? CKR_TEMPLATE_INCONSISTENT : CKR_TEMPLATE_INCOMPLETE;
    CK_RV rv = pk_decode(s->module, draft, material, len);
    if (rv == CKR_OK)
        rv = policy_complete(s, draft, UNWRAPPED, by);
    if (rv == CKR_OK)
        rv = key_complete(s->module, draft);
    return rv == CKR_OK ? object_make(s, draft, key) : rv;
}

static RV unwrap(struct op *op, const CK_BYTE *in, CK_ULONG len, CK_ATTRIBUTE *template,
                 CK_ULONG num, CK_OBJECT_HANDLE *key)
{
    struct module *m = op->session->module;
    if (!in || !key || len > MAX_SECRET)
        return CKR_ARGUMENTS_BAD;
    struct draft draft;
    size_t material_len = MAX_SECRET;
    uint8_t *material = secret_new(m, MAX_SECRET);
    if (!material)
        return CKR_HOST_MEMORY;
    CK_RV rv = draft_read(&draft, template, num);
    if (rv == CKR_OK)
        rv = as_wrapping(op->mech->engine->whole(op, in, len, material, &material_len), true);
    if (rv == CKR_OK)
        rv = make_unwrapped(op, &draft, material, material_len, key);
    draft_wipe(m, &draft);
    secret_free(m, material);
    return rv;
}

CK_RV C_UnwrapKey(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE unwrapping,
                  CK_BYTE *in, CK_ULONG len, CK_ATTRIBUTE *template, CK_ULONG num,
                  CK_OBJECT_HANDLE *key)
{
    struct op *op;
    const CK_RV rv =
        begin(&op, session, OP_UNWRAP, mechanism, unwrapping, P11_BIT(UNWRAP), CKF_UNWRAP);
    if (rv != CKR_OK)
        return as_wrapping(rv, true);
    return op_end(op, unwrap(op, in, len, template, num, key));
}

/* with_aad returns an AEAD's mechanism whose parameter has other associated data. */
static RV with_aad(CK_SESSION_HANDLE session, const CK_MECHANISM *mechanism, CK_BYTE *aad,
                   CK_ULONG aad_len, CK_MECHANISM *out, CK_GCM_PARAMS *gcm, CK_CCM_PARAMS *ccm)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK || !mechanism)
        return rv != CKR_OK ? rv : CKR_ARGUMENTS_BAD;
    *out = *mechanism;
    if (mechanism->mechanism == CKM_AES_GCM && mechanism->pParameter &&
        mechanism->ulParameterLen == sizeof *gcm) {
        memcpy(gcm, mechanism->pParameter, sizeof *gcm);
        gcm->pAAD = aad;
        gcm->ulAADLen = aad_len;
        out->pParameter = gcm;
        return CKR_OK;
    }
    if (mechanism->mechanism == CKM_AES_CCM && mechanism->pParameter &&
        mechanism->ulParameterLen == sizeof *ccm) {
        memcpy(ccm, mechanism->pParameter, sizeof *ccm);
        ccm->pAAD = aad;
        ccm->ulAADLen = aad_len;
        out->pParameter = ccm;
        return CKR_OK;
    }
    return CKR_MECHANISM_INVALID;
}

CK_RV C_WrapKeyAuthenticated(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism,
                             CK_OBJECT_HANDLE wrapping, CK_OBJECT_HANDLE key, CK_BYTE *aad,
                             CK_ULONG aad_len, CK_BYTE *out, CK_ULONG *out_len)
{
    CK_MECHANISM whole;
    CK_GCM_PARAMS gcm;
    CK_CCM_PARAMS ccm;
    const CK_RV rv = with_aad(session, mechanism, aad, aad_len, &whole, &gcm, &ccm);
    return rv == CKR_OK ? C_WrapKey(session, &whole, wrapping, key, out, out_len) : rv;
}

CK_RV C_UnwrapKeyAuthenticated(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism,
                               CK_OBJECT_HANDLE unwrapping, CK_BYTE *in, CK_ULONG len,
                               CK_ATTRIBUTE *template, CK_ULONG num, CK_BYTE *aad, CK_ULONG aad_len,
                               CK_OBJECT_HANDLE *key)
{
    CK_MECHANISM whole;
    CK_GCM_PARAMS gcm;
    CK_CCM_PARAMS ccm;
    const CK_RV rv = with_aad(session, mechanism, aad, aad_len, &whole, &gcm, &ccm);
    return rv == CKR_OK ? C_UnwrapKey(session, &whole, unwrapping, in, len, template, num, key)
                        : rv;
}

/* ---- derive ---- */

/* complete_class adds what templates of derived keys leave out. */
static RV complete_class(struct module *m, struct draft *draft)
{
    CK_RV rv = CKR_OK;
    if (!draft_find(draft, CKA_CLASS))
        rv = draft_add_number(m, draft, CKA_CLASS, CKO_SECRET_KEY);
    if (rv == CKR_OK && !draft_find(draft, CKA_KEY_TYPE))
        rv = draft_add_number(m, draft, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
    return rv == CKR_OK && draft->cls != CKO_SECRET_KEY ? CKR_TEMPLATE_INCONSISTENT : rv;
}

static RV derive(struct op *op, const CK_MECHANISM *mechanism, CK_ATTRIBUTE *template, CK_ULONG num,
                 CK_OBJECT_HANDLE *key)
{
    struct module *m = op->session->module;
    struct draft draft;
    size_t len = 0;
    uint8_t *secret = secret_new(m, MAX_SECRET);
    if (!secret)
        return CKR_HOST_MEMORY;
    const struct object *base = atomic_load(&op->key);
    op->joined = ~UINT64_C(0) & ~P11_BIT(SENSITIVE) & ~P11_BIT(WRAP_WITH_TRUSTED);
    CK_RV rv = draft_read(&draft, template, num);
    if (rv == CKR_OK)
        rv = complete_class(m, &draft);
    if (rv == CKR_OK)
        len = draft_number(&draft, CKA_VALUE_LEN, 0); /* 0: as many as there are */
    if (rv == CKR_OK && len > MAX_SECRET)
        rv = CKR_KEY_SIZE_RANGE;
    if (rv == CKR_OK)
        rv = op->mech->engine->derive(op, mechanism, secret, &len);
    const struct object from = { .cls = base->cls,
                                 .bits = policy_join(atomic_load(&base->bits), op->joined) };
    if (rv == CKR_OK)
        rv = secret_finish(op->session, &draft, secret, len, DERIVED, &from, key);
    draft_wipe(m, &draft);
    secret_free(m, secret);
    return rv;
}

CK_RV C_DeriveKey(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE base,
                  CK_ATTRIBUTE *template, CK_ULONG num, CK_OBJECT_HANDLE *key)
{
    struct op *op;
    const CK_RV rv = begin(&op, session, OP_DERIVE, mechanism, base, P11_BIT(DERIVE), CKF_DERIVE);
    if (rv != CKR_OK)
        return rv;
    return op_end(op, key ? derive(op, mechanism, template, num, key) : CKR_ARGUMENTS_BAD);
}

/* ---- encapsulation ---- */

static RV encapsulate(struct op *op, CK_ATTRIBUTE *template, CK_ULONG num, CK_BYTE *out,
                      CK_ULONG *out_len, CK_OBJECT_HANDLE *key)
{
    struct module *m = op->session->module;
    struct draft draft;
    uint8_t secret[128];
    size_t len = sizeof secret, written = *out_len;
    CK_RV rv = draft_read(&draft, template, num);
    if (rv == CKR_OK)
        rv = complete_class(m, &draft);
    if (rv == CKR_OK)
        rv = op->mech->engine->encapsulate(op, out, &written, secret, &len);
    if (rv == CKR_OK)
        rv = secret_finish(op->session, &draft, secret, len, DERIVED, atomic_load(&op->key), key);
    if (rv == CKR_OK)
        *out_len = written;
    draft_wipe(m, &draft);
    WIPE(&secret);
    return rv;
}

CK_RV C_EncapsulateKey(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE by,
                       CK_ATTRIBUTE *template, CK_ULONG num, CK_BYTE *out, CK_ULONG *out_len,
                       CK_OBJECT_HANDLE *key)
{
    struct op *op;
    CK_RV rv =
        begin(&op, session, OP_ENCAPSULATE, mechanism, by, P11_BIT(ENCAPSULATE), CKF_ENCAPSULATE);
    if (rv != CKR_OK)
        return rv;
    if (!out_len || !key)
        return op_end(op, CKR_ARGUMENTS_BAD);
    bool is_query;
    rv = has_room(out, out_len, op->mech->engine->size(op, 0, OP_READY), &is_query);
    if (rv == CKR_OK && !is_query)
        rv = encapsulate(op, template, num, out, out_len, key);
    return op_end(op, rv);
}

static RV decapsulate(struct op *op, CK_ATTRIBUTE *template, CK_ULONG num, const CK_BYTE *in,
                      CK_ULONG len, CK_OBJECT_HANDLE *key)
{
    struct module *m = op->session->module;
    struct draft draft;
    uint8_t secret[128];
    size_t secret_len = sizeof secret;
    CK_RV rv = draft_read(&draft, template, num);
    if (rv == CKR_OK)
        rv = complete_class(m, &draft);
    if (rv == CKR_OK)
        rv = op->mech->engine->decapsulate(op, in, len, secret, &secret_len);
    if (rv == CKR_OK)
        rv = secret_finish(op->session, &draft, secret, secret_len, DERIVED, atomic_load(&op->key),
                           key);
    draft_wipe(m, &draft);
    WIPE(&secret);
    return rv;
}

CK_RV C_DecapsulateKey(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE by,
                       CK_ATTRIBUTE *template, CK_ULONG num, CK_BYTE *in, CK_ULONG len,
                       CK_OBJECT_HANDLE *key)
{
    struct op *op;
    const CK_RV rv =
        begin(&op, session, OP_DECAPSULATE, mechanism, by, P11_BIT(DECAPSULATE), CKF_DECAPSULATE);
    if (rv != CKR_OK)
        return rv;
    return op_end(op, in && key ? decapsulate(op, template, num, in, len, key) : CKR_ARGUMENTS_BAD);
}

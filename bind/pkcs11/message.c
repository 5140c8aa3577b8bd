/* SPDX-License-Identifier: Apache-2.0 */
/* Message-based encryption: one key, many messages with parameters of their own (section 5.9).
 * A text has its own length, and the tag goes to where the parameter says.  Decrypted pieces are
 * kept here until the tag was compared, and all pieces where an engine has whole messages only. */
#include "mechanism.h"
#include "session.h"

static RV message_of(struct message *out, const struct op *op, const void *parameter, CK_ULONG len)
{
    CK_GCM_MESSAGE_PARAMS gcm;
    CK_CCM_MESSAGE_PARAMS ccm;
    CK_SALSA20_CHACHA20_POLY1305_MSG_PARAMS chacha;
    if (parameter && op->mech->type == CKM_AES_GCM && len == sizeof gcm) {
        memcpy(&gcm, parameter, sizeof gcm);
        *out = (struct message){ gcm.pIv,           gcm.pTag,   gcm.ulIvLen,    gcm.ulIvFixedBits,
                                 gcm.ulTagBits / 8, UINT64_MAX, gcm.ivGenerator };
        if (gcm.ulTagBits % 8)
            return CKR_MECHANISM_PARAM_INVALID;
    } else if (parameter && op->mech->type == CKM_AES_CCM && len == sizeof ccm) {
        memcpy(&ccm, parameter, sizeof ccm);
        *out =
            (struct message){ ccm.pNonce,   ccm.pMAC,      ccm.ulNonceLen,    ccm.ulNonceFixedBits,
                              ccm.ulMACLen, ccm.ulDataLen, ccm.nonceGenerator };
    } else if (parameter && op->mech->type == CKM_CHACHA20_POLY1305 && len == sizeof chacha) {
        memcpy(&chacha, parameter, sizeof chacha);
        *out = (struct message){ chacha.pNonce, chacha.pTag,    chacha.ulNonceLen, 0, 16,
                                 UINT64_MAX,    CKG_NO_GENERATE };
    } else {
        return CKR_MECHANISM_PARAM_INVALID;
    }
    return out->iv && out->tag && out->iv_len <= sizeof op->iv &&
                   aead_takes(op, out->iv_len, out->tag_len)
               ? CKR_OK
               : CKR_MECHANISM_PARAM_INVALID;
}

enum { LEAST_OWN = 32 }; /* bits */

/* count returns the next number of a key.  Other processes count for themselves, and copies, too,
 * so that for a key that is not alone some bits of the IV must be the caller's own. */
static RV count(uint64_t *out, const struct op *op, const struct message *msg)
{
    struct object *key = atomic_load(&op->key);
    const bool is_shared =
        key->accel || atomic_load(&key->bits) & P11_BIT(TOKEN) || atomic_load(&key->is_copied);
    if (is_shared && msg->fixed_bits < LEAST_OWN)
        return CKR_MECHANISM_PARAM_INVALID;
    _Atomic uint64_t *ivs = object_ivs(op->session->module, key);
    if (!ivs)
        return CKR_DEVICE_MEMORY;
    *out = atomic_fetch_add(ivs, 1);
    return CKR_OK;
}

/* make_iv makes the part of the IV that is not the caller's, and returns it in the parameter: by a
 * counter of the key, or by random numbers, of which 64 bits at least are wanted. */
static RV make_iv(struct op *op, const struct message *msg)
{
    const CK_ULONG fixed = msg->fixed_bits / 8;
    if (op->decrypts || msg->generator == CKG_NO_GENERATE)
        return CKR_OK;
    if (msg->fixed_bits % 8 || fixed >= msg->iv_len)
        return CKR_MECHANISM_PARAM_INVALID;
    const size_t len = msg->iv_len - fixed;
    if (msg->generator == CKG_GENERATE_COUNTER) {
        uint64_t counter;
        const CK_RV rv = count(&counter, op, msg);
        if (rv != CKR_OK)
            return rv;
        if (len < 8 && counter >> (8 * len))
            return CKR_KEY_EXHAUSTED;
        for (size_t i = 0; i < len; i++)
            msg->iv[msg->iv_len - 1 - i] = i < 8 ? (uint8_t)(counter >> 8 * i) : 0;
        return CKR_OK;
    }
    if ((msg->generator != CKG_GENERATE && msg->generator != CKG_GENERATE_RANDOM) || len < 8)
        return CKR_MECHANISM_PARAM_INVALID;
    return random_bytes(msg->iv + fixed, len);
}

static CK_RV message_error(int error)
{
    if (error == HR_ESTATE) /* the end of less text than CCM's parameter says */
        return CKR_DATA_LEN_RANGE;
    return error == HR_EMAC ? CKR_AEAD_DECRYPT_FAILED : error_of(error);
}

/* run processes a whole message. */
static RV run(struct op *op, const struct message *msg, const CK_BYTE *aad, CK_ULONG aad_len,
              const CK_BYTE *in, CK_ULONG len, CK_BYTE *out)
{
    uint8_t tag[HR_AEAD_MAX_TAG];
    int error;
    if (msg->data_len != UINT64_MAX && msg->data_len != len)
        return op->decrypts ? CKR_ENCRYPTED_DATA_LEN_RANGE : CKR_DATA_LEN_RANGE;
    if (op->mech->engine->message)
        return op->mech->engine->message(op, msg, aad, aad_len, in, len, out);
    if (op->decrypts) {
        memcpy(tag, msg->tag, msg->tag_len);
        error = hr_aead_decrypt(out, tag, msg->tag_len, in, len, aad, aad_len, op->form, msg->iv,
                                msg->iv_len);
    } else {
        error = hr_aead_encrypt(out, tag, msg->tag_len, in, len, aad, aad_len, op->form, msg->iv,
                                msg->iv_len);
        if (!error)
            memcpy(msg->tag, tag, msg->tag_len);
    }
    return message_error(error);
}

/* ---- one call ---- */

static RV whole(CK_SESSION_HANDLE session, enum op_kind kind, void *parameter,
                CK_ULONG parameter_len, const CK_BYTE *aad, CK_ULONG aad_len, const CK_BYTE *in,
                CK_ULONG len, CK_BYTE *out, CK_ULONG *out_len)
{
    struct op *op;
    struct message msg;
    CK_RV rv = op_get(&op, session, kind, OP_READY, OP_READY);
    if (rv != CKR_OK)
        return rv;
    if (!out_len || (!in && len) || (!aad && aad_len))
        return CKR_ARGUMENTS_BAD;
    rv = message_of(&msg, op, parameter, parameter_len);
    if (rv != CKR_OK)
        return rv;
    bool is_query;
    rv = has_room(out, out_len, len, &is_query);
    if (rv != CKR_OK || is_query)
        return rv;
    rv = make_iv(op, &msg);
    if (rv == CKR_OK)
        rv = run(op, &msg, aad, aad_len, in ? in : (const CK_BYTE *)"", len, out);
    if (rv != CKR_OK)
        return rv;
    op_count(op, len);
    *out_len = len;
    return CKR_OK;
}

/* ---- pieces: op->more keeps the AAD, and then the pieces of a text ---- */

static RV begin(CK_SESSION_HANDLE session, enum op_kind kind, void *parameter,
                CK_ULONG parameter_len, const CK_BYTE *aad, CK_ULONG aad_len)
{
    struct op *op;
    struct message msg;
    CK_RV rv = op_get(&op, session, kind, OP_READY, OP_READY);
    if (rv != CKR_OK)
        return rv;
    if ((!aad && aad_len) || aad_len > UINT32_MAX)
        return CKR_ARGUMENTS_BAD;
    rv = message_of(&msg, op, parameter, parameter_len);
    if (rv == CKR_OK)
        rv = make_iv(op, &msg);
    if (rv == CKR_OK)
        rv = op_keep(op, aad, aad_len);
    if (rv != CKR_OK)
        return rv;
    op->aad_len = (uint32_t)aad_len;
    op->iv_len = (uint32_t)msg.iv_len;
    memcpy(op->iv, msg.iv, msg.iv_len);
    op->stage = OP_MESSAGE;
    return CKR_OK;
}

/* end ends a message, and leaves the operation ready for the next one. */
static CK_RV end(struct op *op, CK_RV rv)
{
    if (op->is_context)
        WIPE(&op->u);
    op->is_context = 0;
    if (op->more_len)
        wipe_bytes(op->more, op->more_len);
    op->more_len = 0;
    op->stage = OP_READY;
    return rv;
}

static RV encrypt_next(struct op *op, const struct message *msg, const CK_BYTE *in, CK_ULONG len,
                       CK_BYTE *out, bool is_last)
{
    int error = 0;
    if (!op->is_context) {
        op->is_context = 1;
        error = hr_aead_init(&op->u.aead, op->form, HR_OP_ENCRYPT, op->iv, op->iv_len);
        if (!error)
            error = hr_aead_lengths(&op->u.aead, op->aad_len,
                                    msg->data_len == UINT64_MAX ? 0 : msg->data_len, msg->tag_len);
        if (!error && op->aad_len)
            error = hr_aead_aad(&op->u.aead, op->more, op->aad_len);
    }
    if (!error)
        error = hr_aead_update(&op->u.aead, out, in, len);
    if (!error && is_last)
        error = hr_aead_final(&op->u.aead, msg->tag, msg->tag_len);
    return message_error(error);
}

/* waits tells whether pieces give nothing out before the last one. */
static bool waits(const struct op *op)
{
    return op->decrypts || op->mech->engine->message;
}

/* end_kept gives out the whole text, in the room of the last piece. */
static RV end_kept(struct op *op, struct message *msg, CK_BYTE *out, CK_ULONG *out_len)
{
    const size_t len = op->more_len - op->aad_len;
    msg->iv = op->iv;
    msg->iv_len = op->iv_len;
    const CK_RV rv = run(op, msg, op->more, op->aad_len, op->more + op->aad_len, len, out);
    *out_len = len;
    return rv;
}

static RV next(CK_SESSION_HANDLE session, enum op_kind kind, void *parameter,
               CK_ULONG parameter_len, const CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
               CK_ULONG *out_len, CK_FLAGS flags)
{
    struct op *op;
    struct message msg;
    CK_RV rv = op_get(&op, session, kind, OP_MESSAGE, OP_MESSAGE);
    if (rv != CKR_OK)
        return rv == CKR_OPERATION_ACTIVE ? CKR_OPERATION_NOT_INITIALIZED : rv;
    if (!out_len || (!in && len))
        return CKR_ARGUMENTS_BAD;
    rv = message_of(&msg, op, parameter, parameter_len);
    if (rv != CKR_OK)
        return end(op, rv);
    const bool is_last = flags & CKF_END_OF_MESSAGE;
    const size_t most = !waits(op) ? len : is_last ? op->more_len - op->aad_len + len : 0;
    bool is_query;
    rv = has_room(out, out_len, most, &is_query);
    if (rv != CKR_OK || (is_query && most))
        return rv;
    *out_len = most;
    if (!waits(op))
        rv = encrypt_next(op, &msg, in ? in : (const CK_BYTE *)"", len, out, is_last);
    else
        rv = op_keep(op, in, len);
    if (rv == CKR_OK)
        op_count(op, len);
    if (rv == CKR_OK && waits(op) && is_last)
        rv = end_kept(op, &msg, out, out_len);
    return rv != CKR_OK || is_last ? end(op, rv) : rv;
}

static RV finish(CK_SESSION_HANDLE session, enum op_kind kind)
{
    struct op *op;
    const CK_RV rv = op_get(&op, session, kind, OP_READY, OP_MESSAGE);
    return rv == CKR_OK ? op_end(op, CKR_OK) : rv;
}

/* ---- the calls ---- */

CK_RV C_MessageEncryptInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
    return op_begin(session, OP_MESSAGE_ENCRYPT, mechanism, key, P11_BIT(ENCRYPT),
                    CKF_MESSAGE_ENCRYPT);
}

CK_RV C_EncryptMessage(CK_SESSION_HANDLE session, void *parameter, CK_ULONG parameter_len,
                       CK_BYTE *aad, CK_ULONG aad_len, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                       CK_ULONG *out_len)
{
    return whole(session, OP_MESSAGE_ENCRYPT, parameter, parameter_len, aad, aad_len, in, len, out,
                 out_len);
}

CK_RV C_EncryptMessageBegin(CK_SESSION_HANDLE session, void *parameter, CK_ULONG parameter_len,
                            CK_BYTE *aad, CK_ULONG aad_len)
{
    return begin(session, OP_MESSAGE_ENCRYPT, parameter, parameter_len, aad, aad_len);
}

CK_RV C_EncryptMessageNext(CK_SESSION_HANDLE session, void *parameter, CK_ULONG parameter_len,
                           CK_BYTE *in, CK_ULONG len, CK_BYTE *out, CK_ULONG *out_len,
                           CK_FLAGS flags)
{
    return next(session, OP_MESSAGE_ENCRYPT, parameter, parameter_len, in, len, out, out_len,
                flags);
}

CK_RV C_MessageEncryptFinal(CK_SESSION_HANDLE session)
{
    return finish(session, OP_MESSAGE_ENCRYPT);
}

CK_RV C_MessageDecryptInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
    return op_begin(session, OP_MESSAGE_DECRYPT, mechanism, key, P11_BIT(DECRYPT),
                    CKF_MESSAGE_DECRYPT);
}

CK_RV C_DecryptMessage(CK_SESSION_HANDLE session, void *parameter, CK_ULONG parameter_len,
                       CK_BYTE *aad, CK_ULONG aad_len, CK_BYTE *in, CK_ULONG len, CK_BYTE *out,
                       CK_ULONG *out_len)
{
    return whole(session, OP_MESSAGE_DECRYPT, parameter, parameter_len, aad, aad_len, in, len, out,
                 out_len);
}

CK_RV C_DecryptMessageBegin(CK_SESSION_HANDLE session, void *parameter, CK_ULONG parameter_len,
                            CK_BYTE *aad, CK_ULONG aad_len)
{
    return begin(session, OP_MESSAGE_DECRYPT, parameter, parameter_len, aad, aad_len);
}

CK_RV C_DecryptMessageNext(CK_SESSION_HANDLE session, void *parameter, CK_ULONG parameter_len,
                           CK_BYTE *in, CK_ULONG len, CK_BYTE *out, CK_ULONG *out_len,
                           CK_FLAGS flags)
{
    return next(session, OP_MESSAGE_DECRYPT, parameter, parameter_len, in, len, out, out_len,
                flags);
}

CK_RV C_MessageDecryptFinal(CK_SESSION_HANDLE session)
{
    return finish(session, OP_MESSAGE_DECRYPT);
}

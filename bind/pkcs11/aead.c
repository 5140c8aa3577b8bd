/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of authenticated encryption.
 *
 * A ciphertext is the text's, then the tag.  Decrypted pieces are kept here until the tag was
 * compared, so C_DecryptUpdate gives out nothing, and C_DecryptFinal everything. */
#include "mechanism.h"
#include "session.h"

/* ---- parameters: op->more has the AAD, and then the IV if that is longer than op->iv ---- */

struct aead_parameter {
    const CK_BYTE *iv, *aad;
    CK_ULONG iv_len, aad_len, tag_len, data_len;
};

static RV read_gcm(struct aead_parameter *out, const CK_MECHANISM *mechanism)
{
    CK_GCM_PARAMS params;
    if (mechanism->ulParameterLen != sizeof params)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&params, mechanism->pParameter, sizeof params);
    /* ulIvBits is a mistake of the specification's, which many callers leave 0. */
    *out = (struct aead_parameter){ params.pIv,      params.pAAD,          params.ulIvLen,
                                    params.ulAADLen, params.ulTagBits / 8, UINT64_MAX };
    return params.ulTagBits % 8 ? CKR_MECHANISM_PARAM_INVALID : CKR_OK;
}

static RV read_ccm(struct aead_parameter *out, const CK_MECHANISM *mechanism)
{
    CK_CCM_PARAMS params;
    if (mechanism->ulParameterLen != sizeof params)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&params, mechanism->pParameter, sizeof params);
    *out = (struct aead_parameter){ params.pNonce,   params.pAAD,     params.ulNonceLen,
                                    params.ulAADLen, params.ulMACLen, params.ulDataLen };
    return CKR_OK;
}

static RV read_chacha(struct aead_parameter *out, const CK_MECHANISM *mechanism)
{
    CK_SALSA20_CHACHA20_POLY1305_PARAMS params;
    if (mechanism->ulParameterLen != sizeof params)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&params, mechanism->pParameter, sizeof params);
    *out = (struct aead_parameter){ params.pNonce,   params.pAAD, params.ulNonceLen,
                                    params.ulAADLen, 16,          UINT64_MAX };
    return CKR_OK;
}

static RV read_parameter(struct aead_parameter *out, const CK_MECHANISM *mechanism)
{
    switch (mechanism->mechanism) {
    case CKM_AES_GCM:
        return read_gcm(out, mechanism);
    case CKM_AES_CCM:
        return read_ccm(out, mechanism);
    default:
        return read_chacha(out, mechanism);
    }
}

/* The lengths are those of SP 800-38D, SP 800-38C and RFC 8439. */
bool aead_takes(const struct op *op, CK_ULONG iv_len, CK_ULONG tag_len)
{
    const bool is_ccm = op->mech->type == CKM_AES_CCM;
    if (tag_len < 4 || tag_len > HR_AEAD_MAX_TAG || (is_ccm && tag_len % 2))
        return false;
    if (is_ccm)
        return iv_len >= 7 && iv_len <= 13;
    return op->mech->type == CKM_CHACHA20_POLY1305 ? iv_len == 12 : iv_len && iv_len <= MAX_VALUE;
}

static RV aead_init(struct op *op, const CK_MECHANISM *mechanism)
{
    struct aead_parameter p;
    CK_RV rv = read_parameter(&p, mechanism);
    if (UNLIKELY(rv != CKR_OK))
        return rv;
    if (UNLIKELY(!p.iv || (!p.aad && p.aad_len) || p.aad_len > UINT32_MAX ||
                 !aead_takes(op, p.iv_len, p.tag_len)))
        return CKR_MECHANISM_PARAM_INVALID;
    op->out_len = (uint32_t)p.tag_len;
    op->iv_len = (uint32_t)p.iv_len;
    op->aad_len = (uint32_t)p.aad_len;
    op->data_len = p.data_len;
    if (p.aad_len)
        rv = op_keep(op, p.aad, p.aad_len);
    if (LIKELY(p.iv_len <= sizeof op->iv))
        copy_short(op->iv, p.iv, p.iv_len);
    else if (rv == CKR_OK)
        rv = op_keep(op, p.iv, p.iv_len);
    return rv;
}

static const uint8_t *iv_of(const struct op *op)
{
    return op->iv_len <= sizeof op->iv ? op->iv : op->more + op->aad_len;
}

/* kept_before returns how many bytes of op->more are the parameter's. */
static size_t kept_before(const struct op *op)
{
    return op->aad_len + (op->iv_len <= sizeof op->iv ? 0 : op->iv_len);
}

P11_VALUE_FORM(aead)

static CK_RV aead_error(int error)
{
    if (error == HR_ESTATE) /* the end of less text than CCM's parameter says */
        return CKR_DATA_LEN_RANGE;
    return error == HR_EMAC ? CKR_ENCRYPTED_DATA_INVALID : error_of(error);
}

/* ---- whole messages ---- */

static size_t text_len(const struct op *op, size_t len)
{
    return len < op->out_len ? 0 : len - op->out_len;
}

static size_t aead_size(const struct op *op, size_t len, enum op_stage stage)
{
    const bool decrypts = op->decrypts;
    switch (stage) {
    case OP_READY:
        return decrypts ? text_len(op, len) : len + op->out_len;
    case OP_NONE: /* the end */
        return decrypts ? text_len(op, op->more_len - kept_before(op)) : op->out_len;
    default:
        return decrypts ? 0 : len;
    }
}

/* aead_whole lets the tag follow the text.  In place it lies behind what is read; and where a
 * caller has the text elsewhere, all of it has been read when the tag is written. */
static RV aead_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const bool decrypts = op->decrypts;
    const size_t most = aead_size(op, len, OP_READY), room = *out_len;
    if (UNLIKELY(decrypts && len < op->out_len))
        return CKR_ENCRYPTED_DATA_LEN_RANGE;
    if (UNLIKELY(is_other_length(op, len)))
        return CKR_DATA_LEN_RANGE;
    *out_len = most;
    if (UNLIKELY(room < most))
        return CKR_BUFFER_TOO_SMALL;
    if (decrypts) {
        uint8_t tag[HR_AEAD_MAX_TAG];
        memcpy(tag, in + most, op->out_len); /* `out` may lie there */
        return aead_error(hr_aead_decrypt(out, tag, op->out_len, in, most, op->more, op->aad_len,
                                          op->form, iv_of(op), op->iv_len));
    }
    return aead_error(hr_aead_encrypt(out, out + len, op->out_len, in, len, op->more, op->aad_len,
                                      op->form, iv_of(op), op->iv_len));
}

/* ---- pieces ---- */

static RV begin_pieces(struct op *op)
{
    if (op->is_context)
        return CKR_OK;
    int error = hr_aead_init(&op->u.aead, op->form, HR_OP_ENCRYPT, iv_of(op), op->iv_len);
    if (!error)
        error = hr_aead_lengths(&op->u.aead, op->aad_len,
                                op->data_len == UINT64_MAX ? 0 : op->data_len, op->out_len);
    if (!error && op->aad_len)
        error = hr_aead_aad(&op->u.aead, op->more, op->aad_len);
    op->is_context = 1;
    return error_of(error);
}

static RV aead_update(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    if (op->decrypts) {
        *out_len = 0;
        return op_keep(op, in, len);
    }
    const CK_RV rv = begin_pieces(op);
    *out_len = len;
    return rv != CKR_OK ? rv : aead_error(hr_aead_update(&op->u.aead, out, in, len));
}

static RV aead_final(struct op *op, CK_BYTE *out, size_t *out_len)
{
    if (op->decrypts) {
        const size_t before = kept_before(op);
        return aead_whole(op, op->more_len ? op->more + before : (const CK_BYTE *)"",
                          op->more_len - before, out, out_len);
    }
    const size_t room = *out_len;
    *out_len = op->out_len;
    if (room < op->out_len)
        return CKR_BUFFER_TOO_SMALL;
    const CK_RV rv = begin_pieces(op);
    return rv != CKR_OK ? rv : aead_error(hr_aead_final(&op->u.aead, out, op->out_len));
}

/* The parameters of messages come with each (message.c). */
static RV aead_init_messages(struct op *op, const CK_MECHANISM *mechanism)
{
    return CKR_OK;
}

const struct engine engine_aead = { .init = aead_init,
                                    .init_messages = aead_init_messages,
                                    .form = aead_form,
                                    .size = aead_size,
                                    .whole = aead_whole,
                                    .update = aead_update,
                                    .final = aead_final };

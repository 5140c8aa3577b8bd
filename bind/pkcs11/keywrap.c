/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of AES key wrap, with and without padding.  Its parameter is the constant that is
 * compared when a key is unwrapped, or none for that of the RFCs. */
#include "mechanism.h"

static RV keywrap_init(struct op *op, const CK_MECHANISM *mechanism)
{
    op->iv_len = (uint32_t)mechanism->ulParameterLen;
    if (mechanism->ulParameterLen && mechanism->ulParameterLen != hr_algorithm(op->alg)->iv_len)
        return CKR_MECHANISM_PARAM_INVALID;
    if (op->iv_len)
        memcpy(op->iv, mechanism->pParameter, op->iv_len);
    return CKR_OK;
}

P11_VALUE_FORM(wrap)

static size_t keywrap_size(const struct op *op, size_t len, enum op_stage stage)
{
    if (op->decrypts)
        return len < 8 ? 0 : len - 8;
    return hr_wrapped_len(op->alg, len);
}

static RV wrap(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const size_t most = hr_wrapped_len(op->alg, len), room = *out_len;
    if (!most)
        return CKR_DATA_LEN_RANGE;
    *out_len = most;
    if (room < most)
        return CKR_BUFFER_TOO_SMALL;
    return error_of(hr_wrap(out, out_len, in, len, op->form, op->iv_len ? op->iv : NULL));
}

/* unwrap unwraps into memory of its own, since KWP's text may need less room than is known. */
static RV unwrap(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const size_t room = *out_len;
    size_t text_len = 0;
    CK_RV rv = len < 16 || len % 8 ? CKR_ENCRYPTED_DATA_LEN_RANGE : op_keep(op, in, len);
    if (rv != CKR_OK)
        return rv;
    const int error =
        hr_unwrap(op->more, &text_len, op->more, len, op->form, op->iv_len ? op->iv : NULL);
    rv = error == HR_ELENGTH ? CKR_ENCRYPTED_DATA_LEN_RANGE : error_of(error);
    if (rv == CKR_OK && text_len > room)
        rv = CKR_BUFFER_TOO_SMALL;
    else if (rv == CKR_OK)
        memcpy(out, op->more, text_len);
    *out_len = text_len;
    wipe_bytes(op->more, op->more_len);
    op->more_len = 0; /* the next call begins anew */
    return rv;
}

static RV keywrap_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    return (op->decrypts ? unwrap : wrap)(op, in, len, out, out_len);
}

const struct engine engine_keywrap = {
    .init = keywrap_init, .form = wrap_form, .size = keywrap_size, .whole = keywrap_whole
};

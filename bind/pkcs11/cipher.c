/* SPDX-License-Identifier: Apache-2.0 */
/* The engines of ciphers: ECB, CBC with and without padding, CTR, CFB, OFB; and XTS. */
#include "mechanism.h"

static bool pads(const struct op *op)
{
    return op->mech->detail & MECH_PAD;
}

static size_t block_of(const struct op *op)
{
    return hr_algorithm(op->alg)->block_len;
}

/* length_error is what the specification has for a text that is no number of whole blocks. */
static CK_RV crypt_error(const struct op *op, int error)
{
    return error == HR_ELENGTH && op->decrypts ? CKR_ENCRYPTED_DATA_LEN_RANGE : error_of(error);
}

/* ---- parameters ---- */

/* counter_left returns for how many bytes the low `bits` bits of a counter suffice. */
static uint64_t counter_left(const uint8_t counter[16], CK_ULONG bits)
{
    uint64_t low = 0;
    if (bits >= 60)
        return UINT64_MAX;
    for (int i = 8; i < 16; i++)
        low = low << 8 | counter[i];
    const uint64_t all = UINT64_C(1) << bits;
    return (all - (low & (all - 1))) * 16;
}

static RV take_counter(struct op *op, const CK_MECHANISM *mechanism)
{
    CK_AES_CTR_PARAMS params;
    if (mechanism->ulParameterLen != sizeof params)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&params, mechanism->pParameter, sizeof params);
    if (!params.ulCounterBits || params.ulCounterBits > 128)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(op->iv, params.cb, sizeof params.cb);
    op->iv_len = sizeof params.cb;
    op->data_len = counter_left(op->iv, params.ulCounterBits);
    return CKR_OK;
}

static RV cipher_init(struct op *op, const CK_MECHANISM *mechanism)
{
    op->data_len = UINT64_MAX;
    if (op->mech->detail & MECH_COUNTER)
        return take_counter(op, mechanism);
    const size_t len = op->mech->detail & MECH_IV ? hr_algorithm(op->alg)->iv_len : 0;
    if (UNLIKELY(mechanism->ulParameterLen != len))
        return CKR_MECHANISM_PARAM_INVALID;
    if (len)
        copy_short(op->iv, mechanism->pParameter, len);
    op->iv_len = (uint32_t)len;
    return CKR_OK;
}

P11_VALUE_FORM(cipher)

/* ---- whole messages ---- */

/* padded_len returns how long a text of so many bytes becomes at most. */
static size_t padded_len(const struct op *op, size_t len)
{
    if (LIKELY(op->decrypts || !pads(op)))
        return len;
    const size_t block = block_of(op);
    return (len / block + 1) * block;
}

static size_t cipher_size(const struct op *op, size_t len, enum op_stage stage)
{
    const size_t block = block_of(op);
    if (stage == OP_READY)
        return padded_len(op, len);
    if (block == 1)
        return len;
    const int num = op->is_context ? hr_cipher_get_num(&op->u.cipher) : 0;
    const size_t all = (num > 0 ? (size_t)num : 0) + len;
    if (stage == OP_NONE)
        return pads(op) ? block : 0;
    if (!pads(op) || !op->decrypts)
        return all / block * block;
    return all ? (all - 1) / block * block : 0;
}

/* whole_padded processes a text with padding. */
static RV whole_padded(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t room,
                       size_t *out_len)
{
    struct hr_cipher_ctx ctx;
    size_t last = 0;
    *out_len = 0;
    int error = hr_cipher_init(&ctx, op->form, op->decrypts ? HR_OP_DECRYPT : HR_OP_ENCRYPT, op->iv,
                               op->iv_len, HR_CIPHER_PADDING);
    if (!error)
        error = hr_cipher_update(&ctx, out, room, out_len, in, len);
    if (!error)
        error = hr_cipher_final(&ctx, out + *out_len, room - *out_len, &last);
    *out_len += last;
    WIPE(&ctx);
    return crypt_error(op, error);
}

/* unpad_elsewhere decrypts a text for which there may be room enough without its padding. */
COLD static RV unpad_elsewhere(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out,
                               size_t *out_len)
{
    CK_RV rv = op_keep(op, in, len);
    size_t text_len = 0;
    if (rv != CKR_OK)
        return rv;
    rv = whole_padded(op, op->more, len, op->more, len, &text_len);
    const size_t room = *out_len;
    *out_len = text_len;
    if (rv == CKR_OK && text_len > room)
        rv = CKR_BUFFER_TOO_SMALL;
    else if (rv == CKR_OK)
        memcpy(out, op->more, text_len);
    wipe_bytes(op->more, len);
    op->more_len = 0; /* the next call begins anew */
    return rv;
}

static RV cipher_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const size_t most = padded_len(op, len), room = *out_len;
    if (UNLIKELY(len > op->data_len))
        return CKR_DATA_LEN_RANGE;
    if (pads(op)) {
        if (op->decrypts && (!len || len % block_of(op)))
            return CKR_ENCRYPTED_DATA_LEN_RANGE;
        if (op->decrypts && room < len)
            return unpad_elsewhere(op, in, len, out, out_len);
    }
    if (UNLIKELY(room < most)) {
        *out_len = most;
        return CKR_BUFFER_TOO_SMALL;
    }
    if (pads(op))
        return whole_padded(op, in, len, out, room, out_len);
    *out_len = len;
    return crypt_error(op, (op->decrypts ? hr_cipher_decrypt : hr_cipher_encrypt)(
                               out, in, len, op->form, op->iv, op->iv_len));
}

/* ---- pieces ---- */

static RV begin_pieces(struct op *op)
{
    if (op->is_context)
        return CKR_OK;
    const int error =
        hr_cipher_init(&op->u.cipher, op->form, op->decrypts ? HR_OP_DECRYPT : HR_OP_ENCRYPT,
                       op->iv, op->iv_len, pads(op) ? HR_CIPHER_PADDING : 0);
    op->is_context = !error;
    return error_of(error);
}

/* update_in_place reads from a copy: bytes that wait from before move the result behind its text.
 */
COLD static RV update_in_place(struct op *op, size_t len, CK_BYTE *out, size_t *out_len)
{
    CK_RV rv = op_keep(op, out, len);
    if (rv == CKR_OK)
        rv = error_of(hr_cipher_update(&op->u.cipher, out, len + 16, out_len, op->more, len));
    if (op->more_len)
        wipe_bytes(op->more, op->more_len);
    op->more_len = 0;
    return rv;
}

static RV cipher_update(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    const CK_RV rv = begin_pieces(op);
    if (rv != CKR_OK)
        return rv;
    if (len > op->data_len)
        return CKR_DATA_LEN_RANGE;
    op->data_len -= op->data_len == UINT64_MAX ? 0 : len;
    if (UNLIKELY(in == out && block_of(op) > 1 && hr_cipher_get_num(&op->u.cipher) > 0))
        return update_in_place(op, len, out, out_len);
    return error_of(hr_cipher_update(&op->u.cipher, out, len + 16, out_len, in, len));
}

static RV cipher_final(struct op *op, CK_BYTE *out, size_t *out_len)
{
    CK_RV rv = begin_pieces(op);
    if (rv != CKR_OK)
        return rv;
    CK_BYTE last[16];
    size_t len = 0;
    const size_t room = *out_len;
    if (pads(op) && !op->decrypts && room < block_of(op)) {
        *out_len = block_of(op);
        return CKR_BUFFER_TOO_SMALL;
    }
    struct hr_cipher_ctx before = op->u.cipher;
    rv = crypt_error(op, hr_cipher_final(&op->u.cipher, last, sizeof last, &len));
    *out_len = len;
    if (rv == CKR_OK && len > room) {
        op->u.cipher = before;
        rv = CKR_BUFFER_TOO_SMALL;
    } else if (rv == CKR_OK) {
        memcpy(out, last, len);
    }
    WIPE(&before);
    WIPE(&last);
    return rv;
}

const struct engine engine_cipher = { .init = cipher_init,
                                      .form = cipher_form,
                                      .size = cipher_size,
                                      .whole = cipher_whole,
                                      .update = cipher_update,
                                      .final = cipher_final };

/* ---- XTS: one data unit ---- */

P11_VALUE_FORM(xts)

static size_t xts_size(const struct op *op, size_t len, enum op_stage stage)
{
    return len;
}

static RV xts_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    if (*out_len < len) {
        *out_len = len;
        return CKR_BUFFER_TOO_SMALL;
    }
    *out_len = len;
    return crypt_error(
        op, (op->decrypts ? hr_xts_decrypt : hr_xts_encrypt)(out, in, len, op->form, op->iv));
}

const struct engine engine_xts = {
    .init = cipher_init, .form = xts_form, .size = xts_size, .whole = xts_whole
};

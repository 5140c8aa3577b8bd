/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures and MACs on both sides. */
#include "same.h"

typedef CK_RV piece_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG);

/* pieces gives a message to an update in pieces. */
static CK_RV pieces(CK_SESSION_HANDLE session, piece_call *call, const struct way *way, uint8_t *in)
{
    CK_ULONG at = 0;
    CK_RV rv = CKR_OK;
    for (size_t i = 0; i < way->num_cuts && rv == CKR_OK; at = way->cuts[i++]) {
        const CK_ULONG len = way->cuts[i] - at;
        rv = call(session, !len && way->drops_null ? NULL : in + at, len);
    }
    return rv;
}

/* last calls C_Sign, or C_SignFinal. */
static CK_RV last(const struct side *x, const struct way *way, uint8_t *in, size_t len,
                  uint8_t *out, CK_ULONG *out_len)
{
    CK_BYTE *const from = len || !way->drops_null ? in : NULL;
    return way->is_whole ? completed(x->session, p11->C_Sign(x->session, from, len, out, out_len),
                                     "C_Sign", out_len)
                         : completed(x->session, p11->C_SignFinal(x->session, out, out_len),
                                     "C_SignFinal", out_len);
}

/* end asks for the length, and for the signature, at first perhaps with too little room. */
static CK_RV end(struct outcome *o, const struct side *x, const struct way *way, uint8_t *in,
                 size_t len)
{
    if (way->asks)
        o->query = last(x, way, in, len, NULL, &o->asked);
    if (way->room < 8) {
        o->len = way->room;
        o->small = last(x, way, in, len, o->bytes, &o->len);
        o->needed = o->len;
        if (o->small != CKR_BUFFER_TOO_SMALL)
            return o->small;
    }
    o->len = sizeof o->bytes;
    return last(x, way, in, len, o->bytes, &o->len);
}

void run_sign(struct outcome *o, const struct side *x, CK_MECHANISM mechanism,
              const struct way *way, uint8_t *in, size_t len)
{
    CK_ULONG none = 0;
    memset(o, 0, sizeof *o);
    o->init = p11->C_SignInit(x->session, &mechanism, x->key);
    if (o->init != CKR_OK)
        return;
    if (!way->is_whole)
        o->rv = pieces(x->session, p11->C_SignUpdate, way, in);
    if (o->rv == CKR_OK)
        o->rv = end(o, x, way, in, len);
    o->after = p11->C_SignFinal(x->session, NULL, &none);
    (void)p11->C_SessionCancel(x->session, CKF_SIGN);
}

static CK_RV verify_first(const struct side *x, CK_MECHANISM mechanism, const struct way *way,
                          uint8_t *in, size_t len, uint8_t *sig, size_t sig_len)
{
    CK_RV rv = p11->C_VerifySignatureInit(x->session, &mechanism, x->public, sig, sig_len);
    if (rv != CKR_OK || way->is_whole)
        return rv != CKR_OK ? rv : p11->C_VerifySignature(x->session, in, len);
    rv = pieces(x->session, p11->C_VerifySignatureUpdate, way, in);
    return rv != CKR_OK ? rv : p11->C_VerifySignatureFinal(x->session);
}

void run_verify(struct outcome *o, const struct side *x, CK_MECHANISM mechanism,
                const struct way *way, uint8_t *in, size_t len, uint8_t *sig, size_t sig_len)
{
    memset(o, 0, sizeof *o);
    if (way->is_first) {
        o->rv = verify_first(x, mechanism, way, in, len, sig, sig_len);
        o->after = p11->C_VerifySignature(x->session, in, len);
    } else {
        o->init = p11->C_VerifyInit(x->session, &mechanism, x->public);
        if (o->init != CKR_OK)
            return;
        if (way->is_whole)
            o->rv = p11->C_Verify(x->session, in, len, sig, sig_len);
        else if ((o->rv = pieces(x->session, p11->C_VerifyUpdate, way, in)) == CKR_OK)
            o->rv = p11->C_VerifyFinal(x->session, sig, sig_len);
        o->after = p11->C_VerifyFinal(x->session, sig, sig_len);
    }
    (void)p11->C_SessionCancel(x->session, CKF_VERIFY);
}

/* ---- MACs ---- */

void try_mac(const struct twin *twin)
{
    static struct outcome o[SIDES];
    const struct hr_algorithm *row = twin->row;
    const bool has_iv = twin->family->types[0] == CKM_AES_GMAC,
               is_cut = twin->family->types[1] && one_in(2);
    uint8_t text[MAX_TEXT], iv[70], sig[80];
    const size_t len = some_len();
    /* read as a parameter of any length up to 12 */
    CK_ULONG wanted[2] = { one_in(10) ? random_below(80) : 1 + random_below(row->out_len) };
    CK_MECHANISM mechanism = { twin->family->types[is_cut], NULL, 0 };
    random_bytes(text, sizeof text);
    random_bytes(iv, sizeof iv);
    if (is_cut)
        mechanism = (CK_MECHANISM){ mechanism.mechanism, wanted, sizeof *wanted };
    if (has_iv)
        mechanism =
            (CK_MECHANISM){ mechanism.mechanism, iv, one_in(2) ? 12 : random_below(sizeof iv) };
    if (one_in(30))
        mechanism = (CK_MECHANISM){ mechanism.mechanism, wanted, random_below(12) };
    struct way way = some_way(len);
    for (int i = 0; i < SIDES; i++)
        run_sign(&o[i], &sides[i], mechanism, &way, text, len);
    const bool is_fine = same(row->name, mechanism.mechanism, o);
    size_t sig_len = is_fine ? o[THERE].len : random_below(sizeof sig);
    memcpy(sig, o[THERE].bytes, sig_len);
    if (sig_len && one_in(3))
        sig[random_below((uint32_t)sig_len)] ^= 1;
    if (one_in(10))
        sig_len = random_below(sizeof sig);
    way = some_way(len);
    for (int i = 0; i < SIDES; i++)
        run_verify(&o[i], &sides[i], mechanism, &way, text, len, sig, sig_len);
    (void)same(row->name, mechanism.mechanism, o);
}

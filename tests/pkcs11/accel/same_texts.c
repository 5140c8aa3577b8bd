/* SPDX-License-Identifier: Apache-2.0 */
/* Texts under ciphers and AEADs, on both sides. */
#include "same.h"

typedef CK_RV text_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG, CK_BYTE *, CK_ULONG *);

/* ---- one text on one side ---- */

static void run_whole(struct outcome *o, const struct side *x, bool decrypts, const struct way *way,
                      uint8_t *in, size_t len)
{
    text_call *const call = decrypts ? p11->C_Decrypt : p11->C_Encrypt;
    uint8_t *const from = len || !way->drops_null ? in : NULL;
    if (way->asks)
        o->query = call(x->session, from, len, NULL, &o->asked);
    if (way->room != CK_UNAVAILABLE_INFORMATION) {
        o->needed = way->room;
        o->small = call(x->session, from, len, o->bytes, &o->needed);
        o->len = o->needed;
        o->rv = o->small;
    }
    if (way->room == CK_UNAVAILABLE_INFORMATION || o->small == CKR_BUFFER_TOO_SMALL) {
        if (way->in_place)
            memcpy(o->bytes, in, len);
        o->len = sizeof o->bytes;
        o->rv = call(x->session, way->in_place ? o->bytes : from, len, o->bytes, &o->len);
    }
}

static void run_pieces(struct outcome *o, const struct side *x, bool decrypts,
                       const struct way *way, uint8_t *in)
{
    text_call *const call = decrypts ? p11->C_DecryptUpdate : p11->C_EncryptUpdate;
    uint8_t piece[ROOM];
    CK_ULONG at = 0, part;
    o->rv = CKR_OK;
    for (size_t i = 0; i < way->num_cuts && o->rv == CKR_OK; at = way->cuts[i++]) {
        const CK_ULONG len = way->cuts[i] - at;
        if (way->in_place)
            memcpy(piece, in + at, len);
        part = sizeof piece;
        o->rv = call(x->session,
                     !len && way->drops_null ? NULL
                     : way->in_place         ? piece
                                             : in + at,
                     len, piece, &part);
        if (o->rv != CKR_OK)
            return;
        memcpy(o->bytes + o->len, piece, part);
        o->len += part;
    }
    part = sizeof o->bytes - o->len;
    o->rv = (decrypts ? p11->C_DecryptFinal : p11->C_EncryptFinal)(x->session, o->bytes + o->len,
                                                                   &part);
    o->len += o->rv == CKR_OK ? part : 0;
}

/* run processes a text; the last call finds out whether the operation has ended. */
static void run(struct outcome *o, const struct side *x, bool decrypts, CK_MECHANISM mechanism,
                const struct way *way, uint8_t *in, size_t len)
{
    CK_ULONG none = 0;
    memset(o, 0, sizeof *o);
    o->init = (decrypts ? p11->C_DecryptInit : p11->C_EncryptInit)(x->session, &mechanism, x->key);
    if (o->init != CKR_OK)
        return;
    if (way->is_whole)
        run_whole(o, x, decrypts, way, in, len);
    else
        run_pieces(o, x, decrypts, way, in);
    o->after = (decrypts ? p11->C_DecryptFinal : p11->C_EncryptFinal)(x->session, NULL, &none);
    (void)p11->C_SessionCancel(x->session, decrypts ? CKF_DECRYPT : CKF_ENCRYPT);
}

/* try_text encrypts a text on both sides, and decrypts what comes of it, which may be changed. */
static void try_text(const struct twin *twin, CK_MECHANISM mechanism, uint8_t *text, size_t len)
{
    static struct outcome o[SIDES];
    uint8_t sealed[ROOM];
    struct way way = some_way(len);
    for (int i = 0; i < SIDES; i++)
        run(&o[i], &sides[i], false, mechanism, &way, text, len);
    if (same(twin->row->name, mechanism.mechanism, o) && !one_in(8)) {
        len = o[THERE].len;
        memcpy(sealed, o[THERE].bytes, len);
        if (len && one_in(4))
            sealed[random_below((uint32_t)len)] ^= 1;
        if (len && one_in(10))
            len -= 1 + random_below((uint32_t)len);
    } else {
        memcpy(sealed, text, len);
    }
    way = some_way(len);
    for (int i = 0; i < SIDES; i++)
        run(&o[i], &sides[i], true, mechanism, &way, sealed, len);
    (void)same(twin->row->name, mechanism.mechanism, o);
}

/* ---- ciphers ---- */

void try_cipher(const struct twin *twin)
{
    const struct hr_algorithm *row = twin->row;
    const bool counts = row->mode == HR_MODE_CTR;
    uint8_t iv[32], text[MAX_TEXT];
    CK_AES_CTR_PARAMS counter = { .ulCounterBits = one_in(2) ? 128 : random_below(132) };
    size_t len = some_len(), iv_len = counts ? sizeof counter : row->iv_len;
    random_bytes(text, sizeof text);
    random_bytes(iv, sizeof iv);
    random_bytes(counter.cb, sizeof counter.cb);
    if (one_in(2))
        memset(counter.cb + 8, 0xff, 7);
    if (row->block_len > 1 && !one_in(6))
        len -= len % row->block_len;
    if (one_in(20))
        iv_len = random_below(sizeof iv);
    void *parameter = !iv_len ? NULL : counts ? (void *)&counter : iv;
    const CK_MECHANISM_TYPE type = twin->family->types[twin->family->types[1] && one_in(2)];
    try_text(twin, (CK_MECHANISM){ type, one_in(40) ? NULL : parameter, iv_len }, text, len);
}

/* ---- AEADs ---- */

/* These are where PKCS#11's limits are, and around. */
static CK_ULONG some_iv_len(CK_MECHANISM_TYPE type)
{
    if (one_in(10))
        return random_below(64);
    return type == CKM_AES_CCM ? 7 + random_below(7) : one_in(2) ? 12 : 1 + random_below(64);
}

static CK_ULONG some_tag_len(CK_MECHANISM_TYPE type)
{
    if (one_in(10))
        return random_below(20);
    return type == CKM_AES_CCM ? 4 + 2 * random_below(7) : 4 + random_below(13);
}

void try_aead(const struct twin *twin)
{
    const CK_MECHANISM_TYPE type = twin->family->types[0];
    uint8_t iv[64], aad[100], text[MAX_TEXT];
    const size_t len = some_len();
    const CK_ULONG iv_len = type == CKM_CHACHA20_POLY1305 && !one_in(10) ? 12 : some_iv_len(type),
                   aad_len = one_in(3) ? 0 : random_below(sizeof aad), tag_len = some_tag_len(type);
    random_bytes(text, sizeof text);
    random_bytes(iv, sizeof iv);
    random_bytes(aad, sizeof aad);
    CK_BYTE *const at = one_in(30) ? NULL : iv, *const more = one_in(30) || !aad_len ? NULL : aad;
    CK_GCM_PARAMS gcm = { at, iv_len, one_in(2) ? 0 : 8 * iv_len, more, aad_len, 8 * tag_len };
    CK_CCM_PARAMS ccm = { len, at, iv_len, more, aad_len, tag_len };
    CK_SALSA20_CHACHA20_POLY1305_PARAMS chacha = { at, iv_len, more, aad_len };
    if (one_in(20))
        gcm.ulTagBits += random_below(8);
    if (one_in(20))
        ccm.ulDataLen += 1 - random_below(3);
    CK_MECHANISM mechanism = { type, &chacha, sizeof chacha };
    if (type == CKM_AES_GCM)
        mechanism = (CK_MECHANISM){ type, &gcm, sizeof gcm };
    if (type == CKM_AES_CCM)
        mechanism = (CK_MECHANISM){ type, &ccm, sizeof ccm };
    if (one_in(40))
        mechanism.ulParameterLen -= 8;
    if (one_in(40))
        mechanism = (CK_MECHANISM){ type, NULL, 0 };
    try_text(twin, mechanism, text, len);
    try_messages(twin);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Digests, MACs, ciphers and authenticated encryption; each whole and in pieces. */
#include "module_vectors.h"

#define NOTHING ((struct list){ 0 })

/* The calls of a kind of operation on a text. */
typedef CK_RV text_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG, CK_BYTE *, CK_ULONG *);
typedef CK_RV end_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG *);
typedef CK_RV absorb_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG);

static size_t part_of(size_t left)
{
    const size_t part = random_below(random_below(2) ? 40 : 500);
    return part < left ? part : left;
}

static CK_RV absorb(absorb_call *update, const struct bytes *in)
{
    CK_RV rv = CKR_OK;
    for (size_t at = 0, part; at < in->len && rv == CKR_OK; at += part) {
        part = part_of(in->len - at);
        rv = update(s, in->p + at, part);
    }
    return rv;
}

/* ---- digests and MACs ---- */

enum vector_end run_p11_digest(const struct vector *v, const struct way *way)
{
    CK_MECHANISM mechanism = { way->type, NULL, 0 };
    uint8_t out[64];
    CK_ULONG len = sizeof out;
    REQUIRE(p11->C_DigestInit(s, &mechanism));
    CK_RV rv = p11->C_Digest(s, v->in.p, v->in.len, out, &len);
    judge(v, "C_Digest", rv, out, len, &v->out);
    REQUIRE(p11->C_DigestInit(s, &mechanism));
    REQUIRE(absorb(p11->C_DigestUpdate, &v->in));
    len = sizeof out;
    rv = p11->C_DigestFinal(s, out, &len);
    judge(v, "C_DigestFinal", rv, out, len, &v->out);
    return VECTOR_RAN;
}

/* verify_mac verifies the case's MAC; one of a case that must fail is wrong. */
static void verify_mac(const struct vector *v, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
    CK_RV rv = p11->C_VerifyInit(s, mechanism, key);
    if (rv == CKR_OK)
        rv = p11->C_Verify(s, v->in.p, v->in.len, v->out.p, v->out.len);
    judge(v, "C_Verify", rv, NULL, 0, NULL);
    if (v->result != MUST_WORK)
        return;
    REQUIRE(p11->C_VerifyInit(s, mechanism, key));
    REQUIRE(absorb(p11->C_VerifyUpdate, &v->in));
    judge(v, "C_VerifyFinal", p11->C_VerifyFinal(s, v->out.p, v->out.len), NULL, 0, NULL);
}

static enum vector_end check_mac(const struct vector *v, CK_MECHANISM *mechanism, CK_KEY_TYPE type)
{
    struct list t = BOOLS(CKA_SIGN, CKA_VERIFY);
    uint8_t out[64];
    CK_ULONG len = sizeof out;
    put_secret(&t, type, v->key.p, v->key.len);
    const CK_OBJECT_HANDLE key = import(v, t, "key");
    if (!key)
        return VECTOR_RAN;
    verify_mac(v, mechanism, key);
    if (v->result == MUST_WORK) {
        REQUIRE(p11->C_SignInit(s, mechanism, key));
        CK_RV rv = p11->C_Sign(s, v->in.p, v->in.len, out, &len);
        judge(v, "C_Sign", rv, out, len, &v->out);
        REQUIRE(p11->C_SignInit(s, mechanism, key));
        REQUIRE(absorb(p11->C_SignUpdate, &v->in));
        len = sizeof out;
        rv = p11->C_SignFinal(s, out, &len);
        judge(v, "C_SignFinal", rv, out, len, &v->out);
    }
    destroy(s, key);
    return VECTOR_RAN;
}

enum vector_end run_p11_hmac(const struct vector *v, const struct way *way)
{
    CK_ULONG len = v->out.len;
    CK_MECHANISM mechanism = { way->type, &len, sizeof len };
    if (!v->key.len)
        return skip("the module takes no key of no bytes");
    return check_mac(v, &mechanism, way->key_type);
}

enum vector_end run_p11_cmac(const struct vector *v, const struct way *way)
{
    struct vector of_tag = *v;
    if (v->tag.len)
        of_tag.out = v->tag;
    CK_ULONG len = of_tag.out.len;
    CK_MECHANISM mechanism = { way->type, &len, sizeof len };
    return check_mac(&of_tag, &mechanism, way->key_type);
}

enum vector_end run_p11_gmac(const struct vector *v, const struct way *way)
{
    CK_MECHANISM mechanism = { way->type, v->iv.p, v->iv.len };
    if (v->out.len != v->row->out_len)
        return skip("CKM_AES_GMAC has no shorter MACs");
    if (v->iv.len > 64)
        return skip("the module takes IVs of GMAC up to 64 bytes");
    return check_mac(v, &mechanism, way->key_type);
}

/* ---- ciphers ---- */

static const struct direction {
    const char *name, *in_pieces;
    size_t whole, update, final;
} directions[2] = {
    { "C_Encrypt", "C_EncryptFinal", offsetof(functions, C_Encrypt),
      offsetof(functions, C_EncryptUpdate), offsetof(functions, C_EncryptFinal) },
    { "C_Decrypt", "C_DecryptFinal", offsetof(functions, C_Decrypt),
      offsetof(functions, C_DecryptUpdate), offsetof(functions, C_DecryptFinal) },
};
#define CALL(type, place) (*(type *const *)(const void *)((const char *)p11 + (place)))

static CK_RV init(int decrypts, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
    return decrypts ? p11->C_DecryptInit(s, mechanism, key) : p11->C_EncryptInit(s, mechanism, key);
}

static CK_RV in_pieces(const struct direction *d, const struct bytes *in, uint8_t *out,
                       CK_ULONG room, CK_ULONG *out_len)
{
    CK_RV rv = CKR_OK;
    CK_ULONG written = 0;
    for (size_t at = 0, part; at < in->len && rv == CKR_OK; at += part) {
        CK_ULONG len = room - written;
        part = part_of(in->len - at);
        rv = CALL(text_call, d->update)(s, in->p + at, part, out + written, &len);
        written += rv == CKR_OK ? len : 0;
    }
    *out_len = room - written;
    if (rv == CKR_OK)
        rv = CALL(end_call, d->final)(s, out + written, out_len);
    *out_len += written;
    return rv;
}

/* crypt runs a case in one direction. */
static void crypt(const struct vector *v, int decrypts, CK_MECHANISM *mechanism,
                  CK_OBJECT_HANDLE key, const struct bytes *in, const struct bytes *wanted)
{
    const struct direction *d = &directions[decrypts];
    const CK_ULONG room = in->len + 64;
    uint8_t *out = malloc(room);
    const int has_pieces = mechanism->mechanism != CKM_AES_XTS &&
                           mechanism->mechanism != CKM_AES_KEY_WRAP &&
                           mechanism->mechanism != CKM_AES_KEY_WRAP_KWP;
    for (int pieces = 0; pieces <= has_pieces; pieces++) {
        CK_ULONG len = room;
        CK_RV rv = init(decrypts, mechanism, key);
        if (rv == CKR_OK)
            rv = pieces ? in_pieces(d, in, out, room, &len)
                        : CALL(text_call, d->whole)(s, in->p, in->len, out, &len);
        judge(v, pieces ? d->in_pieces : d->name, rv, out, len, wanted);
    }
    free(out);
}

static CK_OBJECT_HANDLE import_secret(const struct vector *v, CK_KEY_TYPE type)
{
    struct list t = BOOLS(CKA_ENCRYPT, CKA_DECRYPT);
    put_secret(&t, type, v->key.p, v->key.len);
    return import(v, t, "key");
}

static CK_MECHANISM_TYPE padded(CK_MECHANISM_TYPE type)
{
    return type == CKM_AES_CBC    ? CKM_AES_CBC_PAD
           : type == CKM_DES3_CBC ? CKM_DES3_CBC_PAD
           : type == CKM_DES_CBC  ? CKM_DES_CBC_PAD
                                  : CKM_CAMELLIA_CBC_PAD;
}

enum vector_end run_p11_cipher(const struct vector *v, const struct way *way)
{
    CK_AES_CTR_PARAMS counter = { .ulCounterBits = 128 };
    CK_MECHANISM mechanism = { v->pad ? padded(way->type) : way->type, v->iv.len ? v->iv.p : NULL,
                               v->iv.len };
    if (v->pad && v->row->mode != HR_MODE_CBC)
        return skip("PKCS#11 has no padding of ECB");
    if (v->row->mode == HR_MODE_CTR) {
        memcpy(counter.cb, v->iv.p, v->iv.len < 16 ? v->iv.len : 16);
        mechanism = (CK_MECHANISM){ way->type, &counter, sizeof counter };
    }
    const CK_OBJECT_HANDLE key = import_secret(v, way->key_type);
    if (!key)
        return VECTOR_RAN;
    if (strcmp(way->op, "decrypt"))
        crypt(v, 0, &mechanism, key, &v->in, &v->out);
    if (!strcmp(way->op, "decrypt"))
        crypt(v, 1, &mechanism, key, &v->in, &v->out);
    if (!strcmp(way->op, "both"))
        crypt(v, 1, &mechanism, key, &v->out, &v->in);
    destroy(s, key);
    return VECTOR_RAN;
}

/* ---- authenticated encryption: the tag follows the text ---- */

enum vector_end run_p11_aead(const struct vector *v, const struct way *way)
{
    CK_GCM_PARAMS gcm = { v->iv.p, v->iv.len, v->iv.len * 8, v->aad.p, v->aad.len, v->tag.len * 8 };
    CK_CCM_PARAMS ccm = { v->in.len, v->iv.p, v->iv.len, v->aad.p, v->aad.len, v->tag.len };
    CK_SALSA20_CHACHA20_POLY1305_PARAMS chacha = { v->iv.p, v->iv.len, v->aad.p, v->aad.len };
    const struct {
        CK_MECHANISM_TYPE type;
        void *parameter;
        CK_ULONG len;
    } forms[] = { { CKM_AES_GCM, &gcm, sizeof gcm },
                  { CKM_AES_CCM, &ccm, sizeof ccm },
                  { CKM_CHACHA20_POLY1305, &chacha, sizeof chacha } };
    CK_MECHANISM mechanism = { way->type, NULL, 0 };
    if (v->result == MUST_WORK && (v->tag.len < 4 || v->tag.len > 16))
        return skip("the module has no such short tags");
    if (way->type == CKM_AES_CCM && v->result != MUST_WORK)
        ccm.ulDataLen = v->out.len;
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        if (forms[i].type == way->type)
            mechanism = (CK_MECHANISM){ way->type, forms[i].parameter, forms[i].len };
    const CK_OBJECT_HANDLE key = import_secret(v, way->key_type);
    if (!key)
        return VECTOR_RAN;
    struct bytes sealed = { malloc(v->out.len + v->tag.len + 1), v->out.len + v->tag.len };
    memcpy(sealed.p, v->out.p, v->out.len);
    memcpy(sealed.p + v->out.len, v->tag.p, v->tag.len);
    if (v->result == MUST_WORK)
        crypt(v, 0, &mechanism, key, &v->in, &sealed);
    crypt(v, 1, &mechanism, key, &sealed, &v->in);
    if (v->result == MUST_WORK) { /* a wrong bit anywhere */
        struct vector forged = *v;
        forged.result = MUST_FAIL;
        sealed.p[random_below((uint32_t)sealed.len)] ^= (uint8_t)(1 << random_below(8));
        crypt(&forged, 1, &mechanism, key, &sealed, &v->in);
    }
    free(sealed.p);
    destroy(s, key);
    return VECTOR_RAN;
}

/* ---- key wrap, of any bytes ---- */

enum vector_end run_p11_wrap(const struct vector *v, const struct way *way)
{
    CK_MECHANISM mechanism = { way->type, v->iv.len ? v->iv.p : NULL, v->iv.len };
    const CK_OBJECT_HANDLE key = import_secret(v, way->key_type);
    if (!key)
        return VECTOR_RAN;
    if (v->result == MUST_WORK)
        crypt(v, 0, &mechanism, key, &v->in, &v->out);
    crypt(v, 1, &mechanism, key, &v->out, &v->in);
    destroy(s, key);
    return VECTOR_RAN;
}

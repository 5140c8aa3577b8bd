/* SPDX-License-Identifier: Apache-2.0 */
/* Agreement, signatures and encapsulation. */
#include "module_vectors.h"
#include <headrace/algorithms.h>

enum { MAX_SIGNATURE = 50176 };

/* ---- keys ---- */

static const struct {
    const uint8_t *params;
    size_t len;
} curves[] = {
    { (const uint8_t[]){ 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7 }, 10 },
    { (const uint8_t[]){ 6, 5, 0x2b, 0x81, 4, 0, 0x22 }, 7 },
    { (const uint8_t[]){ 6, 5, 0x2b, 0x81, 4, 0, 0x23 }, 7 },
    { (const uint8_t[]){ 6, 3, 0x2b, 0x65, 0x70 }, 5 },
    { (const uint8_t[]){ 6, 3, 0x2b, 0x65, 0x6e }, 5 },
};

static int is_curve(const struct way *way)
{
    return way->key_type == CKK_EC || way->key_type == CKK_EC_EDWARDS ||
           way->key_type == CKK_EC_MONTGOMERY;
}

static CK_OBJECT_HANDLE import_key(const struct vector *v, const struct way *way,
                                   CK_OBJECT_CLASS cls, struct list t)
{
    CK_ATTRIBUTE_TYPE value = CKA_VALUE;
    put_number(&t, CKA_CLASS, cls);
    put_number(&t, CKA_KEY_TYPE, way->key_type);
    if (is_curve(way)) {
        put_bytes(&t, CKA_EC_PARAMS, curves[way->parameter].params, curves[way->parameter].len);
        value = cls == CKO_PUBLIC_KEY ? CKA_EC_POINT : CKA_VALUE;
    } else {
        put_number(&t, CKA_PARAMETER_SET, way->parameter);
        if (cls == CKO_PRIVATE_KEY && v->key.len != v->row->key_len && v->key.len <= 64 &&
            way->key_type != CKK_SLH_DSA)
            value = CKA_SEED;
    }
    put_bytes(&t, value, v->key.p, v->key.len);
    return import(v, t, cls == CKO_PUBLIC_KEY ? "public key" : "private key");
}

/* take_value reads a key that was made, and destroys it. */
static CK_RV take_value(CK_OBJECT_HANDLE made, uint8_t *out, CK_ULONG *len)
{
    const CK_RV rv = get_value(s, made, out, len);
    destroy(s, made);
    return rv;
}

/* ---- agreement ---- */

static void agree(const struct vector *v, CK_MECHANISM_TYPE type, CK_OBJECT_HANDLE key)
{
    CK_ECDH1_DERIVE_PARAMS p = { CKD_NULL, 0, NULL, v->in.len, v->in.p };
    CK_MECHANISM mechanism = { type, &p, sizeof p };
    struct list t = BOOLS(NOT(CKA_SENSITIVE), CKA_EXTRACTABLE);
    uint8_t out[80] = { 0 };
    CK_ULONG len = sizeof out;
    CK_OBJECT_HANDLE made;
    put_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
    CK_RV rv = p11->C_DeriveKey(s, &mechanism, key, pointed(&t), t.num, &made);
    if (rv == CKR_OK)
        rv = take_value(made, out, &len);
    judge(v, "C_DeriveKey", rv, out, len, &v->out);
}

enum vector_end run_p11_agree(const struct vector *v, const struct way *way)
{
    const CK_OBJECT_HANDLE key = import_key(v, way, CKO_PRIVATE_KEY, BOOLS(CKA_DERIVE));
    if (!key)
        return VECTOR_RAN;
    agree(v, way->type, key);
    if (way->key_type == CKK_EC)
        agree(v, CKM_ECDH1_COFACTOR_DERIVE, key);
    destroy(s, key);
    return VECTOR_RAN;
}

/* ---- signatures ---- */

/* A parameter with a case's context, if it has one. */
struct parameter {
    CK_MECHANISM mechanism;
    CK_EDDSA_PARAMS eddsa;
    CK_SIGN_ADDITIONAL_CONTEXT context;
};

static void set_parameter(struct parameter *p, const struct vector *v, const struct way *way)
{
    const int is_deterministic = v->flags & HR_SIGN_DETERMINISTIC;
    p->eddsa = (CK_EDDSA_PARAMS){ CK_FALSE, v->info.len, v->info.p };
    p->context = (CK_SIGN_ADDITIONAL_CONTEXT){ is_deterministic ? CKH_DETERMINISTIC_REQUIRED
                                                                : CKH_HEDGE_PREFERRED,
                                               v->info.p, v->info.len };
    p->mechanism = (CK_MECHANISM){ way->type, NULL, 0 };
    if (way->type == CKM_EDDSA && (v->info.len || v->flags & HR_SIGN_CONTEXT))
        p->mechanism = (CK_MECHANISM){ way->type, &p->eddsa, sizeof p->eddsa };
    if (way->type == CKM_ML_DSA || way->type == CKM_SLH_DSA)
        p->mechanism = (CK_MECHANISM){ way->type, &p->context, sizeof p->context };
}

static CK_RV verify(const struct vector *v, struct parameter *p, CK_OBJECT_HANDLE key,
                    const struct bytes *sig)
{
    const CK_RV rv = p11->C_VerifyInit(s, &p->mechanism, key);
    return rv == CKR_OK ? p11->C_Verify(s, v->in.p, v->in.len, sig->p, sig->len) : rv;
}

static const char *cannot_sign(const struct vector *v)
{
    return v->flags & ~(uint32_t)(HR_SIGN_DETERMINISTIC | HR_SIGN_CONTEXT)
               ? "PKCS#11 has no signature of this form"
           : v->iv.len ? "C_Sign takes no random bytes"
                       : NULL;
}

static int has_der(const struct way *way)
{
    return strstr(way->op, "_der") != NULL;
}

/* plain_signature gives the case's signature as PKCS#11 has it; one that is not in DER becomes that
 * of no bytes. */
static struct bytes plain_signature(const struct vector *v, const struct way *way, uint8_t *room)
{
    const size_t len = v->row->out_len;
    if (!has_der(way))
        return v->tag;
    return (struct bytes){ room, hr_ecdsa_from_der(room, len, v->tag.p, v->tag.len) ? 0 : len };
}

enum vector_end run_p11_verify(const struct vector *v, const struct way *way)
{
    static uint8_t room[256];
    const struct bytes sig = plain_signature(v, way, room);
    struct parameter p;
    if (cannot_sign(v))
        return skip(cannot_sign(v));
    const CK_OBJECT_HANDLE key = import_key(v, way, CKO_PUBLIC_KEY, BOOLS(CKA_VERIFY));
    if (!key)
        return VECTOR_RAN;
    set_parameter(&p, v, way);
    judge(v, "C_Verify", verify(v, &p, key, &sig), NULL, 0, NULL);
    destroy(s, key);
    return VECTOR_RAN;
}

/* check_signature compares a signature with the case's, of which a digest may stand there; one
 * with a random nonce is verified in public.c's other cases. */
static void check_signature(const struct vector *v, const struct way *way, CK_RV rv,
                            const uint8_t *sig, size_t len)
{
    uint8_t digest[32], plain[256];
    if (v->out.len && rv == CKR_OK) {
        if (hr_digest(digest, HR_SHA256, sig, len))
            complain("no digest");
        judge(v, "C_Sign", rv, digest, sizeof digest, &v->out);
    } else {
        const struct bytes wanted = plain_signature(v, way, plain);
        const int is_random = way->type == CKM_ECDSA;
        judge(v, "C_Sign", rv, sig, len, is_random ? NULL : &wanted);
    }
}

enum vector_end run_p11_sign(const struct vector *v, const struct way *way)
{
    static uint8_t sig[MAX_SIGNATURE];
    CK_ULONG len = sizeof sig;
    struct parameter p;
    if (cannot_sign(v))
        return skip(cannot_sign(v));
    if ((way->type == CKM_ML_DSA || way->type == CKM_SLH_DSA) &&
        !(v->flags & HR_SIGN_DETERMINISTIC))
        return skip("signatures of this case are random");
    const CK_OBJECT_HANDLE key = import_key(v, way, CKO_PRIVATE_KEY, BOOLS(CKA_SIGN));
    if (!key)
        return VECTOR_RAN;
    set_parameter(&p, v, way);
    CK_RV rv = p11->C_SignInit(s, &p.mechanism, key);
    if (rv == CKR_OK)
        rv = p11->C_Sign(s, v->in.p, v->in.len, sig, &len);
    check_signature(v, way, rv, sig, len);
    destroy(s, key);
    return VECTOR_RAN;
}

/* ---- encapsulation ---- */

enum vector_end run_p11_decapsulate(const struct vector *v, const struct way *way)
{
    CK_MECHANISM mechanism = { way->type, NULL, 0 };
    struct list t = BOOLS(NOT(CKA_SENSITIVE), CKA_EXTRACTABLE);
    uint8_t out[64] = { 0 };
    CK_ULONG len = sizeof out;
    CK_OBJECT_HANDLE made;
    const CK_OBJECT_HANDLE key = import_key(v, way, CKO_PRIVATE_KEY, BOOLS(CKA_DECAPSULATE));
    if (!key)
        return VECTOR_RAN;
    put_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
    CK_RV rv =
        p11->C_DecapsulateKey(s, &mechanism, key, pointed(&t), t.num, v->in.p, v->in.len, &made);
    if (rv == CKR_OK)
        rv = take_value(made, out, &len);
    judge(v, "C_DecapsulateKey", rv, out, len, &v->out);
    destroy(s, key);
    return VECTOR_RAN;
}

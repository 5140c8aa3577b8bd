/* SPDX-License-Identifier: Apache-2.0 */
/* Keys on curves, and those of ML-DSA and SLH-DSA, which sign in the same way. */
#include "der.h"
#include "pk.h"
#include <headrace/algorithms.h>

enum { MAX_NUMBER = 66 };

/* The NIST curves by their OIDs of SEC 2, the others by those of RFC 8410 and the names of PKCS#11.
 */
static const struct pk_curve curves[] = {
    { CKK_EC,
      HR_ECDSA_P256,
      HR_ECDH_P256,
      32,
      "secp256r1",
      { 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7 },
      10 },
    { CKK_EC, HR_ECDSA_P384, HR_ECDH_P384, 48, "secp384r1", { 6, 5, 0x2b, 0x81, 4, 0, 0x22 }, 7 },
    { CKK_EC, HR_ECDSA_P521, HR_ECDH_P521, 66, "secp521r1", { 6, 5, 0x2b, 0x81, 4, 0, 0x23 }, 7 },
    { CKK_EC_EDWARDS, HR_ED25519, HR_ALG_NONE, 32, "edwards25519", { 6, 3, 0x2b, 0x65, 0x70 }, 5 },
    { CKK_EC_MONTGOMERY, HR_ALG_NONE, HR_X25519, 32, "curve25519", { 6, 3, 0x2b, 0x65, 0x6e }, 5 },
};

static bool is_named(const struct pk_curve *curve, const struct hr_number *params)
{
    const size_t len = strlen(curve->name);
    if (params->len == curve->oid_len && !memcmp(params->bytes, curve->oid, params->len))
        return true;
    return params->len == len + 2 && params->bytes[1] == len &&
           (params->bytes[0] == DER_PRINTABLE_STRING || params->bytes[0] == DER_UTF8_STRING) &&
           !memcmp(params->bytes + 2, curve->name, len);
}

const struct pk_curve *pk_curve_of(const struct pk_source *from)
{
    const struct hr_number params = pk_value(from, CKA_EC_PARAMS);
    for (size_t i = 0; i < COUNT(curves) && params.len; i++)
        if (curves[i].type == from->type && is_named(&curves[i], &params))
            return &curves[i];
    return NULL;
}

const struct pk_curve *pk_curve_of_oid(const struct hr_number *oid)
{
    for (size_t i = 0; i < COUNT(curves); i++)
        if (curves[i].oid_len == oid->len + 2 && !memcmp(curves[i].oid + 2, oid->bytes, oid->len))
            return &curves[i];
    return NULL;
}

/* A point of a NIST curve has another length than one in a string, and so have the others. */
struct hr_number pk_point_of(const struct pk_curve *curve, struct hr_number point)
{
    const size_t whole = curve->type == CKK_EC ? 2 * curve->len + 1 : curve->len;
    const size_t head = whole < 128 ? 2 : 3; /* its length has one byte, or two */
    if (point.len < head || point.len == whole)
        return point;
    const uint8_t *at = point.bytes;
    const size_t len = head == 2 ? at[1] : at[2];
    if ((head == 3 && at[1] != 0x81) || len != point.len - head)
        return point;
    if (at[0] == DER_OCTET_STRING)
        return (struct hr_number){ at + head, len };
    if (at[0] == DER_BIT_STRING && len && !at[head])
        return (struct hr_number){ at + head + 1, len - 1 };
    return point;
}

/* PKCS#11 3.0 wants the point of any curve in DER; 3.1 wants the bytes for Ed25519 and X25519.  All
 * programs read an OCTET STRING, and older GnuTLS, OpenSC, libp11 and pkcs11-provider nothing else.
 */
RV pk_show_point(struct module *m, struct draft *draft, const struct pk_source *from)
{
    const struct pk_curve *curve = pk_curve_of(from);
    uint8_t der[3 + 1 + 2 * MAX_NUMBER];
    struct der_writer w = { .begin = der, .at = der + sizeof der };
    if (!curve || from->cls != CKO_PUBLIC_KEY)
        return CKR_OK;
    const struct hr_number point = pk_point_of(curve, pk_value(from, CKA_EC_POINT));
    der_string(&w, DER_OCTET_STRING, &point);
    return w.full ? CKR_ATTRIBUTE_VALUE_INVALID
                  : draft_add(m, draft, CKA_EC_POINT, w.at, (size_t)(der + sizeof der - w.at));
}

/* ---- makers ---- */

/* The private number of a NIST curve may have any length. */
static int init_private(void *key, const struct pk_curve *curve, const struct hr_number *value,
                        bool signs)
{
    uint8_t number[MAX_NUMBER];
    int error = HR_EKEYLEN;
    if (curve->type == CKK_EC ? pk_fit(number, curve->len, value) : value->len == curve->len) {
        const uint8_t *bytes = curve->type == CKK_EC ? number : value->bytes;
        error = signs ? hr_sign_key_init(key, curve->signs, bytes, curve->len)
                      : hr_agree_key_init(key, curve->agrees, bytes, curve->len);
    }
    WIPE(&number);
    return error;
}

static RV make_curve_signer(struct module *m, const struct pk_source *from, void **form,
                            hr_alg *alg)
{
    const struct pk_curve *curve = pk_curve_of(from);
    if (!curve || !curve->signs)
        return CKR_CURVE_NOT_SUPPORTED;
    *alg = curve->signs;
    *form = secret_new(m, hr_sign_key_size(*alg));
    if (!*form)
        return CKR_HOST_MEMORY;
    if (from->cls == CKO_PRIVATE_KEY) {
        const struct hr_number value = pk_value(from, CKA_VALUE);
        return pk_finish_make(m, form, init_private(*form, curve, &value, true));
    }
    const struct hr_number point = pk_point_of(curve, pk_value(from, CKA_EC_POINT));
    return pk_finish_make(m, form, hr_sign_key_init_public(*form, *alg, point.bytes, point.len));
}

/* seed_and_value returns what makes a private key of a lattice: its value, its seed, or both. */
static RV seed_and_value(struct module *m, const struct pk_source *from, uint8_t **bytes,
                         size_t *len)
{
    const struct hr_number seed = pk_value(from, CKA_SEED), value = pk_value(from, CKA_VALUE);
    *len = seed.len + value.len;
    if (!*len)
        return CKR_TEMPLATE_INCOMPLETE;
    *bytes = secret_new(m, *len);
    if (!*bytes)
        return CKR_HOST_MEMORY;
    if (seed.len)
        memcpy(*bytes, seed.bytes, seed.len);
    if (value.len)
        memcpy(*bytes + seed.len, value.bytes, value.len);
    return CKR_OK;
}

/* make_of_set makes a key of a parameter set by the library's calls of its class. */
static RV make_of_set(struct module *m, const struct pk_source *from, void **form, hr_alg *alg,
                      size_t size_of(hr_alg alg),
                      int init(void *key, hr_alg alg, const uint8_t *bytes, size_t len),
                      int init_public(void *key, hr_alg alg, const uint8_t *bytes, size_t len))
{
    *alg = pk_set_of(from);
    if (!*alg)
        return CKR_PARAMETER_SET_NOT_SUPPORTED;
    *form = secret_new(m, size_of(*alg));
    if (!*form)
        return CKR_HOST_MEMORY;
    if (from->cls != CKO_PRIVATE_KEY) {
        const struct hr_number value = pk_value(from, CKA_VALUE);
        return pk_finish_make(m, form, init_public(*form, *alg, value.bytes, value.len));
    }
    uint8_t *bytes = NULL;
    size_t len;
    const CK_RV rv = seed_and_value(m, from, &bytes, &len);
    if (rv != CKR_OK) {
        secret_free(m, *form);
        *form = NULL;
        return rv;
    }
    const int error = init(*form, *alg, bytes, len);
    secret_free(m, bytes);
    return pk_finish_make(m, form, error);
}

static int sign_init(void *key, hr_alg alg, const uint8_t *bytes, size_t len)
{
    return hr_sign_key_init(key, alg, bytes, len);
}

static int sign_init_public(void *key, hr_alg alg, const uint8_t *bytes, size_t len)
{
    return hr_sign_key_init_public(key, alg, bytes, len);
}

static int kem_init(void *key, hr_alg alg, const uint8_t *bytes, size_t len)
{
    return hr_kem_key_init(key, alg, bytes, len);
}

static int kem_init_public(void *key, hr_alg alg, const uint8_t *bytes, size_t len)
{
    return hr_kem_key_init_public(key, alg, bytes, len);
}

CK_RV pk_make_signer(struct module *m, const struct pk_source *from, void **form, hr_alg *alg)
{
    return from->type == CKK_EC || from->type == CKK_EC_EDWARDS
               ? make_curve_signer(m, from, form, alg)
               : make_of_set(m, from, form, alg, hr_sign_key_size, sign_init, sign_init_public);
}

CK_RV pk_make_kem(struct module *m, const struct pk_source *from, void **form, hr_alg *alg)
{
    return make_of_set(m, from, form, alg, hr_kem_key_size, kem_init, kem_init_public);
}

/* A public key that agrees is only looked at: the peer's comes with the mechanism. */
CK_RV pk_make_agreer(struct module *m, const struct pk_source *from, void **form, hr_alg *alg)
{
    const struct pk_curve *curve = pk_curve_of(from);
    if (!curve || !curve->agrees)
        return CKR_CURVE_NOT_SUPPORTED;
    *alg = curve->agrees;
    *form = NULL;
    if (from->cls == CKO_PUBLIC_KEY) {
        const struct hr_number point = pk_point_of(curve, pk_value(from, CKA_EC_POINT));
        return error_of(hr_agree_check(*alg, point.bytes, point.len));
    }
    const struct hr_number value = pk_value(from, CKA_VALUE);
    *form = secret_new(m, hr_agree_key_size(*alg));
    return *form ? pk_finish_make(m, form, init_private(*form, curve, &value, false))
                 : CKR_HOST_MEMORY;
}

/* ---- ECDSA ---- */

CK_RV pk_sign_ecdsa(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    return error_of(hr_sign(out, out_len, in, len, op->form, NULL));
}

CK_RV pk_verify_ecdsa(struct op *op, const CK_BYTE *in, size_t len, const CK_BYTE *sig,
                      size_t sig_len)
{
    return pk_verdict(hr_verify(sig, sig_len, in, len, op->form, NULL), sig_len,
                      hr_algorithm(op->alg)->out_len);
}

PK_FORM(signer_form, pk_make_signer)

static RV ecdsa_init(struct op *op, const CK_MECHANISM *mechanism)
{
    return no_parameter(mechanism);
}

static size_t row_size(const struct op *op, size_t len, enum op_stage stage)
{
    return hr_algorithm(op->alg)->out_len;
}

const struct engine engine_ecdsa = { .init = ecdsa_init,
                                     .form = signer_form,
                                     .size = row_size,
                                     .whole = pk_sign_ecdsa,
                                     .prepare = pk_prepare,
                                     .verify = pk_verify_ecdsa };
const struct engine engine_ecdsa_hashed = {
    .init = ecdsa_init, .form = signer_form, .size = row_size, PK_HASHED
};

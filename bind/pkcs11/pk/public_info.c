/* SPDX-License-Identifier: Apache-2.0 */
/* CKA_PUBLIC_KEY_INFO of public and private keys: a SubjectPublicKeyInfo (RFC 5280), with the keys
 * of RFC 8017, RFC 3279, RFC 5480 and RFC 8410; of ML-DSA, ML-KEM and SLH-DSA those of RFC 9881,
 * RFC 9935 and RFC 9909. */
#include "der.h"
#include "pk.h"

enum { MOST_PUBLIC = 2592 }; /* bytes that a private key of the library has of its public key */

/* ---- the public key, in bytes ---- */

/* bytes_of_private gets the public key of a private one in the library's form. */
static int bytes_of_private(uint8_t *out, size_t *len, CK_KEY_TYPE type, const void *key)
{
    switch (type) {
    case CKK_DSA:
        return hr_dsa_public(out, len, key);
    case CKK_DH:
        return hr_dh_public(out, len, key);
    case CKK_EC_MONTGOMERY:
        return hr_agree_key_public(out, len, key);
    case CKK_ML_KEM:
        return hr_kem_key_public(out, len, key);
    default:
        return hr_sign_key_public(out, len, key);
    }
}

/* bytes_of_public gets it from the attributes of a public key. */
static struct hr_number bytes_of_public(const struct pk_source *from)
{
    const struct pk_curve *curve = pk_curve_of(from);
    return curve ? pk_point_of(curve, pk_value(from, CKA_EC_POINT)) : pk_value(from, CKA_VALUE);
}

/* ---- as DER ---- */

static void write_key(struct der_writer *w, const struct pk_source *from,
                      const struct hr_number *bytes)
{
    const uint8_t *end = w->at;
    if (from->type == CKK_RSA) {
        const struct hr_number n = pk_value(from, CKA_MODULUS),
                               e = pk_value(from, CKA_PUBLIC_EXPONENT);
        der_integer(w, &e);
        der_integer(w, &n);
        der_wrap(w, DER_SEQUENCE, end);
    } else if (from->type == CKK_DSA || from->type == CKK_DH) {
        der_integer(w, bytes);
    } else {
        der_put(w, bytes->bytes, bytes->len);
    }
    der_put(w, "", 1); /* a zero: no bits of the last byte are unused */
    der_wrap(w, DER_BIT_STRING, end);
}

static RV write_info(struct der_writer *w, const struct pk_source *from, const void *key)
{
    uint8_t public[MOST_PUBLIC];
    size_t len = sizeof public;
    struct hr_number bytes = { public, 0 };
    if (from->cls == CKO_PUBLIC_KEY) {
        bytes = bytes_of_public(from);
    } else if (from->type != CKK_RSA) {
        const int error = bytes_of_private(public, &len, from->type, key);
        if (error)
            return error_of(error);
        bytes.len = len;
    }
    const uint8_t *end = w->at;
    write_key(w, from, &bytes);
    pk_write_algorithm(w, from);
    der_wrap(w, DER_SEQUENCE, end);
    return w->full ? CKR_DEVICE_MEMORY : CKR_OK;
}

/* key_in returns the BIT STRING of a SubjectPublicKeyInfo, or nothing. */
static struct hr_number key_in(struct hr_number info)
{
    struct der_reader whole = der_read(info), parts = der_read(der_take(&whole, DER_SEQUENCE));
    (void)der_take(&parts, DER_SEQUENCE);
    const struct hr_number key = der_take(&parts, DER_BIT_STRING);
    return der_ended(&whole) && der_ended(&parts) ? key : (struct hr_number){ NULL, 0 };
}

/* is_of tells whether an info that a template has is of the same key.  The numbers of RSA, DSA and
 * DH say which key it is, in whatever words the algorithm is named; others have one name, and a
 * point would be another key on another curve. */
static bool is_of(CK_KEY_TYPE type, struct hr_number given, struct hr_number info)
{
    if (type == CKK_RSA || type == CKK_DSA || type == CKK_DH) {
        given = key_in(given);
        info = key_in(info);
    }
    return given.len == info.len && !memcmp(given.bytes, info.bytes, info.len);
}

/* pk_add_info adds CKA_PUBLIC_KEY_INFO. */
RV pk_add_info(struct module *m, struct draft *draft, const struct pk_source *from, const void *key)
{
    uint8_t *room = secret_new(m, MAX_SECRET);
    if (!room)
        return CKR_HOST_MEMORY;
    struct der_writer w = { .begin = room, .at = room + MAX_SECRET };
    const struct hr_number given = pk_value(from, CKA_PUBLIC_KEY_INFO);
    CK_RV rv = write_info(&w, from, key);
    const struct hr_number info = { w.at, (size_t)(room + MAX_SECRET - w.at) };
    if (rv == CKR_OK && !given.len)
        rv = draft_add(m, draft, CKA_PUBLIC_KEY_INFO, info.bytes, info.len);
    else if (rv == CKR_OK && !is_of(from->type, given, info))
        rv = CKR_ATTRIBUTE_VALUE_INVALID;
    secret_free(m, room);
    return rv;
}

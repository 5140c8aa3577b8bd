/* SPDX-License-Identifier: Apache-2.0 */
/* Public keys in DER (X.690): RFC 3279, RFC 5480, RFC 8410, RFC 9881. */
#include "der.h"
#include "pk_key.h"
#include <headrace/algorithms.h>
#include <headrace/classes.h>
#include <string.h>

enum { PUBLIC = 2592 }; /* bytes of the longest public key of a row of signatures */

/* The AlgorithmIdentifiers. */
static const struct identifier {
    uint16_t alg; /* 0: RSA */
    uint8_t len, der[21];
} identifiers[] = {
    { 0, 15, "\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00" },
    { HR_ECDSA_P256, 21,
      "\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07" },
    { HR_ECDSA_P384, 18,
      "\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\x00\x22" },
    { HR_ECDSA_P521, 18,
      "\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\x00\x23" },
    { HR_ED25519, 7, "\x30\x05\x06\x03\x2b\x65\x70" },
    { HR_MLDSA44, 13, "\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x11" },
    { HR_MLDSA65, 13, "\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x12" },
    { HR_MLDSA87, 13, "\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x13" },
};

static const struct identifier *identifier_of(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    const unsigned wanted = row && row->cls == HR_CLASS_RSA ? 0 : (unsigned)alg;
    for (size_t i = 0; row && i < sizeof identifiers / sizeof *identifiers; i++)
        if (identifiers[i].alg == wanted)
            return &identifiers[i];
    return NULL;
}

static int put_public(struct der *d, hr_alg alg, const void *key, const struct pk_parts *parts)
{
    if (hr_algorithm(alg)->cls == HR_CLASS_RSA) {
        const uint8_t *end = d->at;
        der_integer(d, &parts->at[1]);
        der_integer(d, &parts->at[0]);
        der_wrap(d, DER_SEQUENCE, end);
        return 0;
    }
    uint8_t bytes[PUBLIC];
    size_t len = sizeof bytes;
    const int error = hr_sign_key_public(bytes, &len, key);
    if (!error)
        der_put(d, bytes, len);
    return error;
}

int pk_spki(uint8_t *out, size_t *out_len, hr_alg alg, const void *key,
            const struct pk_parts *parts)
{
    struct der d = der_begin(out, *out_len);
    const uint8_t *end = d.end;
    const struct identifier *id = identifier_of(alg);
    const int error = id ? put_public(&d, alg, key, parts) : HR_EALG;
    if (error)
        return error;
    der_byte(&d, 0); /* unused bits */
    der_wrap(&d, DER_BIT_STRING, end);
    der_put(&d, id->der, id->len);
    der_wrap(&d, DER_SEQUENCE, end);
    return der_finish(&d, out, out_len);
}

int pk_reference(uint8_t *out, size_t *out_len, const char *name, const uint8_t *spki,
                 size_t spki_len)
{
    struct der d = der_begin(out, *out_len);
    const uint8_t *end = d.end;
    der_put(&d, spki, spki_len);
    const uint8_t *behind = d.at;
    der_put(&d, name, strlen(name));
    der_wrap(&d, DER_UTF8_STRING, behind);
    behind = d.at;
    der_byte(&d, 1);
    der_wrap(&d, DER_INTEGER, behind);
    der_wrap(&d, DER_SEQUENCE, end);
    return der_finish(&d, out, out_len);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Private keys as they are wrapped: PKCS#8 (RFC 5958), with the keys of RFC 8017, RFC 5915, RFC
 * 8410 and PKCS#3; of ML-DSA, ML-KEM and SLH-DSA those of RFC 9881, RFC 9935 and RFC 9909. */
#include "der.h"
#include "pk.h"
#include <headrace/algorithms.h>

static const struct hr_number zero = { (const uint8_t *)"", 1 }, one = { (const uint8_t *)"\1", 1 };

/* A draft that gets the attributes of a key, and what was wrong first. */
struct target {
    struct module *m;
    struct draft *draft;
    CK_RV rv;
};

/* put adds an attribute.  A template may have it already, with the same value. */
static void put(struct target *t, CK_ATTRIBUTE_TYPE type, struct hr_number n)
{
    const CK_ATTRIBUTE *has = draft_find(t->draft, type);
    if (t->rv != CKR_OK)
        return;
    if (has && (has->ulValueLen != n.len || memcmp(has->pValue, n.bytes, n.len)))
        t->rv = CKR_TEMPLATE_INCONSISTENT;
    else if (!has)
        t->rv = draft_add(t->m, t->draft, type, n.bytes, n.len);
}

/* ---- RSA, DSA, DH: numbers ---- */

static const CK_ATTRIBUTE_TYPE rsa_numbers[] = { CKA_MODULUS,          CKA_PUBLIC_EXPONENT,
                                                 CKA_PRIVATE_EXPONENT, CKA_PRIME_1,
                                                 CKA_PRIME_2,          CKA_EXPONENT_1,
                                                 CKA_EXPONENT_2,       CKA_COEFFICIENT };
static const CK_ATTRIBUTE_TYPE dsa_group[] = { CKA_PRIME, CKA_SUBPRIME, CKA_BASE },
                               dh_group[] = { CKA_PRIME, CKA_BASE };

static void write_numbers(struct der_writer *w, const struct pk_source *from,
                          const CK_ATTRIBUTE_TYPE *types, size_t num)
{
    while (num--) {
        const struct hr_number n = pk_value(from, types[num]);
        der_integer(w, &n);
    }
}

static void read_numbers(struct der_reader *r, struct target *t, const CK_ATTRIBUTE_TYPE *types,
                         size_t num)
{
    for (size_t i = 0; i < num; i++) {
        const struct hr_number n = der_take_integer(r);
        if (!r->failed)
            put(t, types[i], n);
    }
}

static void write_rsa(struct der_writer *w, const struct pk_source *from)
{
    const uint8_t *end = w->at;
    write_numbers(w, from, rsa_numbers, COUNT(rsa_numbers));
    der_integer(w, &zero);
    der_wrap(w, DER_SEQUENCE, end);
}

static void read_rsa(struct der_reader *r, struct target *t)
{
    struct der_reader key = der_read(der_take(r, DER_SEQUENCE));
    const struct hr_number version = der_take_integer(&key);
    read_numbers(&key, t, rsa_numbers, COUNT(rsa_numbers));
    r->failed |= !der_ended(&key) || version.bytes[0];
}

static void write_x(struct der_writer *w, const struct pk_source *from)
{
    static const CK_ATTRIBUTE_TYPE x[] = { CKA_VALUE };
    write_numbers(w, from, x, 1);
}

static void read_x(struct der_reader *r, struct target *t)
{
    static const CK_ATTRIBUTE_TYPE x[] = { CKA_VALUE };
    read_numbers(r, t, x, 1);
}

static void write_null(struct der_writer *w, const struct pk_source *from)
{
    const struct hr_number none = { (const uint8_t *)"", 0 };
    der_string(w, DER_NULL, &none);
}

static void read_null(struct der_reader *r, struct target *t)
{
    if (der_peek(r))
        (void)der_take(r, DER_NULL);
}

static void write_dsa_group(struct der_writer *w, const struct pk_source *from)
{
    const uint8_t *end = w->at;
    write_numbers(w, from, dsa_group, COUNT(dsa_group));
    der_wrap(w, DER_SEQUENCE, end);
}

static void read_dsa_group(struct der_reader *r, struct target *t)
{
    struct der_reader group = der_read(der_take(r, DER_SEQUENCE));
    read_numbers(&group, t, dsa_group, COUNT(dsa_group));
    r->failed |= !der_ended(&group);
}

static void write_dh_group(struct der_writer *w, const struct pk_source *from)
{
    const uint8_t *end = w->at;
    write_numbers(w, from, dh_group, COUNT(dh_group));
    der_wrap(w, DER_SEQUENCE, end);
}

/* The length of private numbers may follow. */
static void read_dh_group(struct der_reader *r, struct target *t)
{
    struct der_reader group = der_read(der_take(r, DER_SEQUENCE));
    read_numbers(&group, t, dh_group, COUNT(dh_group));
    if (der_peek(&group))
        (void)der_take_integer(&group);
    r->failed |= !der_ended(&group);
}

/* ---- curves ---- */

static void write_curve(struct der_writer *w, const struct pk_source *from)
{
    const struct pk_curve *curve = pk_curve_of(from);
    der_put(w, curve->oid, curve->oid_len);
}

static void read_curve(struct der_reader *r, struct target *t)
{
    const uint8_t *at = r->at;
    (void)der_take(r, DER_OID);
    if (!r->failed)
        put(t, CKA_EC_PARAMS, (struct hr_number){ at, (size_t)(r->at - at) });
}

static void write_ec(struct der_writer *w, const struct pk_source *from)
{
    const uint8_t *end = w->at;
    const struct hr_number x = pk_value(from, CKA_VALUE);
    der_string(w, DER_OCTET_STRING, &x);
    der_integer(w, &one);
    der_wrap(w, DER_SEQUENCE, end);
}

/* The curve and the public key may follow. */
static void read_ec(struct der_reader *r, struct target *t)
{
    struct der_reader key = der_read(der_take(r, DER_SEQUENCE));
    const struct hr_number version = der_take_integer(&key), x = der_take(&key, DER_OCTET_STRING);
    r->failed |= key.failed || version.bytes[0] != 1;
    if (!r->failed)
        put(t, CKA_VALUE, x);
}

static void write_string(struct der_writer *w, const struct pk_source *from)
{
    const struct hr_number value = pk_value(from, CKA_VALUE);
    der_string(w, DER_OCTET_STRING, &value);
}

static void read_string(struct der_reader *r, struct target *t)
{
    const struct hr_number value = der_take(r, DER_OCTET_STRING);
    if (!r->failed)
        put(t, CKA_VALUE, value);
}

/* ---- parameter sets ---- */

static void write_raw(struct der_writer *w, const struct pk_source *from)
{
    const struct hr_number value = pk_value(from, CKA_VALUE);
    der_put(w, value.bytes, value.len);
}

static void read_raw(struct der_reader *r, struct target *t)
{
    put(t, CKA_VALUE, (struct hr_number){ r->at, (size_t)(r->end - r->at) });
    r->at = r->end;
}

/* The seed alone, where there is one, else the key. */
static void write_lattice(struct der_writer *w, const struct pk_source *from)
{
    const struct hr_number seed = pk_value(from, CKA_SEED);
    if (seed.len)
        der_string(w, DER_CONTEXT, &seed);
    else
        write_string(w, from);
}

static void read_lattice(struct der_reader *r, struct target *t)
{
    const uint8_t tag = der_peek(r);
    if (tag == DER_OCTET_STRING) {
        read_string(r, t);
    } else if (tag == DER_CONTEXT) {
        const struct hr_number seed = der_take(r, DER_CONTEXT);
        if (!r->failed)
            put(t, CKA_SEED, seed);
    } else {
        struct der_reader both = der_read(der_take(r, DER_SEQUENCE));
        const struct hr_number seed = der_take(&both, DER_OCTET_STRING);
        read_string(&both, t);
        r->failed |= !der_ended(&both);
        if (!r->failed)
            put(t, CKA_SEED, seed);
    }
}

/* ---- all types ---- */

typedef void write_part(struct der_writer *w, const struct pk_source *from);
typedef void read_part(struct der_reader *r, struct target *t);

/* The OID of keys of parameter sets and of RFC 8410 is that of the set or curve: it has no bytes
 * here. */
static const struct codec {
    CK_KEY_TYPE type;
    write_part *write_group, *write_key;
    read_part *read_group, *read_key;
    uint8_t oid_len, oid[9];
} codecs[] = {
    { CKK_RSA,
      write_null,
      write_rsa,
      read_null,
      read_rsa,
      9,
      { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1 } },
    { CKK_EC,
      write_curve,
      write_ec,
      read_curve,
      read_ec,
      7,
      { 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1 } },
    { CKK_DSA,
      write_dsa_group,
      write_x,
      read_dsa_group,
      read_x,
      7,
      { 0x2a, 0x86, 0x48, 0xce, 0x38, 4, 1 } },
    { CKK_DH,
      write_dh_group,
      write_x,
      read_dh_group,
      read_x,
      9,
      { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 3, 1 } },
    { CKK_EC_EDWARDS, NULL, write_string, NULL, read_string, 0, { 0 } },
    { CKK_EC_MONTGOMERY, NULL, write_string, NULL, read_string, 0, { 0 } },
    { CKK_ML_DSA, NULL, write_lattice, NULL, read_lattice, 0, { 0 } },
    { CKK_ML_KEM, NULL, write_lattice, NULL, read_lattice, 0, { 0 } },
    { CKK_SLH_DSA, NULL, write_raw, NULL, read_raw, 0, { 0 } },
};

static const struct codec *codec_of(CK_KEY_TYPE type)
{
    for (size_t i = 0; i < COUNT(codecs); i++)
        if (codecs[i].type == type)
            return &codecs[i];
    return NULL;
}

/* ---- writing ---- */

void pk_write_algorithm(struct der_writer *w, const struct pk_source *from)
{
    const struct codec *codec = codec_of(from->type);
    const uint8_t *end = w->at;
    uint8_t set[PK_SET_OID_LEN];
    struct hr_number oid = { codec->oid, codec->oid_len };
    if (codec->write_group)
        codec->write_group(w, from);
    if (codec->oid_len) {
        der_string(w, DER_OID, &oid);
    } else if (pk_curve_of(from)) {
        write_curve(w, from);
    } else {
        pk_set_oid(set, pk_set_of(from));
        oid = (struct hr_number){ set, sizeof set };
        der_string(w, DER_OID, &oid);
    }
    der_wrap(w, DER_SEQUENCE, end);
}

RV pk_encode(struct module *m, const struct object *key, uint8_t *out, size_t *len)
{
    const struct pk_source from = pk_of_object(key);
    const struct codec *codec = codec_of(key->key_type);
    if (!codec)
        return CKR_KEY_NOT_WRAPPABLE;
    struct der_writer w = { .begin = out, .at = out + *len };
    const uint8_t *end = w.at;
    codec->write_key(&w, &from);
    der_wrap(&w, DER_OCTET_STRING, end);
    pk_write_algorithm(&w, &from);
    der_integer(&w, &zero);
    der_wrap(&w, DER_SEQUENCE, end);
    const size_t written = (size_t)(end - w.at);
    memmove(out, w.at, written);
    wipe_bytes(out + written, *len - written);
    *len = written;
    return w.full ? CKR_KEY_NOT_WRAPPABLE : CKR_OK;
}

/* ---- reading ---- */

/* find_codec finds the type of keys with an OID, and adds the parameter set or curve if that is
 * what the OID says. */
static const struct codec *find_codec(struct target *t, const struct hr_number *oid)
{
    for (size_t i = 0; i < COUNT(codecs); i++)
        if (codecs[i].oid_len && codecs[i].oid_len == oid->len &&
            !memcmp(codecs[i].oid, oid->bytes, oid->len))
            return &codecs[i];
    CK_KEY_TYPE type;
    CK_ULONG set;
    const struct pk_curve *curve = pk_curve_of_oid(oid);
    if (curve && curve->type != CKK_EC) {
        put(t, CKA_EC_PARAMS, (struct hr_number){ curve->oid, curve->oid_len });
        return codec_of(curve->type);
    }
    if (!pk_set_of_oid(oid, &type, &set))
        return NULL;
    put(t, CKA_PARAMETER_SET, (struct hr_number){ (const uint8_t *)&set, sizeof set });
    return codec_of(type);
}

static RV read_key(struct target *t, struct der_reader *info)
{
    const struct hr_number version = der_take_integer(info);
    struct der_reader algorithm = der_read(der_take(info, DER_SEQUENCE));
    struct der_reader key = der_read(der_take(info, DER_OCTET_STRING));
    const struct hr_number oid = der_take(&algorithm, DER_OID);
    if (info->failed || algorithm.failed || version.len != 1 || version.bytes[0] > 1)
        return CKR_WRAPPED_KEY_INVALID;
    const struct codec *codec = find_codec(t, &oid);
    if (!codec)
        return CKR_WRAPPED_KEY_INVALID;
    put(t, CKA_KEY_TYPE, (struct hr_number){ (const uint8_t *)&codec->type, sizeof codec->type });
    if (codec->read_group)
        codec->read_group(&algorithm, t);
    codec->read_key(&key, t);
    return der_ended(&key) && der_ended(&algorithm) ? t->rv : CKR_WRAPPED_KEY_INVALID;
}

/* Attributes and the public key may follow in it. */
RV pk_decode(struct module *m, struct draft *draft, const uint8_t *in, size_t len)
{
    struct target t = { m, draft, CKR_OK };
    struct der_reader whole = der_read((struct hr_number){ in, len });
    struct der_reader info = der_read(der_take(&whole, DER_SEQUENCE));
    return der_ended(&whole) ? read_key(&t, &info) : CKR_WRAPPED_KEY_INVALID;
}

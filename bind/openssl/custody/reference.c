/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes come from a file that anybody may have written.  Only DER is accepted (X.690 section
 * 10): definite lengths, as short as possible, and no byte that is left over. */
#include "reference.h"
#include "../../common.h"
#include <headrace/algorithms.h>

enum {
    INTEGER = 0x02,
    BIT_STRING = 0x03,
    NULL_TAG = 0x05,
    OID = 0x06,
    UTF8 = 0x0c,
    SEQUENCE = 0x30
};

/* ---- DER ---- */

/* take_len reads the length at *in and goes behind it.  It returns 1 or 0. */
static int take_len(struct reference_bytes *in, size_t *len)
{
    if (!in->len)
        return 0;
    const uint8_t first = *in->at++;
    in->len--;
    *len = first;
    if (first < 0x80)
        return 1;
    const size_t num = first & 0x7f;
    if (num < 1 || num > 2 || num > in->len)
        return 0;
    *len = num == 1 ? in->at[0] : (size_t)in->at[0] << 8 | in->at[1];
    in->at += num;
    in->len -= num;
    return *len >= (num == 1 ? 0x80u : 0x100u);
}

/* take reads the element of this tag at *in, and goes behind it.  It returns 1 or 0. */
static int take(struct reference_bytes *out, struct reference_bytes *in, uint8_t tag)
{
    struct reference_bytes rest = *in;
    size_t len;
    if (!rest.len || *rest.at != tag)
        return 0;
    rest.at++;
    rest.len--;
    if (!take_len(&rest, &len) || len > rest.len)
        return 0;
    *out = (struct reference_bytes){ rest.at, len };
    *in = (struct reference_bytes){ rest.at + len, rest.len - len };
    return 1;
}

/* take_positive reads an INTEGER above 0, without its leading zero. */
static int take_positive(struct reference_bytes *out, struct reference_bytes *in)
{
    if (!take(out, in, INTEGER) || !out->len || *out->at & 0x80)
        return 0;
    if (*out->at)
        return 1;
    out->at++;
    out->len--;
    return out->len && *out->at & 0x80;
}

static int is(const struct reference_bytes *bytes, const uint8_t *other, size_t len)
{
    return bytes->len == len && !memcmp(bytes->at, other, len);
}

/* ---- algorithms: RFC 8017 appendix C, RFC 5480 section 2.1.1, RFC 8410, RFC 9881 ---- */

enum parameters { NONE, NULL_VALUE, CURVE };

static const struct kind {
    uint8_t oid_len, oid[9];
    uint8_t parameters, curve_len, curve[8];
    uint16_t alg; /* HR_ALG_NONE: RSA, of any length */
} kinds[] = {
    { 9, { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1 }, NULL_VALUE, 0, { 0 }, HR_ALG_NONE },
    { 7,
      { 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1 },
      CURVE,
      8,
      { 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7 },
      HR_ECDSA_P256 },
    { 7,
      { 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1 },
      CURVE,
      5,
      { 0x2b, 0x81, 4, 0, 34 },
      HR_ECDSA_P384 },
    { 7,
      { 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1 },
      CURVE,
      5,
      { 0x2b, 0x81, 4, 0, 35 },
      HR_ECDSA_P521 },
    { 3, { 0x2b, 0x65, 0x70 }, NONE, 0, { 0 }, HR_ED25519 },
    { 9, { 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 17 }, NONE, 0, { 0 }, HR_MLDSA44 },
    { 9, { 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 18 }, NONE, 0, { 0 }, HR_MLDSA65 },
    { 9, { 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 19 }, NONE, 0, { 0 }, HR_MLDSA87 },
};

static int has_parameters(const struct kind *kind, struct reference_bytes in)
{
    struct reference_bytes value = { NULL, 0 };
    const int good = kind->parameters == NONE ? 1
                     : kind->parameters == NULL_VALUE
                         ? take(&value, &in, NULL_TAG) && !value.len
                         : take(&value, &in, OID) && is(&value, kind->curve, kind->curve_len);
    return good && !in.len;
}

static const struct kind *kind_of(struct reference_bytes identifier)
{
    struct reference_bytes oid;
    if (!take(&oid, &identifier, OID))
        return NULL;
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (is(&oid, kinds[i].oid, kinds[i].oid_len) && has_parameters(&kinds[i], identifier))
            return &kinds[i];
    return NULL;
}

/* ---- public keys ---- */

/* rsa_row returns the row of the least modulus that has as many bytes, as jobs of RSA have it. */
static hr_alg rsa_row(size_t bytes)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_RSA && row->out_len >= bytes)
            return row->alg;
    return HR_ALG_NONE;
}

/* parse_rsa reads RSAPublicKey (RFC 8017 appendix A.1.1). */
static int parse_rsa(struct reference *out, struct reference_bytes in)
{
    struct reference_bytes pair;
    if (!take(&pair, &in, SEQUENCE) || in.len || !take_positive(&out->public, &pair) ||
        !take_positive(&out->exponent, &pair) || pair.len)
        return 0;
    for (unsigned first = *out->public.at; first; first >>= 1)
        out->bits++;
    out->bits += 8 * (unsigned)(out->public.len - 1);
    out->alg = rsa_row(out->public.len);
    return out->bits >= 1024 && out->bits <= RSA_MOST_BITS &&
           out->exponent.len <= sizeof(uint64_t) && out->alg != HR_ALG_NONE;
}

/* parse_other: a point is not compressed (RFC 5480 section 2.2). */
static int parse_other(struct reference *out, struct reference_bytes in, hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    out->alg = alg;
    out->public = in;
    return row && in.len == row->public_len;
}

static int parse_spki(struct reference *out, struct reference_bytes in)
{
    struct reference_bytes spki, identifier, bits;
    out->spki = in;
    if (in.len > REFERENCE_MAX || !take(&spki, &in, SEQUENCE) || in.len ||
        !take(&identifier, &spki, SEQUENCE) || !take(&bits, &spki, BIT_STRING) || spki.len ||
        !bits.len || *bits.at)
        return 0;
    const struct kind *kind = kind_of(identifier);
    const struct reference_bytes whole = { bits.at + 1, bits.len - 1 };
    if (!kind)
        return 0;
    return kind->alg == HR_ALG_NONE ? parse_rsa(out, whole) : parse_other(out, whole, kind->alg);
}

/* ---- names ---- */

int reference_name_is_fine(const char *name, size_t len)
{
    if (!len || len >= REFERENCE_NAME || *name == '.')
        return 0;
    for (size_t i = 0; i < len; i++) {
        const char c = name[i];
        const int is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-')
            return 0;
    }
    return 1;
}

/* ---- references ---- */

int reference_parse(struct reference *out, const uint8_t *der, size_t len)
{
    static const uint8_t one[] = { 1 };
    struct reference_bytes in = { der, len }, whole, version, name;
    *out = (struct reference){ .bits = 0 };
    if (!take(&whole, &in, SEQUENCE) || in.len || !take(&version, &whole, INTEGER) ||
        !is(&version, one, sizeof one) || !take(&name, &whole, UTF8) ||
        !reference_name_is_fine((const char *)name.at, name.len))
        return 0;
    memcpy(out->name, name.at, name.len);
    return parse_spki(out, whole);
}

/* put writes a tag and a length in front of `at`, and returns where they begin. */
static uint8_t *put(uint8_t *at, uint8_t tag, size_t len)
{
    *--at = (uint8_t)len;
    if (len >= 0x100)
        *--at = (uint8_t)(len >> 8);
    if (len >= 0x80)
        *--at = len >= 0x100 ? 0x82 : 0x81;
    *--at = tag;
    return at;
}

/* reference_write writes from the end, since a length stands in front of what it counts. */
size_t reference_write(uint8_t out[REFERENCE_ROOM], const char *name, const uint8_t *spki,
                       size_t spki_len)
{
    const size_t name_len = strlen(name);
    uint8_t *const end = out + REFERENCE_ROOM, *at = end;
    if (!reference_name_is_fine(name, name_len) || !spki_len || spki_len > REFERENCE_MAX)
        return 0;
    memcpy(at -= spki_len, spki, spki_len);
    memcpy(at -= name_len, name, name_len);
    at = put(at, UTF8, name_len);
    *--at = 1;
    at = put(at, INTEGER, 1);
    at = put(at, SEQUENCE, (size_t)(end - at));
    const size_t len = (size_t)(end - at);
    memmove(out, at, len);
    return len;
}

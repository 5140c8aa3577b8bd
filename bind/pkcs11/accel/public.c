/* SPDX-License-Identifier: Apache-2.0 */
#include "public.h"
#include "../../common.h"
#include <headrace/algorithms.h>
#include <headrace/rsa.h>

enum { INTEGER = 0x02, BIT_STRING = 0x03, SEQUENCE = 0x30 };
enum { MIN_RSA = 128, MAX_RSA = 2048 }; /* bytes */

/* ---- DER ---- */

/* take takes the element with this tag off the beginning of *in. */
static bool take(struct bytes *out, struct bytes *in, uint8_t tag)
{
    if (in->len < 2 || in->at[0] != tag)
        return false;
    size_t len = in->at[1], head = 2;
    if (len & 0x80) {
        const size_t num = len & 0x7f;
        head += num;
        if (num < 1 || num > 2 || in->len < head)
            return false;
        len = 0;
        for (size_t i = 2; i < head; i++)
            len = len << 8 | in->at[i];
        if (len < (num == 1 ? 0x80u : 0x100u)) /* a longer form than needed */
            return false;
    }
    if (len > in->len - head)
        return false;
    *out = (struct bytes){ in->at + head, len };
    in->at += head + len;
    in->len -= head + len;
    return true;
}

/* take_positive takes an INTEGER above 0, without its leading zero. */
static bool take_positive(struct bytes *out, struct bytes *in)
{
    if (!take(out, in, INTEGER) || !out->len || out->at[0] >= 0x80)
        return false;
    const bool has_zero = !out->at[0];
    out->at += has_zero;
    out->len -= has_zero;
    return !has_zero || (out->len && out->at[0] >= 0x80);
}

/* ---- algorithms ---- */

/* An AlgorithmIdentifier, in which CKA_EC_PARAMS lies at `curve`. */
static const struct kind {
    CK_KEY_TYPE type;
    uint16_t alg; /* 0: RSA */
    uint8_t parameter_set, curve, len, der[21];
} kinds[] = {
    { CKK_RSA, 0, 0, 0, 15, "\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00" },
    { CKK_EC, HR_ECDSA_P256, 0, 11, 21,
      "\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07" },
    { CKK_EC, HR_ECDSA_P384, 0, 11, 18,
      "\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\x00\x22" },
    { CKK_EC, HR_ECDSA_P521, 0, 11, 18,
      "\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\x00\x23" },
    { CKK_EC_EDWARDS, HR_ED25519, 0, 2, 7, "\x30\x05\x06\x03\x2b\x65\x70" },
    { CKK_ML_DSA, HR_MLDSA44, CKP_ML_DSA_44, 0, 13,
      "\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x11" },
    { CKK_ML_DSA, HR_MLDSA65, CKP_ML_DSA_65, 0, 13,
      "\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x12" },
    { CKK_ML_DSA, HR_MLDSA87, CKP_ML_DSA_87, 0, 13,
      "\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x13" },
};

static const struct kind *kind_of(const struct hr_algorithm *row)
{
    const unsigned wanted = row->cls == HR_CLASS_RSA ? 0 : (unsigned)row->alg;
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (kinds[i].alg == wanted)
            return &kinds[i];
    return NULL;
}

static bool parse_rsa(struct public_key *out, struct bytes in)
{
    struct bytes pair;
    return take(&pair, &in, SEQUENCE) && !in.len && take_positive(&out->n, &pair) &&
           take_positive(&out->e, &pair) && !pair.len && out->n.len >= MIN_RSA &&
           out->n.len <= MAX_RSA && out->e.len <= sizeof(uint64_t);
}

bool public_parse(struct public_key *out, hr_alg alg, const uint8_t *spki, size_t len)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    const struct kind *kind = row ? kind_of(row) : NULL;
    struct bytes in = { spki, len }, whole, bits;
    if (!kind || !take(&whole, &in, SEQUENCE) || in.len || whole.len < kind->len ||
        memcmp(whole.at, kind->der, kind->len))
        return false;
    whole.at += kind->len;
    whole.len -= kind->len;
    if (!take(&bits, &whole, BIT_STRING) || whole.len || !bits.len || bits.at[0])
        return false;
    const struct bytes key = { bits.at + 1, bits.len - 1 };
    *out = (struct public_key){ .type = kind->type,
                                .alg = alg,
                                .parameter_set = kind->parameter_set,
                                .curve = { kind->der + kind->curve, kind->len - kind->curve },
                                .bytes = key };
    return kind->type == CKK_RSA ? parse_rsa(out, key) : key.len == row->public_len;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "key_terms.h"
#include <headrace/algorithms.h>
#include <headrace/classes.h>
#include <headrace/queue.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The digests that a key's signatures and encryptions may have, with the contents of their object
 * identifiers (RFC 8017 appendix B.1; NIST's registry). */
static const struct digest {
    hr_alg alg;
    uint8_t oid_len, oid[9];
} digests[] = {
#define NIST(alg, last)                                          \
    {                                                            \
        alg, 9,                                                  \
        {                                                        \
            0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, last \
        }                                                        \
    }
    { HR_SHA1, 5, { 0x2b, 0x0e, 0x03, 0x02, 0x1a } },
    NIST(HR_SHA256, 1),
    NIST(HR_SHA384, 2),
    NIST(HR_SHA512, 3),
    NIST(HR_SHA224, 4),
    NIST(HR_SHA512_224, 5),
    NIST(HR_SHA512_256, 6),
    NIST(HR_SHA3_224, 7),
    NIST(HR_SHA3_256, 8),
    NIST(HR_SHA3_384, 9),
    NIST(HR_SHA3_512, 10),
};
enum { NUM_DIGESTS = sizeof digests / sizeof *digests };
#define BY_DEFAULT (1 << 1 | 1 << 2 | 1 << 3) /* SHA-256, SHA-384, SHA-512 */

static const struct padding {
    const char *word;
    uint8_t padding, op;
} paddings[] = {
    { "pkcs1", HR_RSA_PKCS1, HR_JOB_SIGN },       { "pss", HR_RSA_PSS, HR_JOB_SIGN },
    { "pkcs1", HR_RSA_PKCS1, HR_JOB_PK_DECRYPT }, { "oaep", HR_RSA_OAEP, HR_JOB_PK_DECRYPT },
    { "tls", HR_RSA_TLS, HR_JOB_PK_DECRYPT },
};

/* ---- a key file's lines ---- */

int key_terms_padding(struct lines *l, const struct line *line, struct key_terms *terms)
{
    const char *list = line->value;
    for (char word[16]; lines_word(&list, word, sizeof word);) {
        const uint8_t before = terms->paddings;
        for (size_t i = 0; i < sizeof paddings / sizeof *paddings; i++)
            if (!strcmp(word, paddings[i].word))
                terms->paddings |= (uint8_t)(1 << paddings[i].padding);
        if (terms->paddings == before)
            return lines_error(l, "a padding must be pkcs1, pss, oaep or tls, and stand once");
    }
    return terms->paddings ? 0 : lines_error(l, "no padding is named");
}

int key_terms_digest(struct lines *l, const struct line *line, struct key_terms *terms)
{
    const char *list = line->value;
    for (char word[32]; lines_word(&list, word, sizeof word);) {
        unsigned i = 0;
        while (i < NUM_DIGESTS && strcasecmp(hr_algorithm(digests[i].alg)->name, word))
            i++;
        if (i == NUM_DIGESTS)
            return lines_error(l, "no digest for keys has this name: %s", word);
        terms->digests |= (uint16_t)(1 << i);
    }
    return terms->digests ? 0 : lines_error(l, "no digest is named");
}

const char *key_terms_padding_word(unsigned padding)
{
    for (size_t i = 0; i < sizeof paddings / sizeof *paddings; i++)
        if (paddings[i].padding == padding)
            return paddings[i].word;
    return "?";
}

static unsigned paddings_of(uint8_t op)
{
    unsigned all = 0;
    for (size_t i = 0; i < sizeof paddings / sizeof *paddings; i++)
        if (paddings[i].op == op)
            all |= 1u << paddings[i].padding;
    return all;
}

static int complete_rsa(struct lines *l, struct key_terms *terms)
{
    const bool signs = terms->op == HR_JOB_SIGN;
    if (terms->paddings & ~paddings_of(terms->op))
        return lines_error(l, "a key to %s has the paddings %s", signs ? "sign" : "decrypt",
                           signs ? "pkcs1 and pss" : "oaep, pkcs1 and tls");
    /* Equal results of both would tell a client whether the padding of its text is right. */
    if (!(~terms->paddings & (1 << HR_RSA_PKCS1 | 1 << HR_RSA_TLS)))
        return lines_error(l, "pkcs1 and tls are for two keys");
    if (!terms->paddings)
        terms->paddings = signs ? 1 << HR_RSA_PKCS1 | 1 << HR_RSA_PSS : 1 << HR_RSA_OAEP;
    return 0;
}

/* takes_digests tells whether messages of this row are digests. */
static bool takes_digests(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_RSA || row->alg == HR_ECDSA_P256 || row->alg == HR_ECDSA_P384 ||
           row->alg == HR_ECDSA_P521;
}

int key_terms_complete(struct lines *l, struct key_terms *terms, const struct hr_algorithm *row,
                       unsigned uses)
{
    const bool rsa = row->cls == HR_CLASS_RSA;
    if (uses != HR_USE_SIGN && !(rsa && uses == HR_USE_DECRYPT))
        return lines_error(l, "a key of %s has one use: %s", row->name,
                           rsa ? "sign or decrypt" : "sign");
    terms->op = uses == HR_USE_SIGN ? HR_JOB_SIGN : HR_JOB_PK_DECRYPT;
    if (!rsa && terms->paddings)
        return lines_error(l, "%s has no padding", row->name);
    if (!takes_digests(row) && terms->digests)
        return lines_error(l, "%s signs messages, and no digests", row->name);
    if (takes_digests(row) && !terms->digests)
        terms->digests = BY_DEFAULT;
    return rsa ? complete_rsa(l, terms) : 0;
}

/* ---- what is allowed ---- */

bool key_terms_have_digest(const struct key_terms *terms, hr_alg digest)
{
    for (unsigned i = 0; i < NUM_DIGESTS; i++)
        if (digests[i].alg == digest)
            return terms->digests >> i & 1;
    return false;
}

unsigned key_terms_digests(const struct key_terms *terms, uint16_t *out, unsigned most)
{
    unsigned num = 0;
    for (unsigned i = 0; i < NUM_DIGESTS && num < most; i++)
        if (terms->digests >> i & 1)
            out[num++] = (uint16_t)digests[i].alg;
    return num;
}

bool key_terms_have_length(const struct key_terms *terms, size_t len)
{
    for (unsigned i = 0; i < NUM_DIGESTS; i++)
        if (terms->digests >> i & 1 && hr_algorithm(digests[i].alg)->out_len == len)
            return true;
    return !terms->digests;
}

bool key_terms_allow_rsa(const struct key_terms *terms, const struct hr_rsa_options *o)
{
    if (o->raise_errors || (unsigned)o->padding > HR_RSA_TLS ||
        !(terms->paddings & paddings_of(terms->op) & 1u << o->padding))
        return false;
    if (terms->op == HR_JOB_PK_DECRYPT && o->padding != HR_RSA_OAEP)
        return true;
    return key_terms_have_digest(terms, o->digest) &&
           (!o->mgf_digest || key_terms_have_digest(terms, o->mgf_digest));
}

hr_alg key_terms_digest_info(const uint8_t *bytes, size_t len, size_t *at)
{
    for (unsigned i = 0; i < NUM_DIGESTS; i++) {
        const struct digest *d = &digests[i];
        const uint8_t digest_len = (uint8_t)hr_algorithm(d->alg)->out_len;
        const uint8_t head[] = { 0x30, (uint8_t)(d->oid_len + 8 + digest_len),
                                 0x30, (uint8_t)(d->oid_len + 4),
                                 0x06, d->oid_len };
        const uint8_t tail[] = { 0x05, 0x00, 0x04, digest_len };
        *at = sizeof head + d->oid_len + sizeof tail;
        if (len == *at + digest_len && !memcmp(bytes, head, sizeof head) &&
            !memcmp(bytes + sizeof head, d->oid, d->oid_len) &&
            !memcmp(bytes + sizeof head + d->oid_len, tail, sizeof tail))
            return d->alg;
    }
    return HR_ALG_NONE;
}

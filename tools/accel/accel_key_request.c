/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel key request: a certificate request (RFC 2986) for a key, signed with the key of
 * its file. The administrator's program signs it, and not the service: it is the one signature that
 * a key to decrypt has to make. */
#define _GNU_SOURCE
#include "../../accel/config/der.h"
#include "../../accel/public_key.h"
#include "accel_key.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REQUEST = 16 << 10, MOST_NAMES = 64, MOST_VALUE = 256 };

/* ---- the subject: attributes such as CN=example.org,O=Example ---- */

/* The last bytes of the attributes' identifiers, 2.5.4.x (RFC 4514 section 3). */
static const struct attribute {
    const char *word;
    uint8_t id;
} attributes[] = { { "CN", 3 }, { "C", 6 }, { "L", 7 }, { "ST", 8 }, { "O", 10 }, { "OU", 11 } };

static void put_attribute(struct der *d, const struct attribute *a, const char *value, size_t len)
{
    const uint8_t *end = d->at, id[] = { 0x55, 0x04, a->id };
    der_string(d, a->id == 6 ? DER_PRINTABLE_STRING : DER_UTF8_STRING, value, len);
    der_string(d, DER_OID, id, sizeof id);
    der_wrap(d, DER_SEQUENCE, end);
    der_wrap(d, DER_SET, end);
}

static const struct attribute *attribute_of(const char *word, size_t len)
{
    for (size_t i = 0; i < COUNT(attributes); i++)
        if (strlen(attributes[i].word) == len && !strncmp(attributes[i].word, word, len))
            return &attributes[i];
    return NULL;
}

/* Puts the attributes from the last one on. A value may have a comma after a backslash. */
static int put_subject(struct der *d, const char *subject)
{
    const char *at[MOST_NAMES + 1];
    size_t num = 0;
    for (const char *p = subject; p && *p && num < MOST_NAMES; num++) {
        at[num] = p;
        for (p++; *p && (*p != ',' || p[-1] == '\\'); p++)
            ;
        p += *p == ',';
        at[num + 1] = p;
    }
    for (size_t i = num; i--;) {
        char value[MOST_VALUE];
        size_t len = 0;
        const char *equals = memchr(at[i], '=', (size_t)(at[i + 1] - at[i]));
        const struct attribute *a = equals ? attribute_of(at[i], (size_t)(equals - at[i])) : NULL;
        if (!a)
            return tool_usage("accel key request: a subject is a list such as "
                              "CN=example.org,O=Example, of CN, O, OU, L, ST and C");
        const char *end = at[i + 1] - (i + 1 < num);
        for (const char *p = equals + 1; p < end && len < sizeof value; p++)
            if (*p != '\\' || p[1] != ',')
                value[len++] = *p;
        if (!len || len == sizeof value || (a->id == 6 && len != 2))
            return tool_usage("accel key request: %s has a wrong length", a->word);
        put_attribute(d, a, value, len);
    }
    return EXIT_SUCCESS;
}

/* ---- the host names: an extension in an attribute (RFC 2985 section 5.4.2, RFC 5280) ---- */

enum { DNS_NAME = 0x82 };

/* Puts the names of a list, from the last one on. */
static void put_list(struct der *d, const char *names)
{
    char name[MOST_VALUE];
    if (!lines_word(&names, name, sizeof name))
        return;
    put_list(d, names);
    der_string(d, DNS_NAME, name, strlen(name));
}

static void put_names(struct der *d, const char *names)
{
    static const uint8_t extension_request[] = { 0x2a, 0x86, 0x48, 0x86, 0xf7,
                                                 0x0d, 0x01, 0x09, 0x0e },
                         alternative_name[] = { 0x55, 0x1d, 0x11 };
    const uint8_t *end = d->at;
    if (names) {
        put_list(d, names);
        der_wrap(d, DER_SEQUENCE, end);
        der_wrap(d, DER_OCTET_STRING, end);
        der_string(d, DER_OID, alternative_name, sizeof alternative_name);
        der_wrap(d, DER_SEQUENCE, end);
        der_wrap(d, DER_SEQUENCE, end);
        der_wrap(d, DER_SET, end);
        der_string(d, DER_OID, extension_request, sizeof extension_request);
        der_wrap(d, DER_SEQUENCE, end);
    }
    der_wrap(d, DER_CONTEXT, end);
}

/* ---- the signature ---- */

/* The signatures of requests (RFC 4055, RFC 5758, RFC 8410, RFC 9881). */
static const struct signature {
    hr_alg alg, digest; /* HR_ALG_NONE: of RSA; the message itself is signed */
    bool pss;
    uint8_t len;
    const char *der; /* AlgorithmIdentifier */
} signatures[] = {
    { HR_ALG_NONE, HR_SHA256, false, 15,
      "\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0b\x05\x00" },
    { HR_ALG_NONE, HR_SHA256, true, 67,
      "\x30\x41\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0a\x30\x34\xa0\x0f\x30\x0d\x06\x09\x60"
      "\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\xa1\x1c\x30\x1a\x06\x09\x2a\x86\x48\x86\xf7\x0d"
      "\x01\x01\x08\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\xa2\x03\x02\x01"
      "\x20" },
    { HR_ECDSA_P256, HR_SHA256, false, 12, "\x30\x0a\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x02" },
    { HR_ECDSA_P384, HR_SHA384, false, 12, "\x30\x0a\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x03" },
    { HR_ECDSA_P521, HR_SHA512, false, 12, "\x30\x0a\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x04" },
    { HR_ED25519, HR_ALG_NONE, false, 7, "\x30\x05\x06\x03\x2b\x65\x70" },
    { HR_MLDSA44, HR_ALG_NONE, false, 13, "\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x11" },
    { HR_MLDSA65, HR_ALG_NONE, false, 13, "\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x12" },
    { HR_MLDSA87, HR_ALG_NONE, false, 13, "\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x13" },
};

/* A key to sign signs its request by a padding of its terms. */
static const struct signature *signature_of(const struct named_key *key)
{
    const bool rsa = key->alg >> 8 == HR_CLASS_RSA;
    const bool pss =
        rsa && key->terms.op == HR_JOB_SIGN && !(key->terms.paddings >> HR_RSA_PKCS1 & 1);
    for (size_t i = 0; i < COUNT(signatures); i++)
        if (signatures[i].alg == (rsa ? (hr_alg)HR_ALG_NONE : key->alg) && signatures[i].pss == pss)
            return &signatures[i];
    return NULL;
}

static int sign_bytes(uint8_t *sig, size_t *len, const struct signature *s, const uint8_t *in,
                      size_t in_len, const struct key_opened *k)
{
    const struct hr_rsa_options options = { .padding = s->pss ? HR_RSA_PSS : HR_RSA_PKCS1,
                                            .digest = s->digest,
                                            .salt_len = HR_RSA_SALT_DIGEST };
    if (s->alg == HR_ALG_NONE)
        return hr_rsa_sign(sig, len, in, in_len, &k->object.rsa, &options);
    uint8_t raw[PK_RESULT];
    size_t raw_len = sizeof raw;
    const int error = hr_sign(raw, &raw_len, in, in_len, &k->object.sign, NULL);
    if (error)
        return error;
    if (s->digest) /* ECDSA */
        return hr_ecdsa_to_der(sig, len, raw, raw_len);
    memcpy(sig, raw, raw_len);
    *len = raw_len;
    return 0;
}

static int sign(uint8_t *sig, size_t *len, const struct signature *s, const uint8_t *in,
                size_t in_len, const struct key_opened *k)
{
    uint8_t digest[HR_DIGEST_MAX_OUT];
    if (!s->digest)
        return sign_bytes(sig, len, s, in, in_len, k);
    const int error = hr_digest(digest, s->digest, in, in_len);
    return error ? error : sign_bytes(sig, len, s, digest, hr_algorithm(s->digest)->out_len, k);
}

/* ---- the request ---- */

static int make_info(uint8_t *out, size_t *out_len, const struct key_opened *k)
{
    struct der d = der_begin(out, *out_len);
    put_names(&d, key_settings.names);
    der_put(&d, k->spki, k->spki_len);
    const uint8_t *end = d.at;
    const int code = put_subject(&d, key_settings.subject ? key_settings.subject : "");
    if (code)
        return code;
    der_wrap(&d, DER_SEQUENCE, end);
    der_string(&d, DER_INTEGER, "", 1); /* version 0 */
    der_wrap(&d, DER_SEQUENCE, d.end);
    return der_finish(&d, out, out_len) ? tool_error("the request is too long") : EXIT_SUCCESS;
}

static int make_request(uint8_t *out, size_t *out_len, const uint8_t *info, size_t info_len,
                        const struct key_opened *k)
{
    const struct signature *s = signature_of(&k->key);
    uint8_t sig[PK_RESULT];
    size_t sig_len = sizeof sig;
    const int error = s ? sign(sig, &sig_len, s, info, info_len, k) : HR_EALG;
    if (error)
        return tool_error("no signature: %s", hr_strerror(error));
    struct der d = der_begin(out, *out_len);
    der_put(&d, sig, sig_len);
    der_byte(&d, 0); /* unused bits */
    der_wrap(&d, DER_BIT_STRING, d.end);
    der_put(&d, s->der, s->len);
    der_put(&d, info, info_len);
    der_wrap(&d, DER_SEQUENCE, d.end);
    return der_finish(&d, out, out_len) ? tool_error("the request is too long") : EXIT_SUCCESS;
}

int key_request_main(const char *name)
{
    static struct key_opened key;
    static uint8_t info[MOST_REQUEST], request[MOST_REQUEST];
    size_t info_len = sizeof info, len = sizeof request;
    if (!key_settings.subject && !key_settings.names)
        return tool_usage("accel key request: say --subject or --dns");
    int code = key_open(&key, name);
    if (!code)
        code = make_info(info, &info_len, &key);
    if (!code)
        code = make_request(request, &len, info, info_len, &key);
    if (!code)
        key_print_pem("CERTIFICATE REQUEST", request, len);
    explicit_bzero(&key, sizeof key);
    return tool_finish(code);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and certificates of a file in PEM or DER, which OpenSSL parses, as attributes. */
#define _GNU_SOURCE
#include "../key_params.h"
#include "token_template.h"
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <stdlib.h>
#include <string.h>

static const struct openssl *ssl;

/* ---- keys ---- */

/* How a parameter of OpenSSL becomes the value of an attribute. */
enum part_kind { NUMBER, BYTES, POINT /* in an OCTET STRING */ };
enum { PRIVATE = 1, PUBLIC = 2, BOTH = PRIVATE | PUBLIC };
struct part {
    CK_ATTRIBUTE_TYPE type;
    const char *param;
    enum part_kind kind;
    int where;
};

static const struct part rsa_parts[] = {
    { CKA_MODULUS, "n", NUMBER, BOTH },
    { CKA_PUBLIC_EXPONENT, "e", NUMBER, BOTH },
    { CKA_PRIVATE_EXPONENT, "d", NUMBER, PRIVATE },
    { CKA_PRIME_1, "rsa-factor1", NUMBER, PRIVATE },
    { CKA_PRIME_2, "rsa-factor2", NUMBER, PRIVATE },
    { CKA_EXPONENT_1, "rsa-exponent1", NUMBER, PRIVATE },
    { CKA_EXPONENT_2, "rsa-exponent2", NUMBER, PRIVATE },
    { CKA_COEFFICIENT, "rsa-coefficient1", NUMBER, PRIVATE },
};
static const struct part ec_parts[] = {
    { CKA_VALUE, "priv", NUMBER, PRIVATE },
    { CKA_EC_POINT, "pub", POINT, PUBLIC },
};
static const struct part ecx_parts[] = {
    { CKA_VALUE, "priv", BYTES, PRIVATE },
    { CKA_EC_POINT, "pub", POINT, PUBLIC },
};
static const struct part dsa_parts[] = {
    { CKA_PRIME, "p", NUMBER, BOTH },     { CKA_SUBPRIME, "q", NUMBER, BOTH },
    { CKA_BASE, "g", NUMBER, BOTH },      { CKA_VALUE, "priv", NUMBER, PRIVATE },
    { CKA_VALUE, "pub", NUMBER, PUBLIC },
};

static const struct kind {
    const char *name; /* as EVP_PKEY_is_a takes it */
    CK_KEY_TYPE type;
    const char *curve; /* of CKA_EC_PARAMS; "": the parameter "group" names it */
    const struct part *parts;
    size_t num_parts;
} kinds[] = {
    { "RSA", CKK_RSA, NULL, rsa_parts, COUNT(rsa_parts) },
    { "EC", CKK_EC, "", ec_parts, COUNT(ec_parts) },
    { "ED25519", CKK_EC_EDWARDS, "ED25519", ecx_parts, COUNT(ecx_parts) },
    { "X25519", CKK_EC_MONTGOMERY, "X25519", ecx_parts, COUNT(ecx_parts) },
    { "DSA", CKK_DSA, NULL, dsa_parts, COUNT(dsa_parts) },
};

static bool add_number(struct token_template *t, const struct part *part, const OSSL_PARAM *p)
{
    uint8_t number[2048];
    const size_t len = key_params_number(number, sizeof number, p, 0);
    if (len)
        template_add(t, part->type, number, len);
    explicit_bzero(number, sizeof number);
    return len;
}

/* A point's length takes one byte up to 127 and two up to 255. */
static bool add_point(struct token_template *t, const struct part *part, const OSSL_PARAM *p)
{
    const size_t len = p->data_size, head = len < 128 ? 2 : 3;
    CK_BYTE *to = len < 256 ? template_room(t, part->type, head + len) : NULL;
    if (!to)
        return false;
    to[0] = 4;
    to[1] = 0x81;
    to[head - 1] = (CK_BYTE)len;
    memcpy(to + head, p->data, len);
    return true;
}

static bool add_part(struct token_template *t, const struct part *part, const OSSL_PARAM *params)
{
    const OSSL_PARAM *p = key_params_find(params, part->param);
    if (!p)
        return false;
    if (part->kind == NUMBER)
        return add_number(t, part, p);
    if (part->kind == POINT)
        return add_point(t, part, p);
    template_add(t, part->type, p->data, p->data_size);
    return true;
}

static bool add_curve(struct token_template *t, const struct kind *kind, const OSSL_PARAM *params)
{
    const OSSL_PARAM *group = key_params_find(params, "group");
    char name[64];
    if (!kind->curve)
        return true;
    if (!*kind->curve && (!group || group->data_size >= sizeof name))
        return false;
    snprintf(name, sizeof name, "%.*s", *kind->curve ? 63 : (int)group->data_size,
             *kind->curve ? kind->curve : (const char *)group->data);
    ASN1_OBJECT *oid = ssl->OBJ_txt2obj(name, 0);
    const int len = oid ? ssl->i2d_ASN1_OBJECT(oid, NULL) : 0;
    unsigned char *to = len > 0 ? template_room(t, CKA_EC_PARAMS, (size_t)len) : NULL;
    if (to)
        ssl->i2d_ASN1_OBJECT(oid, &to);
    ssl->ASN1_OBJECT_free(oid);
    return to != NULL;
}

/* Keys and certificates of one key pair have one id, which everybody can compute: the first 20
 * bytes of SHA-256 of the SubjectPublicKeyInfo. */
static bool add_id(struct token_template *t, const EVP_PKEY *key)
{
    enum { ID = 20 };
    uint8_t spki[8192], digest[32], *at = spki;
    const int len = key ? ssl->i2d_PUBKEY(key, NULL) : 0;
    if (len <= 0 || len > (int)sizeof spki || ssl->i2d_PUBKEY(key, &at) != len)
        return false;
    hr_sha256(digest, spki, (size_t)len);
    template_add(t, CKA_ID, digest, ID);
    return true;
}

static const struct kind *kind_of(const EVP_PKEY *key)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (ssl->EVP_PKEY_is_a(key, kinds[i].name))
            return &kinds[i];
    return NULL;
}

static bool add_key(struct token_file *f, const EVP_PKEY *key, const OSSL_PARAM *params, int where)
{
    const struct kind *kind = kind_of(key);
    struct token_template *t =
        kind ? token_file_add(f, where == PRIVATE ? CKO_PRIVATE_KEY : CKO_PUBLIC_KEY, kind->type)
             : NULL;
    bool is_fine = t && add_curve(t, kind, params) && add_id(t, key);
    for (size_t i = 0; is_fine && i < kind->num_parts; i++)
        if (kind->parts[i].where & where)
            is_fine = add_part(t, &kind->parts[i], params);
    return is_fine && !t->is_full;
}

static int take_key(struct token_file *f, const char *path, const EVP_PKEY *key, bool is_private)
{
    OSSL_PARAM *params = NULL;
    char reason[256];
    if (ssl->EVP_PKEY_todata(key, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, &params) !=
        1) {
        openssl_reason(ssl, reason, sizeof reason);
        return tool_error("%s: %s", path, reason);
    }
    const bool is_fine = !key_params_find(params, "rsa-factor3") &&
                         (!is_private || add_key(f, key, params, PRIVATE)) &&
                         add_key(f, key, params, PUBLIC);
    key_params_free(ssl, params);
    return is_fine ? EXIT_SUCCESS
                   : tool_error("%s: not a key of RSA with two primes, EC, Ed25519, X25519 or DSA",
                                path);
}

/* ---- certificates ---- */

static void add_name(struct token_template *t, CK_ATTRIBUTE_TYPE type, const X509_NAME *name)
{
    const int len = ssl->i2d_X509_NAME(name, NULL);
    unsigned char *to = len > 0 ? template_room(t, type, (size_t)len) : NULL;
    if (to)
        ssl->i2d_X509_NAME(name, &to);
}

static int take_certificate(struct token_file *f, const char *path, X509 *x)
{
    struct token_template *t = token_file_add(f, CKO_CERTIFICATE, 0);
    if (!t)
        return EXIT_FAILURE;
    const ASN1_INTEGER *serial = ssl->X509_get0_serialNumber(x);
    const int len = ssl->i2d_X509(x, NULL), serial_len = ssl->i2d_ASN1_INTEGER(serial, NULL);
    template_number(t, CKA_CERTIFICATE_TYPE, CKC_X_509);
    unsigned char *to = len > 0 ? template_room(t, CKA_VALUE, (size_t)len) : NULL;
    if (to)
        ssl->i2d_X509(x, &to);
    add_name(t, CKA_SUBJECT, ssl->X509_get_subject_name(x));
    add_name(t, CKA_ISSUER, ssl->X509_get_issuer_name(x));
    to = serial_len > 0 ? template_room(t, CKA_SERIAL_NUMBER, (size_t)serial_len) : NULL;
    if (to)
        ssl->i2d_ASN1_INTEGER(serial, &to);
    const bool has_id = add_id(t, ssl->X509_get0_pubkey(x));
    return has_id && !t->is_full
               ? EXIT_SUCCESS
               : tool_error("%s: a certificate whose key OpenSSL does not know", path);
}

/* ---- the file ---- */

static EVP_PKEY *read_key(BIO *bio, bool is_pem, bool is_private)
{
    if (is_private)
        return is_pem ? ssl->PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL)
                      : ssl->d2i_PrivateKey_bio(bio, NULL);
    return is_pem ? ssl->PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL)
                  : ssl->d2i_PUBKEY_bio(bio, NULL);
}

static int take_keys(struct token_file *f, const char *path, const char *text, size_t len,
                     bool is_pem)
{
    int code = EXIT_SUCCESS;
    for (int is_private = 1; is_private >= 0 && !f->num && !code; is_private--) {
        BIO *bio = ssl->BIO_new_mem_buf(text, (int)len);
        EVP_PKEY *key = bio ? read_key(bio, is_pem, is_private) : NULL;
        if (key)
            code = take_key(f, path, key, is_private);
        ssl->EVP_PKEY_free(key);
        ssl->BIO_free(bio);
    }
    return code;
}

static int take_certificates(struct token_file *f, const char *path, const char *text, size_t len,
                             bool is_pem)
{
    BIO *bio = ssl->BIO_new_mem_buf(text, (int)len);
    int code = bio ? EXIT_SUCCESS : EXIT_FAILURE;
    X509 *x = NULL;
    do {
        ssl->X509_free(x);
        x = !bio     ? NULL
            : is_pem ? ssl->PEM_read_bio_X509(bio, NULL, NULL, NULL)
                     : ssl->d2i_X509_bio(bio, NULL);
        if (x)
            code = take_certificate(f, path, x);
    } while (x && !code && is_pem);
    ssl->X509_free(x);
    ssl->BIO_free(bio);
    return code;
}

int token_file_parse(struct token_file *out, const char *path, const char *text, size_t len)
{
    const bool is_pem = memmem(text, len, "-----BEGIN ", 11);
    ssl = openssl_open(NULL);
    if (!ssl)
        return EXIT_FAILURE;
    int code = take_keys(out, path, text, len, is_pem);
    if (!code)
        code = take_certificates(out, path, text, len, is_pem);
    ssl->ERR_clear_error();
    return code || out->num
               ? code
               : tool_error("%s: no key or certificate in PEM or DER; --algorithm takes "
                            "the bytes of a secret key",
                            path);
}

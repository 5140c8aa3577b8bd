/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and certificates of a file in PEM or DER, which OpenSSL parses, as attributes. */
#define _GNU_SOURCE
#include "../key_params.h"
#include "token_sets.h"
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
static bool add_id(struct token_template *t, unsigned char *spki, int len)
{
    uint8_t digest[32];
    if (spki && len > 0) {
        hr_sha256(digest, spki, (size_t)len);
        template_add(t, CKA_ID, digest, TOKEN_ID);
    }
    ssl->CRYPTO_free(spki, __FILE__, __LINE__);
    return spki && len > 0;
}

static bool add_id_of(struct token_template *t, const EVP_PKEY *key)
{
    unsigned char *spki = NULL;
    const int len = ssl->i2d_PUBKEY(key, &spki);
    return add_id(t, spki, len);
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
    bool is_fine = t && add_curve(t, kind, params) && add_id_of(t, key);
    for (size_t i = 0; is_fine && i < kind->num_parts; i++)
        if (kind->parts[i].where & where)
            is_fine = add_part(t, &kind->parts[i], params);
    return is_fine && !t->is_full;
}

/* says_why prints OpenSSL's error. */
static int says_why(const char *path)
{
    char reason[256];
    openssl_reason(ssl, reason, sizeof reason);
    return tool_error("%s: %s", path, reason);
}

static int take_key(struct token_file *f, const char *path, const EVP_PKEY *key, bool is_private)
{
    OSSL_PARAM *params = NULL;
    if (ssl->EVP_PKEY_todata(key, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, &params) !=
        1)
        return says_why(path);
    const bool is_fine = !key_params_find(params, "rsa-factor3") &&
                         (!is_private || add_key(f, key, params, PRIVATE)) &&
                         add_key(f, key, params, PUBLIC);
    key_params_free(ssl, params);
    return is_fine ? EXIT_SUCCESS
                   : tool_error("%s: not a key of RSA with two primes, EC, Ed25519, X25519, DSA, "
                                "ML-DSA, ML-KEM or SLH-DSA",
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

/* The key of a certificate may be one that OpenSSL does not know. */
static bool add_id_of_certificate(struct token_template *t, const X509 *x)
{
    const EVP_PKEY *key = ssl->X509_get0_pubkey(x);
    unsigned char *spki = NULL;
    if (key)
        return add_id_of(t, key);
    const int len = ssl->i2d_X509_PUBKEY(ssl->X509_get_X509_PUBKEY(x), &spki);
    return add_id(t, spki, len);
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
    return add_id_of_certificate(t, x) && !t->is_full ? EXIT_SUCCESS
                                                      : tool_error("%s: not a certificate", path);
}

/* ---- keys in PKCS#8 and SubjectPublicKeyInfo ---- */

/* A file in memory, and what may be in it. */
struct text {
    const char *path, *bytes;
    size_t len;
    bool is_pem;
};

/* READ calls a function of a BIO, with the text from its beginning. */
#define READ(out, text, pem, der)                                         \
    do {                                                                  \
        BIO *bio = ssl->BIO_new_mem_buf((text)->bytes, (int)(text)->len); \
        (out) = !bio             ? NULL                                   \
                : (text)->is_pem ? ssl->pem(bio, NULL, NULL, NULL)        \
                                 : ssl->der(bio, NULL);                   \
        ssl->BIO_free(bio);                                               \
    } while (0)

/* take_set takes a key of a parameter set; *is_one: it is one. */
static int take_set(struct token_file *f, const char *path, const ASN1_OBJECT *oid,
                    struct token_set_key key, bool *is_one)
{
    char name[64];
    unsigned char *der = NULL;
    const int len = ssl->OBJ_obj2txt(name, sizeof name, oid, 1);
    key.alg = len > 0 && len < (int)sizeof name ? token_set_of(name) : HR_ALG_NONE;
    *is_one = key.alg != HR_ALG_NONE;
    if (!*is_one)
        return EXIT_SUCCESS;
    const int der_len = ssl->i2d_ASN1_OBJECT(oid, &der);
    key.oid = der;
    key.oid_len = der_len > 0 ? (size_t)der_len : 0;
    const int code = token_set_take(f, path, &key);
    ssl->CRYPTO_free(der, __FILE__, __LINE__);
    return code;
}

/* decrypt opens an encrypted key by the passphrase that OpenSSL asks for. */
static PKCS8_PRIV_KEY_INFO *decrypt(const X509_SIG *encrypted)
{
    char passphrase[1024];
    const int len = ssl->PEM_def_callback(passphrase, sizeof passphrase, 0, NULL);
    PKCS8_PRIV_KEY_INFO *info = len >= 0 ? ssl->PKCS8_decrypt(encrypted, passphrase, len) : NULL;
    explicit_bzero(passphrase, sizeof passphrase);
    return info;
}

/* take_pkcs8 takes the private key of a file in PKCS#8, if it is that. */
static int take_pkcs8(struct token_file *f, const struct text *text)
{
    PKCS8_PRIV_KEY_INFO *info;
    X509_SIG *encrypted = NULL;
    const ASN1_OBJECT *oid;
    struct token_set_key set = { .is_private = true };
    int len = 0, code = EXIT_SUCCESS;
    bool is_set = false;
    READ(info, text, PEM_read_bio_PKCS8_PRIV_KEY_INFO, d2i_PKCS8_PRIV_KEY_INFO_bio);
    if (!info) {
        READ(encrypted, text, PEM_read_bio_PKCS8, d2i_PKCS8_bio);
        ssl->ERR_clear_error();
        info = encrypted ? decrypt(encrypted) : NULL;
    }
    if (info && ssl->PKCS8_pkey_get0(&oid, &set.bytes, &len, NULL, info) == 1) {
        set.len = (size_t)len;
        code = take_set(f, text->path, oid, set, &is_set);
    }
    EVP_PKEY *key = info && !is_set ? ssl->EVP_PKCS82PKEY(info) : NULL;
    if (key)
        code = take_key(f, text->path, key, true);
    else if ((info || encrypted) && !is_set)
        code = says_why(text->path);
    ssl->EVP_PKEY_free(key);
    ssl->PKCS8_PRIV_KEY_INFO_free(info);
    ssl->X509_SIG_free(encrypted);
    return code;
}

/* take_spki takes a public key, if there is one. */
static int take_spki(struct token_file *f, const struct text *text)
{
    X509_PUBKEY *info;
    EVP_PKEY *key = NULL;
    ASN1_OBJECT *oid;
    struct token_set_key set = { .is_private = false };
    int len = 0, code = EXIT_SUCCESS;
    bool is_set = false;
    READ(info, text, PEM_read_bio_X509_PUBKEY, d2i_X509_PUBKEY_bio);
    if (info && ssl->X509_PUBKEY_get0_param(&oid, &set.bytes, &len, NULL, info) == 1) {
        set.len = (size_t)len;
        code = take_set(f, text->path, oid, set, &is_set);
    }
    ssl->X509_PUBKEY_free(info);
    if (!is_set)
        READ(key, text, PEM_read_bio_PUBKEY, d2i_PUBKEY_bio);
    if (key)
        code = take_key(f, text->path, key, false);
    ssl->EVP_PKEY_free(key);
    return code;
}

/* take_older takes a private key in another form than PKCS#8. */
static int take_older(struct token_file *f, const struct text *text)
{
    EVP_PKEY *key;
    READ(key, text, PEM_read_bio_PrivateKey, d2i_PrivateKey_bio);
    const int code = key ? take_key(f, text->path, key, true) : EXIT_SUCCESS;
    ssl->EVP_PKEY_free(key);
    return code;
}

/* ---- the file ---- */

static int take_keys(struct token_file *f, const struct text *text)
{
    static int (*const ways[])(struct token_file *, const struct text *) = { take_pkcs8, take_older,
                                                                             take_spki };
    int code = EXIT_SUCCESS;
    for (size_t i = 0; i < COUNT(ways) && !f->num && !code; i++)
        code = ways[i](f, text);
    return code;
}

static int take_certificates(struct token_file *f, const struct text *text)
{
    BIO *bio = ssl->BIO_new_mem_buf(text->bytes, (int)text->len);
    int code = bio ? EXIT_SUCCESS : EXIT_FAILURE;
    X509 *x = NULL;
    do {
        ssl->X509_free(x);
        x = !bio           ? NULL
            : text->is_pem ? ssl->PEM_read_bio_X509(bio, NULL, NULL, NULL)
                           : ssl->d2i_X509_bio(bio, NULL);
        if (x)
            code = take_certificate(f, text->path, x);
    } while (x && !code && text->is_pem);
    ssl->X509_free(x);
    ssl->BIO_free(bio);
    return code;
}

int token_file_parse(struct token_file *out, const char *path, const char *bytes, size_t len)
{
    const struct text text = { path, bytes, len, memmem(bytes, len, "-----BEGIN ", 11) };
    ssl = openssl_open(NULL);
    if (!ssl)
        return EXIT_FAILURE;
    int code = take_keys(out, &text);
    if (!code)
        code = take_certificates(out, &text);
    ssl->ERR_clear_error();
    return code || out->num
               ? code
               : tool_error("%s: no key or certificate in PEM or DER; --algorithm takes "
                            "the bytes of a secret key",
                            path);
}

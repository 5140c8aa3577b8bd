/* SPDX-License-Identifier: Apache-2.0 */
/* Keys by OpenSSL, which parses PEM and generates keys of RSA. */
#define _GNU_SOURCE
#include "../key_params.h"
#include "accel_key.h"
#include <stdlib.h>
#include <string.h>

bool key_add_part(struct keyfile_parts *parts, const void *bytes, size_t len)
{
    if (len + 2 > sizeof parts->bytes - parts->len)
        return false;
    uint8_t *at = parts->bytes + parts->len;
    at[0] = (uint8_t)len;
    at[1] = (uint8_t)(len >> 8);
    if (len)
        memcpy(at + 2, bytes, len);
    parts->len = (uint16_t)(parts->len + 2 + len);
    return true;
}

/* ---- a key of OpenSSL's ---- */

/* Appends a number with `len` bytes or, if that is 0, as many as it needs. */
static bool add_number(struct keyfile_parts *parts, const OSSL_PARAM *p, size_t len)
{
    uint8_t number[CONTROL_LENT / 8];
    const size_t has = key_params_number(number, sizeof number, p, len);
    const bool fits = has && key_add_part(parts, number, has);
    explicit_bzero(number, sizeof number);
    return fits;
}

static bool take_rsa(const struct hr_algorithm **row, struct keyfile_parts *parts,
                     const OSSL_PARAM *params)
{
    static const char *const names[PK_PARTS] = { "n",
                                                 "e",
                                                 "d",
                                                 "rsa-factor1",
                                                 "rsa-factor2",
                                                 "rsa-exponent1",
                                                 "rsa-exponent2",
                                                 "rsa-coefficient1" };
    if (key_params_find(params, "rsa-factor3"))
        return false;
    for (size_t i = 0; i < COUNT(names); i++)
        if (!add_number(parts, key_params_find(params, names[i]), 0))
            return false;
    *row = hr_algorithm(pk_rsa_row(parts->bytes[0] | (size_t)parts->bytes[1] << 8));
    return true;
}

static bool take_ec(const struct hr_algorithm **row, struct keyfile_parts *parts,
                    const OSSL_PARAM *params)
{
    static const struct {
        const char *group, *row;
    } curves[] = { { "prime256v1", "ECDSA-P256" }, { "P-256", "ECDSA-P256" },
                   { "secp384r1", "ECDSA-P384" },  { "P-384", "ECDSA-P384" },
                   { "secp521r1", "ECDSA-P521" },  { "P-521", "ECDSA-P521" } };
    const OSSL_PARAM *group = key_params_find(params, "group");
    for (size_t i = 0; group && i < COUNT(curves); i++)
        if (strlen(curves[i].group) <= group->data_size &&
            !strncmp(group->data, curves[i].group, group->data_size)) {
            *row = hr_algorithm_by_name(curves[i].row);
            return add_number(parts, key_params_find(params, "priv"), (*row)->key_len) &&
                   key_add_part(parts, NULL, 0);
        }
    return false;
}

/* Takes the bytes of a key: of ML-DSA its seed, if there is one. */
static bool take_bytes(struct keyfile_parts *parts, const OSSL_PARAM *params)
{
    const OSSL_PARAM *seed = key_params_find(params, "seed"),
                     *p = seed ? seed : key_params_find(params, "priv");
    return p && key_add_part(parts, p->data, p->data_size) && key_add_part(parts, NULL, 0);
}

static bool take(const struct hr_algorithm **row, struct keyfile_parts *parts,
                 const OSSL_PARAM *params, const struct openssl *ssl, const EVP_PKEY *key)
{
    static const char *const others[] = { "Ed25519", "ML-DSA-44", "ML-DSA-65", "ML-DSA-87" };
    parts->len = 0;
    if (ssl->EVP_PKEY_is_a(key, "RSA"))
        return take_rsa(row, parts, params);
    if (ssl->EVP_PKEY_is_a(key, "EC"))
        return take_ec(row, parts, params);
    for (size_t i = 0; i < COUNT(others); i++)
        if (ssl->EVP_PKEY_is_a(key, others[i])) {
            *row = hr_algorithm_by_name(others[i]);
            return take_bytes(parts, params);
        }
    return false;
}

static int take_key(const struct hr_algorithm **row, struct keyfile_parts *parts, const char *what,
                    const struct openssl *ssl, const EVP_PKEY *key)
{
    OSSL_PARAM *params = NULL;
    char reason[256];
    if (ssl->EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &params) != 1) {
        openssl_reason(ssl, reason, sizeof reason);
        return tool_error("%s: %s", what, reason);
    }
    const bool taken = take(row, parts, params, ssl, key);
    key_params_free(ssl, params);
    return taken ? EXIT_SUCCESS
                 : tool_error("%s: not a private key of RSA with two primes, of P-256, P-384 or "
                              "P-521, Ed25519 or ML-DSA",
                              what);
}

/* ---- PEM ---- */

static int parse(const struct hr_algorithm **row, struct keyfile_parts *parts, const char *path,
                 const char *text, size_t len)
{
    char reason[256];
    const struct openssl *ssl = openssl_open(NULL);
    BIO *bio = ssl ? ssl->BIO_new_mem_buf(text, (int)len) : NULL;
    if (!bio)
        return EXIT_FAILURE;
    EVP_PKEY *key = ssl->PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    int code = EXIT_FAILURE;
    if (key) {
        code = take_key(row, parts, path, ssl, key);
    } else {
        openssl_reason(ssl, reason, sizeof reason);
        tool_error("%s: no private key in PEM: %s", path, reason);
    }
    ssl->EVP_PKEY_free(key);
    ssl->BIO_free(bio);
    return code;
}

int key_read_pem(const struct hr_algorithm **row, struct keyfile_parts *parts, const char *path)
{
    static char text[KEY_PARAMS_FILE];
    size_t len;
    int code = key_params_read(text, &len, path);
    if (!code)
        code = parse(row, parts, path, text, len);
    explicit_bzero(text, sizeof text);
    return code;
}

/* ---- RSA ---- */

static EVP_PKEY *generate(const struct openssl *ssl, size_t bits)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = ssl->EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    uint64_t want = bits;
    const OSSL_PARAM params[] = { ssl->OSSL_PARAM_construct_uint64("bits", &want),
                                  ssl->OSSL_PARAM_construct_end() };
    if (ctx && ssl->EVP_PKEY_keygen_init(ctx) == 1 &&
        ssl->EVP_PKEY_CTX_set_params(ctx, params) == 1)
        (void)ssl->EVP_PKEY_generate(ctx, &key);
    ssl->EVP_PKEY_CTX_free(ctx);
    return key;
}

int key_generate_rsa(struct keyfile_parts *parts, const struct hr_algorithm *row)
{
    char reason[256];
    const struct hr_algorithm *found;
    const struct openssl *ssl = openssl_open(NULL);
    if (!ssl)
        return EXIT_FAILURE;
    EVP_PKEY *key = generate(ssl, 8 * (size_t)row->out_len);
    if (!key) {
        openssl_reason(ssl, reason, sizeof reason);
        return tool_error("%s: OpenSSL makes no key: %s", row->name, reason);
    }
    const int code = take_key(&found, parts, row->name, ssl, key);
    ssl->EVP_PKEY_free(key);
    return code;
}

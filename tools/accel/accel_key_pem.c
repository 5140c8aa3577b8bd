/* SPDX-License-Identifier: Apache-2.0 */
/* Keys by OpenSSL, which parses PEM and generates keys of RSA. */
#define _GNU_SOURCE
#include "../../cli/openssl.h"
#include "accel_key.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PEM = 64 << 10 };

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

static const OSSL_PARAM *find(const OSSL_PARAM *params, const char *name)
{
    for (const OSSL_PARAM *p = params; p->key; p++)
        if (!strcmp(p->key, name))
            return p->data && p->data_size ? p : NULL;
    return NULL;
}

/* Appends a number, which OpenSSL has in this machine's order, with `len` bytes or, if that is 0,
 * as many as it needs. */
static bool add_number(struct keyfile_parts *parts, const OSSL_PARAM *p, size_t len)
{
    static const uint16_t order = 1;
    const bool little = *(const uint8_t *)&order;
    uint8_t number[CONTROL_LENT / 8] = { 0 };
    const size_t has = p ? p->data_size : 0;
    const uint8_t *from = p ? p->data : NULL;
    size_t need = has;
    while (need > 1 && !from[little ? need - 1 : has - need])
        need--;
    len = len ? len : need;
    if (!has || need > len || len > sizeof number)
        return false;
    for (size_t i = 0; i < need; i++) /* i: the place from the lowest byte on */
        number[len - 1 - i] = from[little ? i : has - 1 - i];
    const bool fits = key_add_part(parts, number, len);
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
    if (find(params, "rsa-factor3"))
        return false;
    for (size_t i = 0; i < COUNT(names); i++)
        if (!add_number(parts, find(params, names[i]), 0))
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
    const OSSL_PARAM *group = find(params, "group");
    for (size_t i = 0; group && i < COUNT(curves); i++)
        if (strlen(curves[i].group) <= group->data_size &&
            !strncmp(group->data, curves[i].group, group->data_size)) {
            *row = hr_algorithm_by_name(curves[i].row);
            return add_number(parts, find(params, "priv"), (*row)->key_len) &&
                   key_add_part(parts, NULL, 0);
        }
    return false;
}

/* Takes the bytes of a key: of ML-DSA its seed, if there is one. */
static bool take_bytes(struct keyfile_parts *parts, const OSSL_PARAM *params)
{
    const OSSL_PARAM *seed = find(params, "seed"), *p = seed ? seed : find(params, "priv");
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

static void wipe(const struct openssl *ssl, OSSL_PARAM *params)
{
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (p->data)
            explicit_bzero(p->data, p->data_size);
    ssl->OSSL_PARAM_free(params);
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
    wipe(ssl, params);
    return taken ? EXIT_SUCCESS
                 : tool_error("%s: not a private key of RSA with two primes, of P-256, P-384 or "
                              "P-521, Ed25519 or ML-DSA",
                              what);
}

/* ---- PEM ---- */

static int read_file(char *text, size_t *len, const char *path)
{
    const int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    ssize_t n = 0;
    *len = 0;
    while (fd >= 0 && *len < MOST_PEM && (n = read(fd, text + *len, MOST_PEM - *len)) > 0)
        *len += (size_t)n;
    const int error = errno;
    if (fd > STDIN_FILENO)
        close(fd);
    if (fd < 0 || n < 0)
        return tool_error("%s: %s", path, strerror(error));
    return *len == MOST_PEM ? tool_error("%s: too long", path) : EXIT_SUCCESS;
}

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
    static char text[MOST_PEM];
    size_t len;
    int code = read_file(text, &len, path);
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

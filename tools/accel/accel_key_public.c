/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel key public and reference: what the world may know of a key that signs or decrypts,
 * from its file or, for users who cannot read that, from the service. */
#define _GNU_SOURCE
#include "accel_key.h"
#include <errno.h>
#include <headrace/accel.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a key's file ---- */

static int make(struct key_opened *k, const char *name, const char *text, size_t len)
{
    char why[LINES_ERROR];
    if (keyfile_parse(&k->key, &k->parts, text, len, file_who, why))
        return tool_error("%s: %s", name, why);
    if (!k->parts.len)
        return tool_error("%s: neither signs nor decrypts by public key", name);
    int error = pk_split(&k->split, k->parts.bytes, k->parts.len);
    if (!error)
        error = pk_key_init(&k->object, k->key.alg, &k->split);
    k->spki_len = sizeof k->spki;
    if (!error)
        error = pk_spki(k->spki, &k->spki_len, k->key.alg, &k->object, &k->split);
    return error ? tool_error("%s: %s", name, hr_strerror(error)) : EXIT_SUCCESS;
}

int key_open(struct key_opened *out, const char *name)
{
    char text[KEYS_MAX_FILE];
    size_t len;
    int code = key_read(text, &len, name);
    if (!code)
        code = key_unseal(text, &len, name);
    if (!code)
        code = make(out, name, text, len);
    explicit_bzero(text, sizeof text);
    return code;
}

/* ---- PEM ---- */

enum { LINE = 48 }; /* bytes of a line of PEM */

static void print_line(const uint8_t *bytes, size_t len)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char line[LINE / 3 * 4 + 1], *to = line;
    for (size_t i = 0; i < len; i += 3) {
        const size_t left = len - i;
        const unsigned x = (unsigned)bytes[i] << 16 | (left > 1 ? bytes[i + 1] : 0u) << 8 |
                           (left > 2 ? bytes[i + 2] : 0u);
        *to++ = letters[x >> 18];
        *to++ = letters[x >> 12 & 63];
        *to++ = left > 1 ? letters[x >> 6 & 63] : '=';
        *to++ = left > 2 ? letters[x & 63] : '=';
    }
    *to = '\0';
    tool_say("%s\n", line);
}

void key_print_pem(const char *label, const uint8_t *der, size_t len)
{
    tool_say("-----BEGIN %s-----\n", label);
    for (size_t i = 0; i < len; i += LINE)
        print_line(der + i, len - i < LINE ? len - i : LINE);
    tool_say("-----END %s-----\n", label);
}

/* ---- the public key ---- */

/* Asks the service for a key's SubjectPublicKeyInfo. */
static int ask(uint8_t spki[CONTROL_SPKI], size_t *len, const char *name)
{
    if (key_settings.socket)
        setenv("HEADRACE_ACCEL", key_settings.socket, 1);
    const int error = hr_accel_key_public(name, spki, len);
    return error ? tool_error("%s: %s", name, hr_strerror(error)) : EXIT_SUCCESS;
}

static int get(uint8_t spki[CONTROL_SPKI], size_t *len, const char *name)
{
    static struct key_opened key;
    char path[PATH_MAX];
    int code = key_path(path, name);
    *len = CONTROL_SPKI;
    if (code)
        return code;
    if (key_settings.socket || (access(path, R_OK) && errno == EACCES))
        return ask(spki, len, name);
    code = key_open(&key, name);
    if (!code) {
        memcpy(spki, key.spki, key.spki_len);
        *len = key.spki_len;
    }
    explicit_bzero(&key, sizeof key);
    return code;
}

int key_public_main(const char *name)
{
    uint8_t spki[CONTROL_SPKI];
    size_t len;
    const int code = get(spki, &len, name);
    if (!code)
        key_print_pem("PUBLIC KEY", spki, len);
    return tool_finish(code);
}

int key_reference_main(const char *name)
{
    uint8_t spki[CONTROL_SPKI], reference[CONTROL_SPKI + CONTROL_NAME + 16];
    size_t len, reference_len = sizeof reference;
    int code = get(spki, &len, name);
    if (!code && pk_reference(reference, &reference_len, name, spki, len))
        code = tool_error("%s: too long", name);
    if (!code)
        key_print_pem("HEADRACE KEY REFERENCE", reference, reference_len);
    return tool_finish(code);
}

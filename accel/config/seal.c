/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "seal.h"
#include "hex.h"
#include <headrace/aead.h>
#include <headrace/algorithms.h>
#include <stdio.h>
#include <string.h>

enum { TAG = 16, OVERHEAD = SEAL_SALT + SEAL_CHECK + TAG, LINE = 64 /* bytes of a sealed line */ };
static const char sealed[] = "sealed = ", a_seal[] = "seal = ";
enum { WORD = sizeof sealed - 1 };

static bool same_bytes(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint8_t different = 0;
    for (size_t i = 0; i < len; i++)
        different |= a[i] ^ b[i];
    return !different;
}

/* ---- lines ---- */

/* find_line returns the place of the first line that begins so, or NULL. */
static const char *find_line(const char *text, size_t len, const char *begins)
{
    const size_t num = strlen(begins);
    for (const char *at = text, *end = text + len; (size_t)(end - at) >= num; at++) {
        if (!memcmp(at, begins, num))
            return at;
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at)
            break;
    }
    return NULL;
}

bool seal_is_there(const char *text, size_t len)
{
    return find_line(text, len, "seal");
}

/* parse_seal reads the value of a line `seal`. */
static bool parse_seal(struct seal *out, const char *value)
{
    char salt[2 * SEAL_SALT + 1], check[2 * SEAL_CHECK + 1];
    unsigned n[3];
    int end = 0;
    if (sscanf(value, "%9u %9u %9u %64[0-9a-f] %64[0-9a-f]%n", &n[0], &n[1], &n[2], salt, check,
               &end) != 5 ||
        value[end] || strlen(salt) != 2 * SEAL_SALT || strlen(check) != 2 * SEAL_CHECK)
        return false;
    out->lanes = n[0];
    out->memory = n[1];
    out->passes = n[2];
    return hex_read(out->salt, SEAL_SALT, salt) && hex_read(out->check, SEAL_CHECK, check);
}

static int write_seal(char *out, size_t max, const struct seal *seal)
{
    char salt[2 * SEAL_SALT + 1] = "", check[2 * SEAL_CHECK + 1] = "";
    hex_write(salt, seal->salt, SEAL_SALT);
    hex_write(check, seal->check, SEAL_CHECK);
    return snprintf(out, max, "%s%u %u %u %s %s\n", a_seal, seal->lanes, seal->memory, seal->passes,
                    salt, check);
}

bool seal_find(struct seal *out, const char *text, size_t len)
{
    const char *at = find_line(text, len, a_seal);
    const char *newline = at ? memchr(at, '\n', (size_t)(text + len - at)) : NULL;
    char value[LINE_MAX_LEN];
    if (!newline || newline - at >= LINE_MAX_LEN)
        return false;
    at += sizeof a_seal - 1;
    memcpy(value, at, (size_t)(newline - at));
    value[newline - at] = '\0';
    return strlen(value) == (size_t)(newline - at) && parse_seal(out, value);
}

bool seal_is_same(const struct seal *a, const struct seal *b)
{
    return a->lanes == b->lanes && a->memory == b->memory && a->passes == b->passes &&
           !memcmp(a->salt, b->salt, SEAL_SALT) && !memcmp(a->check, b->check, SEAL_CHECK);
}

/* ---- keys ---- */

void seal_check(uint8_t out[SEAL_CHECK], const struct seal_key *key)
{
    static const char label[] = "headrace sealing key";
    uint8_t info[sizeof label - 1 + 12], *at = info + sizeof label - 1;
    const uint32_t numbers[] = { key->seal.lanes, key->seal.memory, key->seal.passes };
    memcpy(info, label, sizeof label - 1);
    for (int i = 0; i < 12; i++)
        at[i] = (uint8_t)(numbers[i / 4] >> (24 - i % 4 * 8));
    if (hr_hkdf(out, SEAL_CHECK, HR_HMAC_SHA256, key->seal.salt, SEAL_SALT, key->bytes, SEAL_KEY,
                info, sizeof info))
        memset(out, 0, SEAL_CHECK);
}

/* The two values of a file: the AEAD's key, and what its name and terms are compared by. */
struct file_keys {
    uint8_t key[32], check[SEAL_CHECK];
};

/* derive makes them of the name and of all that comes before the sealed lines. */
static int derive(struct file_keys *out, const struct seal_key *key, const uint8_t *salt,
                  const char *name, const char *head, size_t head_len)
{
    static const char label[] = "headrace sealed key file";
    uint8_t info[sizeof label - 1 + 32];
    struct hr_digest_ctx digest;
    memcpy(info, label, sizeof label - 1);
    if (hr_digest_init(&digest, HR_SHA256) || hr_digest_update(&digest, name, strlen(name) + 1) ||
        hr_digest_update(&digest, head, head_len) ||
        hr_digest_final(&digest, info + sizeof label - 1))
        return -1;
    return hr_hkdf((uint8_t *)out, sizeof *out, HR_HMAC_SHA256, salt, SEAL_SALT, key->bytes,
                   SEAL_KEY, info, sizeof info);
}

static const uint8_t nonce[12]; /* zeros: each file has a key of its own */

static int encrypt(uint8_t *text, size_t len, const struct file_keys *keys)
{
    struct hr_aead_key key;
    int error = hr_aead_key_init(&key, HR_AES_256_GCM, keys->key, sizeof keys->key);
    if (!error)
        error =
            hr_aead_encrypt(text, text + len, TAG, text, len, NULL, 0, &key, nonce, sizeof nonce);
    hr_aead_key_wipe(&key);
    return error;
}

static int decrypt(uint8_t *text, size_t len, const struct file_keys *keys)
{
    struct hr_aead_key key;
    int error = hr_aead_key_init(&key, HR_AES_256_GCM, keys->key, sizeof keys->key);
    if (!error)
        error =
            hr_aead_decrypt(text, text + len, TAG, text, len, NULL, 0, &key, nonce, sizeof nonce);
    hr_aead_key_wipe(&key);
    return error;
}

/* ---- opening ---- */

/* unfold replaces sealed lines by the bytes that they stand for, and returns their number, or -1.
 * Bytes have one form only, so that every change of the file is a change of them. */
static long unfold(char *text, size_t len)
{
    uint8_t *const out = (uint8_t *)text;
    size_t n = 0;
    while (len) {
        const char *newline = memchr(text, '\n', len);
        const size_t line = newline ? (size_t)(newline - text) : 0;
        const size_t digits = line > WORD ? line - WORD : 0;
        const bool last = line + 1 == len;
        if (!digits || memcmp(text, sealed, WORD) || digits % 2 || digits > 2 * LINE ||
            (!last && digits != 2 * LINE) || !hex_read(out + n, digits / 2, text + WORD))
            return -1;
        n += digits / 2;
        text += line + 1;
        len -= line + 1;
    }
    return (long)n;
}

/* open_bytes decrypts the bytes that begin at `at`, and moves their text to `to`. */
static const char *open_bytes(char *text, size_t at, size_t num, size_t to, const char *name,
                              const struct seal_key *key)
{
    uint8_t *const bytes = (uint8_t *)text + at, *const in = bytes + SEAL_SALT + SEAL_CHECK;
    struct file_keys keys;
    const char *why = NULL;
    if (derive(&keys, key, bytes, name, text, at))
        why = "it cannot be opened";
    else if (!same_bytes(keys.check, bytes + SEAL_SALT, SEAL_CHECK))
        why = "its name, its terms or its seal were changed after it was sealed";
    else if (decrypt(in, num - OVERHEAD, &keys))
        why = "its private part was changed after it was sealed";
    else
        memmove(text + to, in, num - OVERHEAD);
    explicit_bzero(&keys, sizeof keys);
    return why;
}

const char seal_another[] = "it is sealed under another sealing key";

/* seal_open leaves the terms as they are; the text of the private part takes the place of the seal
 * and of the lines after it. */
const char *seal_open(char *text, size_t *len, const char *name, const struct seal_key *key)
{
    struct seal seal;
    const char *line = find_line(text, *len, a_seal), *lines = find_line(text, *len, sealed);
    if (!lines || !line || memchr(line, '\n', *len - (size_t)(line - text)) != lines - 1 ||
        !seal_find(&seal, text, *len))
        return "its seal is damaged";
    if (!seal_is_same(&seal, &key->seal))
        return seal_another;
    const size_t at = (size_t)(lines - text), to = (size_t)(line - text);
    const long num = unfold(text + at, *len - at);
    if (num < OVERHEAD)
        return "its sealed lines are damaged";
    *len = to + (size_t)num - OVERHEAD;
    return open_bytes(text, at, (size_t)num, to, name, key);
}

/* ---- closing ---- */

/* fold writes sealed lines, and returns their length. */
static size_t fold(char *out, const uint8_t *bytes, size_t len)
{
    char *at = out;
    for (size_t i = 0; i < len; i += LINE) {
        const size_t num = len - i < LINE ? len - i : LINE;
        memcpy(at, sealed, WORD);
        hex_write(at + WORD, bytes + i, num);
        at += WORD + 2 * num;
        *at++ = '\n';
    }
    return (size_t)(at - out);
}

static size_t folded_len(size_t len)
{
    return 2 * len + (len + LINE - 1) / LINE * (WORD + 1);
}

const char *seal_close(char *text, size_t *len, size_t max, size_t at, const char *name,
                       const struct seal_key *key, const uint8_t salt[SEAL_SALT])
{
    static const char too_long[] = "too long";
    const size_t num = *len - at;
    struct file_keys keys;
    char line[SEAL_KEY_FILE];
    const size_t line_len = (size_t)write_seal(line, sizeof line, &key->seal);
    const size_t begin = at + line_len, room = folded_len(num + OVERHEAD);
    if (max < begin || room > max - begin)
        return too_long;
    /* The bytes lie at the end of the memory, behind where fold has come at any time. */
    uint8_t *const bytes = (uint8_t *)text + max - num - OVERHEAD;
    uint8_t *const private = bytes + SEAL_SALT + SEAL_CHECK;
    memmove(private, text + at, num);
    memcpy(text + at, line, line_len);
    memcpy(bytes, salt, SEAL_SALT);
    int error = derive(&keys, key, salt, name, text, begin);
    memcpy(bytes + SEAL_SALT, keys.check, SEAL_CHECK);
    if (!error)
        error = encrypt(private, num, &keys);
    explicit_bzero(&keys, sizeof keys);
    *len = begin + fold(text + begin, bytes, num + OVERHEAD);
    return error ? "it cannot be sealed" : NULL;
}

/* ---- the file of a sealing key ---- */

static int parse_key(struct seal_key *out, struct lines *l, const struct line *line)
{
    const bool is_seal = line->word && !strcmp(line->word, "seal");
    if (!is_seal && !(line->word && !strcmp(line->word, "key")))
        return lines_error(l, "a sealing key has the lines seal and key");
    if (lines_once(l, line, is_seal))
        return -1;
    if (is_seal && !parse_seal(&out->seal, line->value))
        return lines_error(l, "not a seal that headrace accel key writes");
    if (!is_seal &&
        (strlen(line->value) != 2 * SEAL_KEY || !hex_read(out->bytes, SEAL_KEY, line->value)))
        return lines_error(l, "a sealing key must have %d digits", 2 * SEAL_KEY);
    return 0;
}

int seal_key_parse(struct seal_key *out, const char *text, size_t len, char error[LINES_ERROR])
{
    uint8_t check[SEAL_CHECK];
    struct lines l;
    struct line line;
    int more;
    memset(out, 0, sizeof *out);
    lines_begin(&l, text, len);
    while ((more = lines_next(&l, &line)) > 0)
        if ((more = parse_key(out, &l, &line)) != 0)
            break;
    if (!more && l.said != 3)
        more = lines_error(&l, "a sealing key has the lines seal and key");
    seal_check(check, out);
    if (!more && !same_bytes(check, out->seal.check, SEAL_CHECK))
        more = lines_error(&l, "the key is not that of its seal");
    memcpy(error, l.error, LINES_ERROR);
    explicit_bzero(&line, sizeof line);
    return more;
}

size_t seal_key_text(char out[SEAL_KEY_FILE], const struct seal_key *key)
{
    const int n = write_seal(out, SEAL_KEY_FILE, &key->seal);
    memcpy(out + n, "key = ", 6);
    hex_write(out + n + 6, key->bytes, SEAL_KEY);
    out[n + 6 + 2 * SEAL_KEY] = '\n';
    return (size_t)n + 6 + 2 * SEAL_KEY + 1;
}

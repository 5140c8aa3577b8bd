/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of Solaris's encrypt(1), as its manual page describes them: version 1 and the iterations as
 * 32-bit numbers, big-endian; 16 bytes of IV; 16 of salt; then AES in CBC mode with PKCS #7
 * padding.  A passphrase's key has 128 bits, by PBKDF2 with HMAC-SHA-1; a key file's bytes are the
 * key.  An older form has 64 bits for the iterations.
 */
#include "encrypt.h"
#include "tool.h"
#include <string.h>
#include <sys/mman.h>

enum { VERSION = 1, ITERATIONS = 1000, MAX_ITERATIONS = 10000000 };
enum { IV_LEN = 16, SALT_LEN = 16, PASSPHRASE_KEY = 16 };

struct solaris {
    struct hr_cipher_key key;
    struct hr_cipher_ctx message;
    uint8_t iv[IV_LEN], salt[SALT_LEN];
    uint64_t iterations;
};
static struct solaris file;

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int take_passphrase(struct secrets *s, struct crypt *c)
{
    if (key_passphrase(s, &c->source, c->encrypting))
        return -1;
    if (hr_pbkdf2(s->key, PASSPHRASE_KEY, HR_HMAC_SHA1, s->input, s->input_len, file.salt, SALT_LEN,
                  file.iterations))
        return tool_error("the key cannot be derived"), -1;
    memcpy(s->input, s->key, PASSPHRASE_KEY);
    s->input_len = PASSPHRASE_KEY;
    return 0;
}

static int take_key(struct secrets *s, struct crypt *c)
{
    if (c->source.key_file ? key_raw(s, c->source.key_file) : take_passphrase(s, c))
        return -1;
    const hr_alg alg = s->input_len == 16   ? HR_AES_128_CBC
                       : s->input_len == 24 ? HR_AES_192_CBC
                                            : HR_AES_256_CBC;
    if (!hr_cipher_key_init(&file.key, alg, (const uint8_t *)s->input, s->input_len) &&
        !hr_cipher_init(&file.message, &file.key, c->encrypting ? HR_OP_ENCRYPT : HR_OP_DECRYPT,
                        file.iv, IV_LEN, c->encrypting ? HR_CIPHER_PADDING : 0))
        return 0;
    tool_error("key file %s: %zu bytes, where AES has 16, 24 or 32", c->source.key_file,
               s->input_len);
    return -1;
}

static const char *encrypt_slot(void *state, struct stream_slot *slot)
{
    const size_t room = slot->len + HR_CIPHER_MAX_BLOCK;
    size_t len, rest = 0;
    (void)state;
    if (hr_cipher_update(&file.message, slot->data, room, &len, slot->data, slot->len) ||
        (slot->last && hr_cipher_final(&file.message, slot->data + len, room - len, &rest)))
        return "it cannot be encrypted";
    slot->len = len + rest;
    return NULL;
}

/* Padding only in the last slot: where it is looked for, a block is held back. */
static const char *decrypt_slot(void *state, struct stream_slot *slot)
{
    const size_t room = slot->len;
    size_t len, rest = 0;
    (void)state;
    if (slot->last && (!slot->len || hr_cipher_set_padding(&file.message, 1)))
        return "truncated";
    if (hr_cipher_update(&file.message, slot->data, room, &len, slot->data, slot->len) ||
        (slot->last && hr_cipher_final(&file.message, slot->data + len, room - len, &rest)))
        return "a wrong key, truncated or damaged";
    slot->len = len + rest;
    return NULL;
}

static int write_header(struct crypt *c)
{
    const uint8_t numbers[] = { 0, 0, 0, VERSION, 0, 0, ITERATIONS >> 8, ITERATIONS & 255 };
    return crypt_write(c, numbers, sizeof numbers) || crypt_write(c, file.iv, IV_LEN) ||
                   crypt_write(c, file.salt, SALT_LEN)
               ? -1
               : 0;
}

/* Zero iterations are the upper half of 64 bits. */
static int read_header(struct crypt *c)
{
    uint8_t bytes[8 + 4 + IV_LEN + SALT_LEN] = { 0 };
    const char *wrong = NULL;
    const ssize_t base = crypt_read(c, bytes, 8);
    if (base < 0)
        return -1;
    const bool older = base == 8 && !load32(bytes + 4);
    const size_t more = IV_LEN + SALT_LEN + (older ? 4 : 0);
    const ssize_t got = crypt_read(c, bytes + 8, more);
    const uint8_t *iv = bytes + 8 + (older ? 4 : 0);
    if (got < 0)
        return -1;
    file.iterations = load32(iv - 4);
    if (base < 8 || load32(bytes) != VERSION)
        wrong = "not a file that Solaris's encrypt wrote";
    else if ((size_t)got < more)
        wrong = "truncated within its header";
    else if (!file.iterations || file.iterations > MAX_ITERATIONS)
        wrong = "the header asks for no iterations or too many: hostile or damaged";
    memcpy(file.iv, iv, IV_LEN);
    memcpy(file.salt, iv + IV_LEN, SALT_LEN);
    return wrong ? (tool_error("%s: %s", c->in_path, wrong), -1) : 0;
}

static int encrypt(struct crypt *c, struct secrets *s)
{
    file.iterations = ITERATIONS;
    if (key_random(file.iv, IV_LEN) || key_random(file.salt, SALT_LEN) || take_key(s, c) ||
        write_header(c))
        return -1;
    return crypt_stream(c, CHUNK, encrypt_slot, NULL);
}

static int decrypt(struct crypt *c, struct secrets *s)
{
    if (read_header(c) || take_key(s, c))
        return -1;
    return crypt_stream(c, CHUNK, decrypt_slot, NULL);
}

int solaris_run(struct crypt *c)
{
    struct secrets *s = secrets_begin();
    (void)!mlock(&file, sizeof file);
    tool_error("warning: files of Solaris's encrypt are not authenticated: "
               "whoever changes one is not found out");
    const int result = c->encrypting ? encrypt(c, s) : decrypt(c, s);
    secrets_wipe();
    explicit_bzero(&file, sizeof file);
    return result;
}

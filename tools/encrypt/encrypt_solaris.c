/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of Solaris's encrypt(1), as its manual page describes them: version 1 and the number of
 * iterations as big-endian 32-bit numbers; an IV of one block; 16 bytes of salt; then AES, DES or
 * triple DES in CBC mode with PKCS #7 padding. A passphrase is turned into a key of 128, 64 or 192
 * bits by PBKDF2 with HMAC-SHA-1; the bytes of a key file are the key itself. An older form has 64
 * bits for the iterations.
 */
#include "../../cli/tool.h"
#include "../key_sizes.h"
#include "encrypt.h"
#include <headrace/algorithms.h>
#include <string.h>
#include <sys/mman.h>

enum { VERSION = 1, ITERATIONS = 1000, MAX_ITERATIONS = 10000000 };
enum { MAX_IV = 16, SALT_LEN = 16 };

static const struct algorithm {
    const char *name;
    hr_alg rows[3]; /* for each length of key */
    uint8_t passphrase_key;
    const char *keys, *weakness;
} algorithms[] = {
    { "aes", { HR_AES_128_CBC, HR_AES_192_CBC, HR_AES_256_CBC }, 16, "16, 24 or 32", NULL },
    { "des",
      { HR_DES_CBC },
      8,
      "8",
      "DES is weak: its 56-bit keys can be found by trying all of them" },
    { "3des",
      { HR_DES_EDE3_CBC },
      24,
      "24",
      "triple DES is weak: its 8-byte blocks make long files reveal parts of their contents" },
};

struct solaris {
    struct hr_cipher_key key;
    struct hr_cipher_ctx message;
    const struct algorithm *algorithm;
    size_t iv_len;
    uint8_t iv[MAX_IV], salt[SALT_LEN];
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
    const size_t len = file.algorithm->passphrase_key;
    if (hr_pbkdf2(s->key, len, HR_HMAC_SHA1, s->input, s->input_len, file.salt, SALT_LEN,
                  file.iterations))
        return tool_error("the key cannot be derived"), -1;
    memcpy(s->input, s->key, len);
    s->input_len = len;
    return 0;
}

static int take_key(struct secrets *s, struct crypt *c)
{
    if (c->source.key_file ? key_raw(s, c->source.key_file) : take_passphrase(s, c))
        return -1;
    const struct algorithm *algorithm = file.algorithm;
    for (size_t i = 0; i < COUNT(algorithm->rows) && algorithm->rows[i]; i++)
        if (hr_algorithm(algorithm->rows[i])->key_len == s->input_len &&
            !hr_cipher_key_init(&file.key, algorithm->rows[i], (const uint8_t *)s->input,
                                s->input_len) &&
            !hr_cipher_init(&file.message, &file.key, c->encrypting ? HR_OP_ENCRYPT : HR_OP_DECRYPT,
                            file.iv, file.iv_len, c->encrypting ? HR_CIPHER_PADDING : 0))
            return 0;
    tool_error("key file %s: %zu bytes, but %s needs %s", c->source.key_file, s->input_len,
               algorithm->name, algorithm->keys);
    return -1;
}

static const char *encrypt_slot(void *state, struct stream_slot *slot)
{
    const size_t room = slot->len + HR_CIPHER_MAX_BLOCK;
    size_t len, rest = 0;
    (void)state;
    if (hr_cipher_update(&file.message, slot->data, room, &len, slot->data, slot->len) ||
        (slot->last && hr_cipher_final(&file.message, slot->data + len, room - len, &rest)))
        return "cannot be encrypted";
    slot->len = len + rest;
    return NULL;
}

/* Decrypts a slot. Padding is switched on in the last slot only, because hr_cipher_update holds
 * a block back while it is on. */
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
    return encrypt_write(c, numbers, sizeof numbers) || encrypt_write(c, file.iv, file.iv_len) ||
                   encrypt_write(c, file.salt, SALT_LEN)
               ? -1
               : 0;
}

/* Reads the header. If the first 32 bits of the iterations are 0, they are the upper half of 64
 * bits. */
static int read_header(struct crypt *c)
{
    uint8_t bytes[8 + 4 + MAX_IV + SALT_LEN] = { 0 };
    const char *wrong = NULL;
    const ssize_t base = encrypt_read(c, bytes, 8);
    if (base < 0)
        return -1;
    const bool older = base == 8 && !load32(bytes + 4);
    const size_t more = file.iv_len + SALT_LEN + (older ? 4 : 0);
    const ssize_t got = encrypt_read(c, bytes + 8, more);
    const uint8_t *iv = bytes + 8 + (older ? 4 : 0);
    if (got < 0)
        return -1;
    file.iterations = load32(iv - 4);
    if (base < 8 || load32(bytes) != VERSION)
        wrong = "not a file that Solaris's encrypt wrote";
    else if ((size_t)got < more)
        wrong = "truncated within its header";
    else if (!file.iterations || file.iterations > MAX_ITERATIONS)
        wrong = "the header asks for no iterations or too many: malicious or damaged";
    memcpy(file.iv, iv, file.iv_len);
    memcpy(file.salt, iv + file.iv_len, SALT_LEN);
    return wrong ? (tool_error("%s: %s", c->in_path, wrong), -1) : 0;
}

static int encrypt(struct crypt *c, struct secrets *s)
{
    file.iterations = ITERATIONS;
    if (key_random(file.iv, file.iv_len) || key_random(file.salt, SALT_LEN) || take_key(s, c) ||
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

bool solaris_choose(const char *name)
{
    for (size_t i = 0; i < COUNT(algorithms); i++)
        if (!strcmp(algorithms[i].name, name)) {
            file.algorithm = &algorithms[i];
            file.iv_len = hr_algorithm(algorithms[i].rows[0])->iv_len;
            return true;
        }
    return false;
}

void solaris_list(void)
{
    key_sizes_head();
    for (size_t i = 0; i < COUNT(algorithms); i++) {
        int least = 0, most = 0;
        for (size_t k = 0; k < COUNT(algorithms[i].rows) && algorithms[i].rows[k]; k++) {
            most = 8 * hr_algorithm(algorithms[i].rows[k])->key_len;
            least = least ? least : most;
        }
        key_sizes_row(algorithms[i].name, least, most);
    }
}

int solaris_run(struct crypt *c)
{
    struct secrets *s = key_secrets_begin();
    (void)!mlock(&file, sizeof file);
    tool_error("warning: files of Solaris's encrypt are not authenticated: changes to them are not "
               "detected");
    if (file.algorithm->weakness)
        tool_error("warning: %s", file.algorithm->weakness);
    const int result = c->encrypting ? encrypt(c, s) : decrypt(c, s);
    key_secrets_wipe();
    explicit_bzero(&file, sizeof file);
    return result;
}

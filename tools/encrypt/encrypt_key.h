/* SPDX-License-Identifier: Apache-2.0
 *
 * The keys of encrypted files: key files, passphrases, and the keys that are derived from them.
 */
#ifndef ENCRYPT_KEY_H
#define ENCRYPT_KEY_H

#include "encrypt_header.h"
#include <headrace/headrace.h>
#include <stdbool.h>

enum { KEY_LEN = 32, MAX_SECRET = 1024 };

/* The source of the key, by the options. */
struct key_source {
    const char *key_file, *passphrase_file; /* "-": standard input; both NULL: the passphrase is
                                               asked for on the terminal */
    /* Of a secret that is no passphrase: its name, "PIN of the user", and the option of its file.
     */
    const char *name, *option;
};

/* All secrets, in locked memory if locking is allowed; key_secrets_wipe wipes them. */
struct secrets {
    char input[MAX_SECRET + 1]; /* a passphrase, or the contents of a key file */
    size_t input_len;
    uint8_t key[KEY_LEN];                    /* from the key file, Argon2id or PBKDF2 */
    uint8_t derived[KEY_LEN + HEADER_CHECK]; /* the file's key, and the header's check */
};
struct secrets *key_secrets_begin(void);
void key_secrets_wipe(void);

/* Each function returns 0, or -1 with an error printed. */

/* Reads the passphrase into `input`. `twice`: asks for it twice on a terminal, for encryption. */
int key_passphrase(struct secrets *s, const struct key_source *source, bool twice);
/* key_raw reads a key file into `input` as it is. key_file also converts the format's own keys,
 * 32 bytes or 64 hexadecimal digits, into `key`. */
int key_raw(struct secrets *s, const char *path);
int key_file(struct secrets *s, const char *path);
/* Creates a new key file. */
int key_new(const char *path);
/* Fills a buffer with random bytes from the system. */
int key_random(uint8_t *out, size_t out_len);
/* Derives the file's key and the check from the kind of secret that the header names. */
int key_derive(struct secrets *s, const struct key_source *source, const struct header *header,
               bool encrypting);

/* Asks for the passphrase as key_passphrase does, and makes `key` of it. */
int key_stretch(struct secrets *s, const struct key_source *source, const uint8_t salt[HEADER_SALT],
                const struct header_costs *costs, bool twice);

/* Argon2id (RFC 9106) with a tag of KEY_LEN bytes. Returns NULL, or the text of an error. */
const char *argon2_passphrase(uint8_t out[KEY_LEN], const char *passphrase, size_t passphrase_len,
                              const uint8_t salt[HEADER_SALT], const struct header_costs *costs);
/* Whether this build has Argon2id. */
extern const bool argon2_is_there;

#endif

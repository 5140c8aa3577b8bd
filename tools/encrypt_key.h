/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the keys of encrypted files come from: key files, passphrases, and what is derived of them.
 */
#ifndef ENCRYPT_KEY_H
#define ENCRYPT_KEY_H

#include "encrypt_header.h"
#include <headrace/headrace.h>
#include <stdbool.h>

enum { KEY_LEN = 32, MAX_SECRET = 1024 };

/* As the options say. */
struct key_source {
    const char *key_file, *passphrase_file; /* "-": standard input; NULL both: the terminal asks */
};

/* All that is secret, in memory that is locked where that is allowed; wiped by secrets_wipe. */
struct secrets {
    char input[MAX_SECRET + 1]; /* a passphrase, or the bytes of a key file */
    size_t input_len;
    uint8_t key[KEY_LEN];                    /* of the key file, or of Argon2id */
    uint8_t derived[KEY_LEN + HEADER_CHECK]; /* the file's key, and the header's check */
};
struct secrets *secrets_begin(void);
void secrets_wipe(void);

/* Each returns 0; or -1, and an error was printed. */

/* Takes the passphrase into input; `twice`, from a terminal, on encryption. */
int key_passphrase(struct secrets *s, const struct key_source *source, bool twice);
/* Takes a key file into input as it is; then, of the format's own keys, into key: 32 bytes, or 64
 * hexadecimal digits. */
int key_raw(struct secrets *s, const char *path);
int key_file(struct secrets *s, const char *path);
/* Makes a new key file. */
int key_new(const char *path);
/* Fills with random bytes of the system. */
int key_random(uint8_t *out, size_t out_len);
/* Derives the file's key and the check from the secret of the header's kind. */
int key_derive(struct secrets *s, const struct key_source *source, const struct header *header,
               bool encrypting);

/* Argon2id (RFC 9106): the tag of KEY_LEN bytes.  NULL; or what is wrong. */
const char *passphrase_hash(uint8_t out[KEY_LEN], const char *passphrase, size_t passphrase_len,
                            const uint8_t salt[HEADER_SALT], const struct header_costs *costs);
/* Whether this build has it. */
extern const bool passphrase_hash_is_there;

#endif

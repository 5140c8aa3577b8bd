/* SPDX-License-Identifier: Apache-2.0 */
/* Key files that are sealed: their terms can be read, and their private part is encrypted.
 * docs/file-format.md has the format and its reasons.
 *
 *   algorithm = RSA-2048
 *   uid = www-data
 *   seal = 4 49152 4 SALT CHECK     how the sealing key is made of a passphrase
 *   sealed = 00112233...            the lines of the private part
 *
 * The functions open no file and keep no state.  Argon2id is not among them: `headrace accel key`
 * makes the sealing key of the passphrase, and the service gets that key alone. */
#ifndef HR_SEAL_H
#define HR_SEAL_H

#include "lines.h"

enum { SEAL_SALT = 32, SEAL_CHECK = 32, SEAL_KEY = 32, SEAL_KEY_FILE = 512 };

/* The service looks for the sealing key here, unless its policy names another file. */
#define SEAL_KEY_PATH "/run/headrace-keys/sealing-key"

/* The value of a line `seal`, the same in all files that are sealed under one key. */
struct seal {
    uint32_t lanes, memory, passes; /* Argon2id's; the memory in KiB.  Any numbers are accepted */
    uint8_t salt[SEAL_SALT];
    uint8_t check[SEAL_CHECK]; /* tells the right key from others */
};

struct seal_key {
    struct seal seal;
    uint8_t bytes[SEAL_KEY];
};

/* seal_is_there tells whether a text is a sealed key file, also if it is damaged in one place. */
bool seal_is_there(const char *text, size_t len);
/* seal_find gets the seal of a key file.  Returns whether there is one. */
bool seal_find(struct seal *out, const char *text, size_t len);
bool seal_is_same(const struct seal *a, const struct seal *b);
/* seal_check computes the check of a key, of its bytes and the rest of its seal. */
void seal_check(uint8_t out[SEAL_CHECK], const struct seal_key *key);

/* seal_open makes a sealed key file, whose key has this name, a text for keyfile_parse, in place.
 * Returns NULL, or why it stays sealed, seal_another among others; then the text is of no use. */
extern const char seal_another[]; /* its sealing key is not this one */
const char *seal_open(char *text, size_t *len, const char *name, const struct seal_key *key);
/* seal_close seals the lines of a key file from byte `at` on, which is the beginning of a line.
 * `salt` is random.  Returns NULL, or why it cannot; then the text is of no use. */
const char *seal_close(char *text, size_t *len, size_t max, size_t at, const char *name,
                       const struct seal_key *key, const uint8_t salt[SEAL_SALT]);

/* seal_key_parse reads the text of a file with a sealing key.  Returns 0, or -1 with `error`, which
 * contains no part of the key. */
int seal_key_parse(struct seal_key *out, const char *text, size_t len, char error[LINES_ERROR]);
/* seal_key_text writes such a text, and returns its length. */
size_t seal_key_text(char out[SEAL_KEY_FILE], const struct seal_key *key);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Named long-term keys.  Each is a file in a folder that only the service can read;
 * `headrace accel key` writes it.
 *
 *   algorithm = AES-256-GCM
 *   use = encrypt, decrypt       for a MAC: mac, verify; without this line: all
 *   uid = www-data, 2000-2099    users that may use the key; without uid and gid: root
 *   gid = web                    groups; a match of a user or a group suffices
 *   key = 00112233...
 *
 * A key of public key has the same lines, but one use, and instead of `key` its numbers: of RSA n,
 * e, d, p, q, dp, dq and qinv, in this order, of others `private`.  A number may go on in the next
 * line, which has the same word.  It may have these lines too (key_terms.h):
 *
 *   use = sign                   or decrypt, which RSA can; never both
 *   padding = pkcs1, pss         of RSA; to decrypt: oaep, pkcs1, tls.  Without this line a key
 *                                signs by both, and decrypts by oaep
 *   digest = SHA-256, SHA-384    that are signed, and of oaep; without this line SHA-256, SHA-384
 *                                and SHA-512
 *   rate = 0                     uses a second, of all users together; 0: no limit
 *   log = no                     yes: the service logs each use
 *
 * In a file that is sealed (seal.h) lines `sealed` stand for those of the key.
 */
#ifndef HR_KEYFILE_H
#define HR_KEYFILE_H

#include "../control.h"
#include "../service/keytable.h"
#include "key_terms.h"
#include "lines.h"

enum { KEYS_MAX = CONTROL_KEYS, KEYS_MAX_FILE = 40 << 10 };

struct custody_key;

struct named_key {
    char name[CONTROL_NAME];
    struct who who;
    uint16_t alg, uses, len; /* len 0: a key of public key */
    uint8_t bytes[CONTROL_KEY];
    struct key_terms terms;      /* of public key */
    struct custody_key *custody; /* of public key: the service's, else NULL */
};

/* The components of a key of public key, in the form of CONTROL_KEY_LEND.  It lies in memory that
 * its owner wipes. */
struct keyfile_parts {
    uint16_t len; /* 0: the key is none of public key */
    uint8_t bytes[CONTROL_LENT];
};

/* struct named_keys lies in memory of secrets.h. */
struct named_keys {
    unsigned num;
    struct named_key at[KEYS_MAX];
};

/* keyfile_parse reads a file's text into all members but the name and `custody`, and the components
 * of a key of public key into `parts`.  Returns 0, or -1; then `error` says what is wrong and
 * contains no part of the key. */
int keyfile_parse(struct named_key *key, struct keyfile_parts *parts, const char *text,
                  size_t text_len, who_lookup *lookup, char error[LINES_ERROR]);
/* keyfile_is_private tells whether lines of this word are the part of a file that is secret. */
bool keyfile_is_private(const char *word);
/* keyfile_find returns the key of this name, or NULL. */
const struct named_key *keyfile_find(const struct named_keys *keys, const char *name);
/* keyfile_use_word returns the word for the use that has this bit of enum hr_use. */
const char *keyfile_use_word(unsigned bit);
/* keyfile_uses returns the uses that a key has, bits of enum hr_use, of those that its row can
 * have. */
unsigned keyfile_uses(const struct named_key *key);
/* keyfile_is_same tells whether two keys, not of public key, have the same row, bytes and uses. */
bool keyfile_is_same(const struct named_key *a, const struct named_key *b);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Named long-term keys.  Each is a file in a folder that only the service can read;
 * `headrace accel key` writes it.
 *
 *   algorithm = AES-256-GCM
 *   use = encrypt, decrypt       for a MAC: mac, verify; without this line: all
 *   uid = www-data, 2000-2099    users that may use the key; without uid and gid: root
 *   gid = web                    groups; a match of a user or a group suffices
 *   key = 00112233...
 */
#ifndef HR_KEYFILE_H
#define HR_KEYFILE_H

#include "../control.h"
#include "../service/keytable.h"
#include "lines.h"

enum { KEYS_MAX = 128, KEYS_MAX_FILE = 4096 };

struct named_key {
    char name[CONTROL_NAME];
    struct who who;
    uint16_t alg, uses, len;
    uint8_t bytes[CONTROL_KEY];
};

/* struct named_keys lies in memory of secrets.h. */
struct named_keys {
    unsigned num;
    struct named_key at[KEYS_MAX];
};

/* keyfile_name_is_fine accepts letters, digits, dots, underscores and hyphens, with no dot at the
 * beginning, and less than CONTROL_NAME bytes. */
bool keyfile_name_is_fine(const char *name);
/* keyfile_parse reads a file's text into all members but the name.  Returns 0, or -1; then `error`
 * says what is wrong and contains no part of the key. */
int keyfile_parse(struct named_key *key, const char *text, size_t text_len, who_lookup *lookup,
                  char error[LINES_ERROR]);
/* keyfile_find returns the key of this name, or NULL. */
const struct named_key *keyfile_find(const struct named_keys *keys, const char *name);
/* keyfile_is_same tells whether two keys have the same row, bytes and uses. */
bool keyfile_is_same(const struct named_key *a, const struct named_key *b);

#endif

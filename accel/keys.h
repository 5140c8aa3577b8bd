/* SPDX-License-Identifier: Apache-2.0 */
/* Named long-term keys: a file each in a folder that only the service can read, which
 * `headrace accel key` writes.
 *
 *   algorithm = AES-256-GCM
 *   use = encrypt, decrypt       of a MAC: mac, verify; not given: all
 *   uid = www-data, 2000-2099    whose processes may use it; with gid: any of both; with
 *   gid = web                    neither: root's
 *   key = 00112233...
 */
#ifndef HR_KEYS_H
#define HR_KEYS_H

#include "control.h"
#include "keytable.h"
#include "lines.h"

enum { KEYS_MAX = 128, KEYS_MAX_FILE = 4096 };

struct named_key {
    char name[CONTROL_NAME];
    struct who who;
    uint16_t alg, uses, len;
    uint8_t bytes[CONTROL_KEY];
};

/* In memory of secrets.h. */
struct named_keys {
    unsigned num;
    struct named_key at[KEYS_MAX];
};

/* Letters, digits, dots, underlines and hyphens, no dot first, less than CONTROL_NAME. */
bool key_name_is_fine(const char *name);
/* Reads a file's text, all but the name.  0, or -1: `error` says what is wrong, and nothing of the
 * key is in it. */
int key_parse(struct named_key *key, const char *text, size_t text_len, who_lookup *lookup,
              char error[LINES_ERROR]);
/* NULL: there is none of this name. */
const struct named_key *keys_find(const struct named_keys *keys, const char *name);
/* The same key, for the same uses. */
bool key_is_same(const struct named_key *a, const struct named_key *b);

#endif

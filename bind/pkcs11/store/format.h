/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a token's files (docs/file-format.md, "Tokens").  These functions open no file and
 * keep no state, and accept any bytes. */
#ifndef HR_STORE_FORMAT_H
#define HR_STORE_FORMAT_H

#include "store.h"

enum {
    FORMAT_SALT = 32,
    FORMAT_CHECK = 32,
    FORMAT_TAG = 16,
    FORMAT_PIN = 12 + FORMAT_SALT + FORMAT_CHECK + STORE_KEY + FORMAT_TAG,
    FORMAT_HEAD = 12 + STORE_ID + STORE_LABEL,
    FORMAT_TOKEN = FORMAT_HEAD + 2 * FORMAT_PIN + FORMAT_CHECK,
    FORMAT_OBJECT = 12 + STORE_ID + 8 + FORMAT_SALT + FORMAT_CHECK, /* before the parts */
    FORMAT_MAX_OBJECT = FORMAT_OBJECT + STORE_MAX_PARTS + FORMAT_TAG,
};
_Static_assert((int)FORMAT_MAX_OBJECT <= (int)STORE_SCRATCH, "an object fits the scratch");

/* The token key under one PIN. */
struct format_pin {
    bool is_set;
    struct store_costs costs;
    uint8_t salt[FORMAT_SALT], check[FORMAT_CHECK], sealed[STORE_KEY + FORMAT_TAG];
};

struct format_token {
    uint8_t id[STORE_ID], label[STORE_LABEL];
    struct format_pin pins[2]; /* the SO's, the user's */
    uint8_t check[FORMAT_CHECK];
};

/* format_pin_of returns the seal of a role. */
static inline struct format_pin *format_pin_of(struct format_token *token, enum store_role role)
{
    return &token->pins[role == STORE_USER];
}

/* format_parse reads the file of a token.  Returns 0 or STORE_DAMAGED; then whatever it asks for of
 * Argon2id is within the limits. */
int format_parse(struct format_token *out, const uint8_t *in, size_t len);
void format_write(uint8_t out[FORMAT_TOKEN], const struct format_token *token);
bool format_costs_are_fine(const struct store_costs *costs);

/* format_seal puts the token key under what Argon2id made of a PIN, whose costs and salt are set.
 * format_unseal is its inverse: 0, STORE_WRONG_PIN or STORE_DAMAGED. */
int format_seal(struct format_token *token, enum store_role role, const uint8_t stretched[32],
                const uint8_t key[STORE_KEY]);
int format_unseal(uint8_t key[STORE_KEY], struct format_token *token, enum store_role role,
                  const uint8_t stretched[32]);
/* format_sign makes the check of the whole file; format_verify compares it: 0 or STORE_DAMAGED. */
int format_sign(struct format_token *token, const uint8_t key[STORE_KEY]);
int format_verify(const struct format_token *token, const uint8_t key[STORE_KEY]);

/* An object in the bytes of its file. */
struct format_object {
    uint8_t *bytes, *open, *secret; /* secret: encrypted until format_open */
    size_t open_len, secret_len;
};
/* format_object_parse finds the parts.  Returns 0; STORE_GONE: it is of another token; or
 * STORE_DAMAGED. */
int format_object_parse(struct format_object *out, uint8_t *bytes, size_t len,
                        const uint8_t token[STORE_ID]);
/* format_object_open decrypts the private part in place.  Returns 0 or STORE_DAMAGED; then the part
 * is wiped. */
int format_object_open(struct format_object *object, const uint8_t id[STORE_ID],
                       const uint8_t key[STORE_KEY]);
/* format_object_write writes an object's file and sets its length.  Returns 0, STORE_TOO_LONG, or
 * STORE_SYSTEM. */
int format_object_write(uint8_t *out, size_t *out_len, const uint8_t id[STORE_ID],
                        const struct store_parts *parts, const uint8_t token[STORE_ID],
                        const uint8_t salt[FORMAT_SALT], const uint8_t key[STORE_KEY]);

#endif

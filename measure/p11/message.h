/* SPDX-License-Identifier: Apache-2.0 */
/* Messages through PKCS#11, as contenders of race.h: C_...Init and one call for each. */
#ifndef MEASURE_P11_MESSAGE_H
#define MEASURE_P11_MESSAGE_H

#include "../ways.h"
#include "token.h"

enum { MOST_SIGNATURE = 1024 };

/* A row as PKCS#11 has it. */
struct p11_row {
    const char *symbol;
    bool is_usual;            /* measured if the command names none */
    CK_FLAGS does;            /* CKF_DIGEST, CKF_ENCRYPT or CKF_SIGN */
    CK_MECHANISM_TYPE type;   /* of a message */
    CK_MECHANISM_TYPE hashed; /* of its digest, where a token has no `type`; else the same */
    CK_KEY_TYPE key_type;
    CK_MECHANISM_TYPE pair; /* makes keys, of public key */
};
/* p11_row returns the i-th row, or NULL; p11_row_of that of an algorithm. */
const struct p11_row *p11_row(size_t i);
const struct p11_row *p11_row_of(const struct hr_algorithm *row);

struct p11_message {
    const struct token *token;
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE key, public_key;
    CK_MECHANISM mechanism;
    CK_GCM_PARAMS gcm;
    uint8_t iv[16];
    const uint8_t *in;
    size_t len;
    uint8_t *out;
    CK_ULONG room, out_len;
    struct contender contender;
};

/* p11_message_open makes a key and a session for a cell's messages: key, IV and text are those of
 * `direct`, a direct call that is set up for the cell.  It returns an exit code, or -1 if the token
 * lacks it.  p11_message_close is called in all cases. */
int p11_message_open(struct p11_message *message, const struct token *token,
                     const struct cell *cell, const struct call *direct);
/* p11_message_again does so with the key of `first`, in another session. */
int p11_message_again(struct p11_message *message, const struct p11_message *first);
void p11_message_close(struct p11_message *message);

#endif

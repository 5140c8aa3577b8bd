/* SPDX-License-Identifier: Apache-2.0 */
/* A module of PKCS#11, and a session of its first token. */
#ifndef MEASURE_P11_TOKEN_H
#define MEASURE_P11_TOKEN_H

#include <pkcs11.h>
#include <stdbool.h>

struct token {
    const char *path;
    char name[33]; /* of its manufacturer */
    void *handle;
    CK_FUNCTION_LIST *p11; /* NULL: not opened */
    CK_SLOT_ID slot;
    CK_SESSION_HANDLE session;
    bool has_its_keys; /* keys are found, and not made */
};

/* token_open loads a module and opens a session of the first token that is initialised, or else of
 * the first one.  It returns an exit code, and prints an error.  token_close is called in either
 * case. */
int token_open(struct token *token, const char *path);
void token_close(struct token *token);
/* token_open_service opens the token of the accelerator's service, by the module of ours, if there
 * is one. */
void token_open_service(struct token *token, const struct token *ours);
/* token_session opens another session. */
CK_RV token_session(const struct token *token, CK_SESSION_HANDLE *session);
/* token_has tells whether the token has a mechanism for what the flags say. */
bool token_has(const struct token *token, CK_MECHANISM_TYPE type, CK_FLAGS flags);
/* token_failed prints that a call returned rv, and returns EXIT_FAILURE. */
int token_failed(const struct token *token, const char *call, CK_RV rv);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What token.c and objects.c share. */
#ifndef HR_STORE_TOKEN_H
#define HR_STORE_TOKEN_H

#include "files.h"
#include "format.h"

/* token_random fills a buffer. */
int token_random(uint8_t *out, size_t len);
/* token_read reads the file of the token, in a folder that is locked. */
int token_read(struct format_token *out, int folder);
/* token_begin locks the folder, reads the token's file, and looks whether the token is still the
 * one that `s` knows; if it is not, the token key is wiped.  Tries are locked before the folder. */
int token_begin(struct files *f, struct format_token *out, struct store *s, enum files_lock how);
/* token_done ends a change of ours: what `s` has seen of the folder stays up to date, unless
 * another process changed it too.  Returns `error`, or that of the folder. */
int token_done(struct store *s, const struct files *f, const struct store_state *before, int error);
/* token_delete_objects deletes the objects of all tokens but one. */
int token_delete_objects(int folder, const uint8_t keep[STORE_ID]);

#endif

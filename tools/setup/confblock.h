/* SPDX-License-Identifier: Apache-2.0
 *
 * The marked block that makes an openssl.cnf load Headrace.
 *
 * OpenSSL's format (config(5)) allows a section to be opened again, and a later assignment to
 * replace an earlier one. So nothing in the file is edited: one block at its end opens the sections
 * that are already in use (the init section that openssl_conf names, its provider list, its
 * alg_section) and adds to them; it uses names of its own only if the file has none. ssl_conf's
 * MinProtocol, other providers and everything else stay as they are, and removing the block
 * restores every byte.
 */
#ifndef CONFBLOCK_H
#define CONFBLOCK_H

#include "../../cli/openssl.h"
#include <stdbool.h>
#include <stddef.h>

struct confblock {
    bool all;           /* prefer Headrace for all its algorithms, not only for measured wins */
    const char *module; /* absolute path, or NULL: OpenSSL finds the module by its name */
    const char *win; /* result of calibrate, or NULL: the table that is built into the provider */
    const char *measured; /* OpenSSL and CPU of which `win` was measured */
    const char *without;  /* symbols of rows that are not offered, or "" */
    const char *under;    /* text of a file that is included before, with its block; or NULL */
    bool keeps_wins;      /* without `all` and `win`: what that file chose, unless it is all */
};

/* Makes the block that is to be appended to `base`, or to a file that includes it, in malloc'd
 * memory. Returns NULL with a reason if OpenSSL cannot parse `base`. */
char *confblock_make(const struct openssl *ssl, const char *base, size_t base_len,
                     const struct confblock *what, char *reason, size_t reason_len);

/* Finds the block in a file's text: [*begin, *end). Returns 1 if it is found; 0 if there is
 * none; -1 if it is damaged (one of its two marks is missing, occurs twice, or is
 * on the wrong side). */
int confblock_find(const char *text, size_t *begin, size_t *end);

/* Reads a file's text without the block into malloc'd memory; *whole gets the complete text,
 * which the caller frees too. Returns NULL, with one line printed, if the file cannot be read,
 * contains NULs, or its block is damaged. */
char *confblock_read_base(const char *path, char **whole);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The marked block that makes an openssl.cnf load Headrace.
 *
 * OpenSSL's format (config(5)) lets a section be opened again and a later assignment replace an
 * earlier one.  So nothing of the file is edited: one block at its end opens the sections that are
 * already in use (the init section that openssl_conf names, its provider list, its alg_section) and
 * adds to them, under names of its own only where the file has none.  ssl_conf's MinProtocol, other
 * providers and everything else stay as they are, and taking the block out restores every byte.
 */
#ifndef CONFBLOCK_H
#define CONFBLOCK_H

#include "openssl.h"
#include <stdbool.h>
#include <stddef.h>

struct confblock {
    bool all;           /* prefer Headrace for everything it has, not only for measured wins */
    const char *module; /* absolute path, or NULL: OpenSSL finds it by its name */
    const char *win;    /* calibrate's result, or NULL: the table shipped in the provider */
};

/* The block to append to `base`, or to what includes it, from malloc; or NULL with a reason:
 * OpenSSL cannot parse it. */
char *confblock_make(const struct openssl *ssl, const char *base, size_t base_len,
                     const struct confblock *what, char *reason, size_t reason_len);

/* Where the block lies in a file's text: [*begin, *end).  1: found; 0: there is none; -1: it is
 * damaged (one of its two marks is missing, or they come twice). */
int confblock_find(const char *text, size_t *begin, size_t *end);

/* A file's text without the block, from malloc; *whole gets all of it, for the caller to free.
 * NULL, with one line printed: it cannot be read, holds zero bytes, or its block is damaged. */
char *confblock_read_base(const char *path, char **whole);

#endif

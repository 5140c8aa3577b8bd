/* SPDX-License-Identifier: Apache-2.0 */
/* Where the provider module and OpenSSL's configuration lie. */
#ifndef MODULE_H
#define MODULE_H

#include "openssl.h"
#include <limits.h>
#include <stdbool.h>

struct module {
    char path[PATH_MAX];
    bool is_default; /* in libcrypto's own MODULESDIR: a configuration need not name the file */
};

/* A file that can be read, at this place from the program's own directory: in a build tree. */
bool beside_program(char out[PATH_MAX], const char *rest);
/* Looks in $OPENSSL_MODULES, then in the build tree that this program runs from, then in
 * libcrypto's MODULESDIR.  Where there is none: false, and `path` is where it should be. */
bool module_find(struct module *out, const struct openssl *ssl);
/* The directory's openssl.cnf that programs read without OPENSSL_CONF: OPENSSLDIR/openssl.cnf. */
void system_config(char out[PATH_MAX], const struct openssl *ssl);
/* The file that this environment's programs read: $OPENSSL_CONF or the system's.  "" is none: for
 * OpenSSL a variable that is set, but empty, names no file. */
void effective_config(char out[PATH_MAX], const struct openssl *ssl);

#endif

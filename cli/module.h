/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the provider module and OpenSSL's configuration. */
#ifndef MODULE_H
#define MODULE_H

#include "openssl.h"
#include <limits.h>
#include <stdbool.h>

struct module {
    char path[PATH_MAX];
    bool is_default; /* in libcrypto's MODULESDIR: a configuration need not name the file */
};

/* Finds a readable file by its path relative to the program's directory, as in a build tree. */
bool module_beside_program(char out[PATH_MAX], const char *rest);
/* Looks for the provider module in $OPENSSL_MODULES, then in the build tree of this program or
 * where it was installed with this program, then in libcrypto's MODULESDIR. If there is none,
 * returns false with the path where it should be. */
bool module_find(struct module *out, const struct openssl *ssl);
/* Looks for our PKCS#11 module in the build tree of this program or where it was installed with
 * this program.  If there is none, returns false with the path where it should be. */
bool module_find_pkcs11(char out[PATH_MAX]);
/* The openssl.cnf that programs read if OPENSSL_CONF is not set: OPENSSLDIR/openssl.cnf. */
void module_system_config(char out[PATH_MAX], const struct openssl *ssl);
/* The configuration that programs with this environment read: $OPENSSL_CONF or the system's. ""
 * means none: for OpenSSL, an empty OPENSSL_CONF names no file. */
void module_effective_config(char out[PATH_MAX], const struct openssl *ssl);

#endif

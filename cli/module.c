/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "module.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE "headrace.so"
#define BUILT "/../bind/openssl/" MODULE /* relative to the program's directory in a build tree */
#define INSTALLED HEADRACE_LIBDIR "/../ossl-modules/" MODULE /* of this program's own prefix */

#define PKCS11 "/pkcs11/headrace-pkcs11.so"
#define PKCS11_BUILT "/../bind" PKCS11
#define PKCS11_INSTALLED HEADRACE_LIBDIR "/.." PKCS11

static bool readable(char out[PATH_MAX], const char *path)
{
    return realpath(path, out) && access(out, R_OK) == 0;
}

static bool in_directory(char out[PATH_MAX], const char *directory, const char *rest)
{
    char path[PATH_MAX];
    return (size_t)snprintf(path, sizeof path, "%s%s", directory, rest) < sizeof path &&
           readable(out, path);
}

bool module_beside_program(char out[PATH_MAX], const char *rest)
{
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    return in_directory(out, self, rest);
}

bool module_find(struct module *out, const struct openssl *ssl)
{
    const char *directory = getenv("OPENSSL_MODULES");
    const char *standard = ssl->OPENSSL_info(OPENSSL_INFO_MODULES_DIR);
    char found[PATH_MAX];
    const bool is_standard = in_directory(found, standard, "/" MODULE);
    if ((directory && in_directory(out->path, directory, "/" MODULE)) ||
        module_beside_program(out->path, BUILT) || readable(out->path, INSTALLED)) {
        out->is_default = is_standard && !strcmp(out->path, found);
        return true;
    }
    out->is_default = true;
    snprintf(out->path, PATH_MAX, "%s/" MODULE, standard);
    if (is_standard)
        strcpy(out->path, found);
    return is_standard;
}

bool module_find_pkcs11(char out[PATH_MAX])
{
    if (module_beside_program(out, PKCS11_BUILT) || readable(out, PKCS11_INSTALLED))
        return true;
    snprintf(out, PATH_MAX, "%s", PKCS11_INSTALLED);
    return false;
}

void module_system_config(char out[PATH_MAX], const struct openssl *ssl)
{
    snprintf(out, PATH_MAX, "%s/openssl.cnf", ssl->OPENSSL_info(OPENSSL_INFO_CONFIG_DIR));
}

void module_effective_config(char out[PATH_MAX], const struct openssl *ssl)
{
    const char *named = getenv("OPENSSL_CONF");
    if (named)
        snprintf(out, PATH_MAX, "%s", named);
    else
        module_system_config(out, ssl);
}

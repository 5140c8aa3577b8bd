/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL loads a provider when it reads openssl.cnf.  A process that computes in libcrypto without
 * Headrace's provider, though the file enables it, has not read the file: a library context that a
 * program makes itself (OSSL_LIB_CTX_new) never does.
 */
#define _GNU_SOURCE
#include "unserved.h"
#include "../../cli/providers.h"
#include "../../cli/regular.h"
#include "../escape.h"
#include "shares.h"
#include "waste.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_CONFIG = 1 << 20, MOST = 5 };

unsigned unserved_file(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (has_providers(name))
        return MAPS_LIBCRYPTO;
    return strcmp(name, "headrace.so") ? 0 : MAPS_PROVIDER;
}

/* Whether a configuration contains Headrace's name: 1, 0, or -1 if it is no regular file that can
 * be read. The path is relative to the process's root and current directory. */
static int names_headrace(pid_t pid, const char *path)
{
    char whole[PATH_MAX + 64], *text = NULL;
    size_t len = 0;
    ssize_t n = 1;
    snprintf(whole, sizeof whole, "/proc/%d/%s/%s", (int)pid, *path == '/' ? "root" : "cwd", path);
    const int fd = regular_open(whole);
    if (fd < 0)
        return -1;
    text = malloc(MAX_CONFIG);
    while (text && n > 0 && len < MAX_CONFIG)
        if ((n = read(fd, text + len, MAX_CONFIG - len)) > 0)
            len += (size_t)n;
    const int found = text ? memmem(text, len, "headrace", 8) != NULL : -1;
    close(fd);
    free(text);
    return found;
}

static int system_names_headrace(pid_t pid)
{
    static const char *const places[] = { "/etc/ssl/openssl.cnf", "/usr/lib/ssl/openssl.cnf",
                                          "/etc/pki/tls/openssl.cnf",
                                          "/usr/local/ssl/openssl.cnf" };
    int found = -1;
    for (size_t i = 0; i < sizeof places / sizeof *places && found < 0; i++)
        found = names_headrace(pid, places[i]);
    return found;
}

unsigned unserved_config(pid_t pid, const char *block, size_t len)
{
    static const char variable[] = "OPENSSL_CONF=";
    const char *own = NULL;
    for (size_t at = 0; at < len && memchr(block + at, '\0', len - at) && !own;
         at += strlen(block + at) + 1)
        if (!strncmp(block + at, variable, sizeof variable - 1))
            own = block + at + sizeof variable - 1;
    if (own && names_headrace(pid, own) == 1)
        return CONFIG_ENABLES;
    if (system_names_headrace(pid) != 1)
        return 0;
    return own ? CONFIG_IS_OTHER : CONFIG_ENABLES;
}

/* ---- sentences ---- */

static bool computes_in_libcrypto(const struct report *r, size_t process)
{
    const bool by_process = !strcmp(r->mode, "system");
    for (size_t i = 0; i < r->num_rows; i++)
        if (verdict_share_is_crypto(&r->rows[i]) && strstr(r->rows[i].library, "libcrypto") &&
            (!by_process || r->rows[i].process == process))
            return true;
    return false;
}

static const char *reason(unsigned clues)
{
    if (!(clues & MAPS_LIBCRYPTO) || clues & MAPS_PROVIDER)
        return NULL;
    if (clues & CONFIG_ENABLES)
        return "though its openssl.cnf enables Headrace: it makes a library context of its own, "
               "keeps OpenSSL from reading that file, or read it before Headrace was enabled";
    if (clues & CONFIG_IS_OTHER)
        return "because its OPENSSL_CONF names a file that does not enable Headrace, as the "
               "system's openssl.cnf does";
    return NULL;
}

int unserved_find(struct report *r)
{
    char name[ESCAPE_MAX];
    int failed = 0, num = 0;
    for (size_t i = 0; i < r->num_processes && !failed && num < MOST; i++) {
        const struct report_process *p = &r->processes[i];
        const char *why = p->samples ? reason(p->clues) : NULL;
        if (!why || !computes_in_libcrypto(r, i))
            continue;
        num++;
        failed = waste_add(r, "%s (%d) computes in libcrypto without Headrace's provider, %s.",
                           escape_clean(name, p->name, false), (int)p->pid, why);
    }
    return failed;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Where the token of a user is. */
#define _GNU_SOURCE
#include "store.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int write_path(char out[STORE_MAX_PATH], const char *folder, const char *below)
{
    if (*folder != '/')
        return STORE_REFUSED; /* a program may change its working folder */
    const int len = snprintf(out, STORE_MAX_PATH, "%s%s", folder, below);
    return len < 0 || len >= STORE_MAX_PATH ? STORE_TOO_LONG : 0;
}

int store_folder(char out[STORE_MAX_PATH])
{
    const char *token = secure_getenv("HEADRACE_TOKEN"), *data, *home;
    if (token && *token)
        return write_path(out, token, "");
    if (!geteuid())
        return write_path(out, "/var/lib/headrace/token", "");
    data = secure_getenv("XDG_DATA_HOME");
    if (data && *data == '/') /* others are ignored, as its specification says */
        return write_path(out, data, "/headrace/token");
    home = secure_getenv("HOME");
    return home && *home ? write_path(out, home, "/.local/share/headrace/token") : STORE_NO_TOKEN;
}

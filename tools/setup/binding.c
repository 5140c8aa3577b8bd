/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "binding.h"
#include "../../cli/module.h"
#include "../../cli/tool.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

const struct binding binding_direct = {
    .option = "--direct",
    .file = "libheadrace-direct.so",
    .built = "/../bind/direct/libheadrace-direct.so",
    .variable = "LD_PRELOAD",
    .separates = ": ",
};

const struct binding binding_libmd = {
    .option = "--libmd",
    .file = "libmd/libmd.so.0",
    .built = "/../bind/libmd/libmd.so.0",
    .variable = "LD_LIBRARY_PATH",
    .separates = ":;",
};

/* ---- the command ---- */

bool binding_command(char out[PATH_MAX], const char *command)
{
    const char *path = getenv("PATH");
    if (strchr(command, '/'))
        return (size_t)snprintf(out, PATH_MAX, "%s", command) < PATH_MAX;
    for (path = path ? path : "/bin:/usr/bin"; path; path = strchr(path, ':')) {
        path += *path == ':';
        const int len = (int)strcspn(path, ":");
        if ((size_t)snprintf(out, PATH_MAX, "%.*s%s%s", len, path, len ? "/" : "", command) <
                PATH_MAX &&
            access(out, X_OK) == 0)
            return true;
    }
    return false;
}

/* The reason why the loader would ignore the environment (ld.so(8), secure-execution mode), or
 * NULL. */
static const char *is_privileged(const char *command)
{
    char file[PATH_MAX];
    struct stat st;
    if (!binding_command(file, command) || stat(file, &st) || !S_ISREG(st.st_mode))
        return NULL;
    if (st.st_mode & S_ISUID && st.st_uid != getuid())
        return "is set-user-ID";
    if (st.st_mode & S_ISGID && st.st_gid != getgid())
        return "is set-group-ID";
    if (getuid() != 0 && getxattr(file, "security.capability", NULL, 0) > 0)
        return "has capabilities";
    return NULL;
}

/* ---- the file ---- */

int binding_find(char entry[PATH_MAX], const struct binding *binding, const char *command)
{
    const char *why = is_privileged(command);
    if (why)
        return tool_error("%s %s: the loader ignores %s for it, so %s cannot serve it", command,
                          why, binding->variable, binding->option);
    if (!module_beside_program(entry, binding->built)) {
        snprintf(entry, PATH_MAX, HEADRACE_LIBDIR "/%s", binding->file);
        if (access(entry, R_OK))
            return tool_error("%s is not installed: no %s", binding->option, entry);
    }
    if (!strcmp(binding->variable, "LD_LIBRARY_PATH"))
        *strrchr(entry, '/') = '\0';
    if (strpbrk(entry, binding->separates))
        return tool_error("%s: %s cannot name %s", binding->option, binding->variable, entry);
    return EXIT_SUCCESS;
}

int binding_export(const struct binding *binding, const char *entry)
{
    const char *users = getenv(binding->variable);
    char *value = NULL;
    const bool more = users && *users;
    if (asprintf(&value, "%s%s%s", entry, more ? ":" : "", more ? users : "") < 0)
        return -1;
    const int result = setenv(binding->variable, value, 1);
    free(value);
    return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Finds QEMU, the emulator's library and the program. */
#define _GNU_SOURCE
#include "launcher.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_file(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool fits(int printed, size_t len)
{
    return printed >= 0 && (size_t)printed < len;
}

/* Finds the first executable file of this name in PATH, or else the first file of this name. */
static bool in_path(const char *name, char *path, size_t path_len)
{
    const char *dirs = getenv("PATH");
    char seen[PATH_MAX] = "";
    for (bool more = dirs != NULL; more; dirs++) {
        const size_t len = strcspn(dirs, ":"); /* an empty name is the current folder */
        if (fits(snprintf(path, path_len, "%.*s%s%s", (int)len, dirs, len ? "/" : "./", name),
                 path_len) &&
            is_file(path)) {
            if (!access(path, X_OK))
                return true;
            if (!*seen)
                snprintf(seen, sizeof seen, "%s", path);
        }
        dirs += len;
        more = *dirs == ':';
    }
    return *seen && fits(snprintf(path, path_len, "%s", seen), path_len);
}

int find_qemu(const char *wanted, char *path, size_t path_len)
{
    static const char *const names[] = { "qemu-sparc64", "qemu-sparc64-static" };
    const char *environment = getenv("HEADRACE_QEMU");
    if (!wanted && environment && *environment)
        wanted = environment;
    if (wanted) {
        if (strchr(wanted, '/')
                ? fits(snprintf(path, path_len, "%s", wanted), path_len) && is_file(path)
                : in_path(wanted, path, path_len))
            return 0;
        tool_error("there is no %s", wanted);
        return EXIT_OURS;
    }
    for (size_t i = 0; i < COUNT(names); i++)
        if (in_path(names[i], path, path_len))
            return 0;
    tool_error(
        "there is no qemu-sparc64 in PATH: install QEMU's user mode emulation, version 10 or "
        "later (Debian's package qemu-user; in Debian 12: apt-get install -t bookworm-backports "
        "qemu-user), or name it with --qemu or HEADRACE_QEMU");
    return EXIT_OURS;
}

/* The library in the build folder of this program, or the installed one, relative to PREFIX/bin. */
static bool beside(char *path, size_t path_len)
{
    static const char *const places[] = { "libheadrace-t4emu.so",
                                          "../" HEADRACE_LIBDIR
                                          "/headrace/sparc64/libheadrace-t4emu.so" };
    char self[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len <= 0)
        return false;
    self[len] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < COUNT(places); i++)
        if (fits(snprintf(path, path_len, "%s/%s", self, places[i]), path_len) && is_file(path))
            return true;
    return false;
}

int find_library(const char *wanted, char *path, size_t path_len)
{
    char found[PATH_MAX];
    const char *environment = getenv("HEADRACE_T4EMU_LIBRARY");
    if (!wanted && environment && *environment)
        wanted = environment;
    if (!wanted && beside(found, sizeof found))
        wanted = found;
    if (!wanted) {
        tool_error(
            "there is no libheadrace-t4emu.so, which is compiled for sparc64 and preloaded into "
            "the program: name it with --library or HEADRACE_T4EMU_LIBRARY");
        return EXIT_OURS;
    }
    char whole[PATH_MAX];
    if (!realpath(wanted, whole) || !fits(snprintf(path, path_len, "%s", whole), path_len)) {
        tool_error("%s: %s", wanted, strerror(errno));
        return EXIT_OURS;
    }
    /* QEMU ends a variable at a comma; the loader ends a name at a space or colon. */
    if (strpbrk(path, ", :")) {
        tool_error("%s: a path with comma, space or colon cannot be preloaded", path);
        return EXIT_OURS;
    }
    return 0;
}

int find_program(const char *name, char *path, size_t path_len)
{
    if (strchr(name, '/')
            ? !fits(snprintf(path, path_len, "%s", name), path_len) || access(path, F_OK)
            : !*name || !in_path(name, path, path_len)) {
        tool_error("%s: not found", name);
        return EXIT_NOT_FOUND;
    }
    if (!is_file(path) || access(path, X_OK)) {
        tool_error("%s: not an executable file", path);
        return EXIT_NOT_RUNNABLE;
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks QEMU's version: before 10, it executes the AES instructions as mulx, without a trap and
 * with wrong results. */
#define _GNU_SOURCE
#include "launcher.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NEEDED = 10 };

extern char **environ;

/* Reads the output of `path --version`, as far as it fits. Returns 0 or an errno. */
static int ask(const char *path, char *text, size_t len)
{
    char *argv[] = { (char *)path, (char *)"--version", NULL };
    posix_spawn_file_actions_t actions;
    int pipe_ends[2], status = 0;
    pid_t pid;
    if (pipe2(pipe_ends, O_CLOEXEC)) /* an end may be standard output, if that was closed */
        return errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
    const int error = posix_spawn(&pid, path, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipe_ends[1]);
    size_t used = 0;
    char rest[512];
    while (!error) {
        const bool full = used + 1 >= len;
        const ssize_t n =
            read(pipe_ends[0], full ? rest : text + used, full ? sizeof rest : len - 1 - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        used += full ? 0 : (size_t)n;
    }
    text[used] = '\0';
    close(pipe_ends[0]);
    while (!error && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return error;
}

int version_check_qemu(const char *path)
{
    static const char word[] = "qemu-sparc64 version ";
    char text[256];
    const int error = ask(path, text, sizeof text);
    if (error) {
        tool_error("%s: %s", path, strerror(error));
        return EXIT_OURS;
    }
    const char *version = strstr(text, word);
    version = version ? version + strlen(word) : "";
    if (!isdigit((unsigned char)*version)) {
        tool_error("%s --version does not print a version of QEMU", path);
        return EXIT_OURS;
    }
    if (strtol(version, NULL, 10) >= NEEDED)
        return 0;
    tool_error("%s is version %.*s, and %d or later is needed: older ones execute the T4's AES "
               "instructions as multiplications, and silently compute wrong results. Debian 12 has "
               "version 10 in its backports (apt-get install -t bookworm-backports qemu-user)",
               path, (int)strspn(version, "0123456789."), version, NEEDED);
    return EXIT_OURS;
}

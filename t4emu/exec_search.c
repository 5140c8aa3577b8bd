/* SPDX-License-Identifier: Apache-2.0 */
/* The other calls that execute programs, by means of those in exec.c. */
#define _GNU_SOURCE
#include "guest.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_RUN = 127 };

EXPORT int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return execve(path, argv, envp);
}

/* Sets `out` to the i-th path that a program's name may mean. Returns 0 behind the last, and for
 * a path that is too long. */
static int place(char out[PATH_MAX], const char *name, size_t i)
{
    const char *dirs = getenv("PATH");
    if (strchr(name, '/'))
        return i == 0 && snprintf(out, PATH_MAX, "%s", name) < PATH_MAX;
    for (dirs = dirs ? dirs : "/bin:/usr/bin"; i; i--) {
        dirs += strcspn(dirs, ":");
        if (!*dirs++)
            return 0;
    }
    const int len = (int)strcspn(dirs, ":");
    return snprintf(out, PATH_MAX, "%.*s%s%s", len, dirs, len ? "/" : "", name) < PATH_MAX;
}

/* Runs a file that is no program by a shell, as POSIX requires. */
static void run_script(const char *path, char *const argv[], char *const envp[])
{
    size_t num_args = 0;
    while (argv[num_args])
        num_args++;
    const size_t size = (num_args + 3) * sizeof(char *);
    char **list = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (list == MAP_FAILED)
        return;
    list[0] = (char *)"/bin/sh";
    list[1] = (char *)path;
    if (num_args > 1)
        memcpy(list + 2, argv + 1, (num_args - 1) * sizeof *list);
    execve(list[0], list, envp);
    munmap(list, size);
}

EXPORT int execvpe(const char *name, char *const argv[], char *const envp[])
{
    char path[PATH_MAX];
    int error = ENOENT;
    for (size_t i = 0; *name && place(path, name, i); i++) {
        execve(path, argv, envp);
        if (errno == ENOEXEC)
            run_script(path, argv, envp);
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
            return -1;
        if (errno == EACCES)
            error = EACCES;
    }
    errno = error;
    return -1;
}

EXPORT int execvp(const char *name, char *const argv[])
{
    return execvpe(name, argv, environ);
}

/* Collects the arguments of execl and its variants, which end with NULL. The list is mapped
 * memory, which stays if the call fails. */
static char **list_of(const char *first, va_list args, char ***envp)
{
    va_list again;
    size_t n = 1;
    va_copy(again, args);
    for (const char *arg = first; arg; n++)
        arg = va_arg(again, const char *);
    va_end(again);
    char **list =
        mmap(NULL, n * sizeof *list, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (list == MAP_FAILED)
        return NULL;
    size_t i = 0;
    for (const char *arg = first; arg; arg = va_arg(args, const char *))
        list[i++] = (char *)arg;
    if (envp)
        *envp = va_arg(args, char **);
    return list;
}

EXPORT int execl(const char *path, const char *first, ...)
{
    va_list args;
    va_start(args, first);
    char **list = list_of(first, args, NULL);
    va_end(args);
    return list ? execv(path, list) : -1;
}

EXPORT int execlp(const char *name, const char *first, ...)
{
    va_list args;
    va_start(args, first);
    char **list = list_of(first, args, NULL);
    va_end(args);
    return list ? execvp(name, list) : -1;
}

EXPORT int execle(const char *path, const char *first, ...)
{
    va_list args;
    char **envp = NULL;
    va_start(args, first);
    char **list = list_of(first, args, &envp);
    va_end(args);
    return list ? execve(path, list, envp) : -1;
}

EXPORT int posix_spawnp(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    char path[PATH_MAX];
    for (size_t i = 0; *name && place(path, name, i); i++)
        if (!access(path, X_OK))
            return posix_spawn(pid, path, actions, attributes, argv, envp);
    return ENOENT;
}

/* Runs the shell of the sysroot, if it has one, else that of this machine. */
static int run_shell(const char *command, const sigset_t *mask, const struct sigaction before[2])
{
    char *const argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
    posix_spawnattr_t attributes;
    sigset_t defaults;
    pid_t pid;
    int status = -1;
    sigemptyset(&defaults);
    if (before[0].sa_handler != SIG_IGN)
        sigaddset(&defaults, SIGINT);
    if (before[1].sa_handler != SIG_IGN)
        sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const int error = posix_spawn(&pid, "/bin/sh", NULL, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    if (error)
        return W_EXITCODE(NOT_RUN, 0);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

EXPORT int system(const char *command)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    struct sigaction before[2];
    sigset_t child, mask;
    if (!command)
        return 1;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigaction(SIGINT, &ignore, &before[0]);
    sigaction(SIGQUIT, &ignore, &before[1]);
    sigprocmask(SIG_BLOCK, &child, &mask);
    const int status = run_shell(command, &mask, before);
    const int error = errno;
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGQUIT, &before[1], NULL);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    errno = error;
    return status;
}

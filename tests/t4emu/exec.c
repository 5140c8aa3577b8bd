/* SPDX-License-Identifier: Apache-2.0 */
/* exec and spawn in a program that runs in QEMU: the kernel cannot run a sparc64 program, so the
 * launcher is run with it, as this program was.  Other programs are this machine's, and get no
 * library of another. */
#define _GNU_SOURCE
#include "config.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define PRELOAD "LD_PRELOAD="
#define HANDED_ON T4EMU_PRELOAD "="

/* What takes the place of (path, argv, envp); one block of memory. */
struct call {
    const char *path;
    char **argv, **envp;
    char *others; /* the program's own part of LD_PRELOAD */
};

static int is_sparc64(const char *path)
{
    unsigned char head[20];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t len = fd < 0 ? 0 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    return len == sizeof head && !memcmp(head, ELFMAG, SELFMAG) && head[EI_DATA] == ELFDATA2MSB &&
           head[18] == 0 && head[19] == EM_SPARCV9;
}

static size_t count(char *const *list)
{
    size_t n = 0;
    while (list[n])
        n++;
    return n;
}

/* LD_PRELOAD without the emulator, under the name by which the launcher gets it. */
static void hand_on(struct call *call, const char *value)
{
    char *end = call->others + sprintf(call->others, HANDED_ON);
    while (*value) {
        const size_t len = strcspn(value, ": ");
        if (len && !memmem(value, len, T4EMU_NAME, strlen(T4EMU_NAME)))
            end += sprintf(end, "%s%.*s", end[-1] == '=' ? "" : ":", (int)len, value);
        value += len + (value[len] != '\0');
    }
}

static int rewrite(struct call *call, const char *path, char *const *argv, char *const *envp)
{
    static char end_of_options[] = "--";
    char *launcher = getenv(T4EMU_LAUNCHER);
    const int ours = launcher && is_sparc64(path);
    const size_t num_args = count(argv), num_env = count(envp);
    size_t text = sizeof HANDED_ON;
    for (size_t i = 0; i < num_env; i++)
        if (!strncmp(envp[i], PRELOAD, strlen(PRELOAD)))
            text += strlen(envp[i]);
    char **lists = calloc(num_args + num_env + 8, sizeof *lists);
    call->others = malloc(text);
    if (!lists || !call->others)
        return ENOMEM;
    size_t n = 0;
    call->path = ours ? launcher : path;
    call->argv = lists;
    if (ours) {
        lists[n++] = launcher;
        lists[n++] = end_of_options;
        lists[n++] = (char *)path;
    }
    for (size_t i = ours; i < num_args; i++)
        lists[n++] = argv[i];
    call->envp = &lists[++n];
    for (size_t i = 0; i < num_env; i++)
        if (!launcher || strncmp(envp[i], PRELOAD, strlen(PRELOAD))) {
            lists[n++] = envp[i];
        } else {
            hand_on(call, envp[i] + strlen(PRELOAD));
            lists[n++] = call->others;
        }
    return 0;
}

static void done(struct call *call)
{
    free(call->argv);
    free(call->others);
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    int (*real)(const char *, char *const *, char *const *) =
        (int (*)(const char *, char *const *, char *const *))dlsym(RTLD_NEXT, "execve");
    struct call call = { 0 };
    if ((errno = rewrite(&call, path, argv, envp)) == 0)
        real(call.path, call.argv, call.envp);
    const int error = errno;
    done(&call);
    errno = error;
    return -1;
}

EXPORT int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

/* The i-th place that a name of a program may mean; 0 past the last. */
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

EXPORT int execvpe(const char *name, char *const argv[], char *const envp[])
{
    char path[PATH_MAX];
    int error = ENOENT;
    for (size_t i = 0; *name && place(path, name, i); i++) {
        execve(path, argv, envp);
        if (errno != ENOENT && errno != ENOTDIR && error != EACCES)
            error = errno;
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
            break;
    }
    errno = error;
    return -1;
}

EXPORT int execvp(const char *name, char *const argv[])
{
    return execvpe(name, argv, environ);
}

typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *,
                     const posix_spawnattr_t *, char *const[], char *const[]);

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    spawn_fn *real = (spawn_fn *)dlsym(RTLD_NEXT, "posix_spawn");
    struct call call = { 0 };
    int error = rewrite(&call, path, argv, envp);
    if (!error)
        error = real(pid, call.path, actions, attributes, call.argv, call.envp);
    done(&call);
    return error;
}

EXPORT int posix_spawnp(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    char path[PATH_MAX];
    for (size_t i = 0; place(path, name, i); i++)
        if (!access(path, X_OK))
            return posix_spawn(pid, path, actions, attributes, argv, envp);
    return ENOENT;
}

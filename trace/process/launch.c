/* SPDX-License-Identifier: Apache-2.0
 *
 * Starts COMMAND. It is forked before the tracer attaches or drops privileges, and waits in a read
 * until the tracer is ready. It stays in our process group: signals from the terminal reach both,
 * and job control works as without the tracer.
 */
#define _GNU_SOURCE
#include "process.h"
#include "quote.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, BY_SIGNAL = 128 };

static int become(const struct passwd *user)
{
    return initgroups(user->pw_name, user->pw_gid) || setgid(user->pw_gid) || setuid(user->pw_uid);
}

/* Whether PATH has a file of this name. execvp(3) returns EACCES also if a directory of PATH
 * cannot be searched and no other has the file; a shell says "not found" then. */
static bool is_somewhere(const char *name)
{
    const char *dirs = getenv("PATH");
    char path[PATH_MAX];
    if (strchr(name, '/'))
        return true;
    while (dirs && *dirs) {
        const size_t len = strcspn(dirs, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)len, dirs, name);
        if (!access(path, F_OK))
            return true;
        dirs += len + (dirs[len] == ':');
    }
    return false;
}

/* Prints the failure with one call; stdout's buffer is the parent's. */
static void print_failure(const char *command, int error)
{
    char clean[PATH_MAX];
    quote_text(clean, sizeof clean, command, 0);
    dprintf(STDERR_FILENO, "headrace: cannot run %s: %s\n", clean, strerror(error));
}

/* The child: waits and executes COMMAND. It ends silently at the end of the pipe, because then
 * the parent has ended and printed the reason. */
static _Noreturn void wait_and_exec(int go, int failed, char *const argv[],
                                    const struct passwd *user)
{
    char byte;
    ssize_t got;
    while ((got = read(go, &byte, 1)) < 0 && errno == EINTR)
        ;
    if (got != 1)
        _exit(NOT_EXECUTABLE);
    if (!user || !become(user))
        execvp(argv[0], argv);
    int error = errno;
    if (error == EACCES && !is_somewhere(argv[0]))
        error = ENOENT;
    print_failure(argv[0], error);
    if (write(failed, &error, sizeof error) != (ssize_t)sizeof error)
        _exit(NOT_EXECUTABLE);
    _exit(error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

static int two_pipes(int go[2], int failed[2])
{
    if (pipe2(go, O_CLOEXEC))
        return -1;
    if (!pipe2(failed, O_CLOEXEC))
        return 0;
    close(go[0]);
    close(go[1]);
    return -1;
}

int launch_start(struct launch *launch, char *const argv[], const char *user)
{
    int go[2], failed[2];
    errno = 0;
    const struct passwd *entry = user ? getpwnam(user) : NULL;
    if (user && !entry) {
        errno = EINVAL;
        return -1;
    }
    if (two_pipes(go, failed))
        return -1;
    fflush(NULL);
    /* Our parent may have set SIGCHLD to be ignored: then there would be no exit status. */
    signal(SIGCHLD, SIG_DFL);
    launch->pid = fork();
    if (launch->pid == 0) {
        close(go[1]); /* otherwise our own end would keep the pipe open when the parent is killed */
        wait_and_exec(go[0], failed[1], argv, entry);
    }
    const int error = errno;
    close(go[0]);
    close(failed[1]);
    launch->go = go[1];
    launch->failed = failed[0];
    if (launch->pid > 0)
        return 0;
    close(launch->go);
    close(launch->failed);
    launch->go = launch->failed = -1;
    errno = error;
    return -1;
}

int launch_go(struct launch *launch)
{
    /* If COMMAND was killed meanwhile, SIGPIPE must not end us: its exit status is reported. */
    void (*const before)(int) = signal(SIGPIPE, SIG_IGN);
    const ssize_t put = write(launch->go, "", 1);
    signal(SIGPIPE, before);
    close(launch->go);
    launch->go = -1;
    return put == 1 || errno == EPIPE ? 0 : -1;
}

bool launch_failed(struct launch *launch)
{
    int error;
    const bool failed = read(launch->failed, &error, sizeof error) == (ssize_t)sizeof error;
    close(launch->failed);
    if (launch->go >= 0)
        close(launch->go);
    launch->failed = launch->go = -1;
    return failed;
}

int launch_status(int wait_status)
{
    return WIFSIGNALED(wait_status) ? BY_SIGNAL + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

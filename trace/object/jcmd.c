/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* execvpe, setresuid, setgroups */
#include "jcmd.h"
#include "../budget.h"
#include "../process/process.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TIMEOUT_MS = 15000, /* for a JVM that answers slowly */
    /* When the trace is to end: all time, unless jcmd computes, and its CPU time. */
    GRACE_MS = 1500,
    GRACE_CPU_MS = 3000,
    STEP_MS = 100,
    MAX_TIMEOUTS = 4,
};

/* Limits the time lost with processes that only look like a JVM to a minute. */
static unsigned timeouts;

/* Whether a path of the process is the same file for us: in a container, it may be anybody's
 * file. */
static bool is_our_file(const char *link, const char *path)
{
    struct stat its, ours;
    return !stat(link, &its) && !stat(path, &ours) && its.st_dev == ours.st_dev &&
           its.st_ino == ours.st_ino;
}

/* Finds the jcmd beside the target's java, which has the same version; otherwise execvp finds
 * one on PATH. */
static void find_jcmd(char *out, size_t max, pid_t pid)
{
    char link[64], exe[4000];
    snprintf(link, sizeof link, "/proc/%ld/exe", (long)pid);
    const ssize_t len = readlink(link, exe, sizeof exe - 1);
    snprintf(out, max, "jcmd");
    if (len <= 0)
        return;
    exe[len] = '\0';
    char *slash = strrchr(exe, '/');
    if (!slash || !is_our_file(link, exe))
        return;
    *slash = '\0';
    char beside[4096];
    snprintf(beside, sizeof beside, "%s/jcmd", exe);
    if (!access(beside, X_OK))
        snprintf(out, max, "%s", beside);
}

/* The target's limit of open files: ours was raised. */
static void take_limit(pid_t target)
{
    struct rlimit limit;
    if (!prlimit(target, RLIMIT_NOFILE, NULL, &limit))
        setrlimit(RLIMIT_NOFILE, &limit);
}

/* Runs in the child. A process of another user must not get our share of the machine either, so
 * without the target's control groups there is no jcmd then. */
static void exec_jcmd(pid_t target, uid_t uid, gid_t gid, const char *jcmd)
{
    char pid[32];
    char *const argv[] = { (char *)(uintptr_t)jcmd, pid, (char *)(uintptr_t) "Compiler.perfmap",
                           NULL };
    char *const environment[] = { (char *)(uintptr_t) "PATH=/usr/local/bin:/usr/bin:/bin", NULL };
    const bool same_user = geteuid() == uid;
    const int null = open("/dev/null", O_RDWR);
    snprintf(pid, sizeof pid, "%ld", (long)target);
    if (null < 0 || chdir("/"))
        _exit(126);
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    if (!process_join_cgroups(target) && !same_user)
        _exit(126);
    take_limit(target);
    umask(022);
    if (!same_user && (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid)))
        _exit(126);
    setsid(); /* it does not get signals from the terminal */
    execvpe(jcmd, argv, environment);
    _exit(127);
}

static int64_t milliseconds(clockid_t clock)
{
    struct timespec t = { 0 };
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* When the trace is to end, jcmd gets a little more time, and on a busy machine as long as it
 * computes: at least 2 milliseconds in each step. */
struct grace {
    int64_t since, cpu_since, cpu; /* since 0: the trace goes on */
    int idle_steps;                /* in which it did not compute */
};

static bool is_over(struct grace *g, int64_t now, int64_t cpu)
{
    enum { IDLE_STEPS = 5, COMPUTING_MS = 2 };
    if (!g->since && budget_ending())
        *g = (struct grace){ .since = now, .cpu_since = cpu, .cpu = cpu };
    if (!g->since)
        return false;
    g->idle_steps = cpu - g->cpu >= COMPUTING_MS ? 0 : g->idle_steps + 1;
    g->cpu = cpu;
    return cpu - g->cpu_since >= GRACE_CPU_MS ||
           (now - g->since >= GRACE_MS && g->idle_steps >= IDLE_STEPS);
}

/* Waits until the child ends. Returns false after a time limit, or when the trace is to end and the
 * grace is over: a signal, or the end of the duration. */
static bool wait_ready(int fd, pid_t child)
{
    const int64_t begin = milliseconds(CLOCK_MONOTONIC);
    struct grace grace = { .since = 0 };
    clockid_t clock;
    if (clock_getcpuclockid(child, &clock))
        return false;
    for (;;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        const int ready = poll(&p, 1, STEP_MS);
        const int64_t now = milliseconds(CLOCK_MONOTONIC);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return ready > 0;
        if (now - begin >= TIMEOUT_MS || is_over(&grace, now, milliseconds(clock)))
            return false;
    }
}

static bool wait_child(pid_t child)
{
    int status = -1;
    const int fd = (int)syscall(SYS_pidfd_open, child, 0);
    if (fd < 0 || !wait_ready(fd, child)) {
        timeouts++;
        kill(child, SIGKILL);
    }
    if (fd >= 0)
        close(fd);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int jcmd_run(pid_t target, uid_t uid, gid_t gid)
{
    char jcmd[4096];
    if (timeouts >= MAX_TIMEOUTS || budget_look())
        return -1;
    find_jcmd(jcmd, sizeof jcmd, target);
    const pid_t child = fork();
    if (child == 0)
        exec_jcmd(target, uid, gid, jcmd);
    return child > 0 ? wait_child(child) : -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A sparc64 program under the emulator that executes itself in twelve ways, and also a
 * shell of the machine on which QEMU runs. */
#define _GNU_SOURCE
#include "../../tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FINE = 7, NOT_EXECUTED = 99 };

static char self[PATH_MAX], *const args[] = { (char *)"name", (char *)"child", (char *)"", NULL };
static char *const no_environment[] = { NULL };
static char *const one_variable[] = { (char *)"ONE=1", (char *)"LD_BIND_NOW=1", NULL };

/* The executed copy: checks that it sees a T4, and the arguments as they were given. */
static int child(int argc, char **argv)
{
    uint64_t cfr;
    __asm__ volatile("rd %%asr26, %0" : "=r"(cfr));
    const int fine =
        cfr == 0xefb && argc == 3 && !strcmp(argv[0], "name") && !*argv[2] && !getenv("LD_PRELOAD");
    return fine ? FINE + (getenv("ONE") && getenv("LD_BIND_NOW")) : 1;
}

static void by_execv(void)
{
    execv(self, args);
}

static void by_execve(void)
{
    execve(self, args, one_variable);
}

static void by_execve_without_environment(void)
{
    execve(self, args, no_environment);
}

static void by_proc_self(void)
{
    execv("/proc/self/exe", args);
}

static void by_fexecve(void)
{
    fexecve(open(self, O_RDONLY | O_CLOEXEC), args, no_environment);
}

static void in_path(void)
{
    char copy[PATH_MAX];
    strcpy(copy, self);
    setenv("PATH", dirname(copy), 1);
    strcpy(self, program_invocation_short_name);
}

static void by_execvp(void)
{
    in_path();
    execvp(self, args);
}

static void by_execl(void)
{
    execl(self, "name", "child", "", NULL);
}

static void by_execlp(void)
{
    in_path();
    execlp(self, "name", "child", "", NULL);
}

static void by_execle(void)
{
    execle(self, "name", "child", "", NULL, one_variable);
}

static void spawned(int error, pid_t pid)
{
    int status;
    if (!error && waitpid(pid, &status, 0) == pid && WIFEXITED(status))
        _exit(WEXITSTATUS(status));
}

static void by_spawn(void)
{
    pid_t pid;
    spawned(posix_spawn(&pid, self, NULL, NULL, args, one_variable), pid);
}

static void by_spawnp(void)
{
    pid_t pid;
    in_path();
    spawned(posix_spawnp(&pid, self, NULL, NULL, args, environ), pid);
}

static void by_vfork(void)
{
    const pid_t pid = vfork();
    if (pid == 0) {
        execv(self, args);
        _exit(NOT_EXECUTED);
    }
    spawned(0, pid);
}

static const struct {
    const char *name;
    void (*execute)(void);
    int status;
} ways[] = {
    { "execv", by_execv, FINE },
    { "execve", by_execve, FINE + 1 },
    { "execve without environment", by_execve_without_environment, FINE },
    { "/proc/self/exe", by_proc_self, FINE },
    { "fexecve", by_fexecve, FINE },
    { "execvp", by_execvp, FINE },
    { "execl", by_execl, FINE },
    { "execlp", by_execlp, FINE },
    { "execle", by_execle, FINE + 1 },
    { "posix_spawn", by_spawn, FINE + 1 },
    { "posix_spawnp", by_spawnp, FINE },
    { "vfork", by_vfork, FINE },
};

static int status_of(void (*execute)(void))
{
    int status;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        execute();
        _exit(NOT_EXECUTED);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Runs a shell of the host machine, into which the emulator's library must not be preloaded; then
 * tests the errors of exec. */
static void test_others(void)
{
    setenv("LD_LIBRARY_PATH", "/nowhere", 1);
    const int status = system("test -z \"$LD_PRELOAD$LD_LIBRARY_PATH\" && exit 5");
    tap(WIFEXITED(status) && WEXITSTATUS(status) == 5, "a shell, by system");
    unsetenv("LD_LIBRARY_PATH");
    tap(execl("/nowhere/nothing", "x", NULL) == -1 && errno == ENOENT, "what is not there");
    tap(execlp("", "x", NULL) == -1 && errno == ENOENT, "what has no name");
    tap(execl("/", "x", NULL) == -1 && errno == EACCES, "a folder");
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "child"))
        return child(argc, argv);
    self[readlink("/proc/self/exe", self, sizeof self - 1)] = '\0';
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        const int status = status_of(ways[i].execute);
        if (status != ways[i].status)
            complain("status %d", status);
        tap(1, "%s", ways[i].name);
    }
    test_others();
    return tap_done();
}

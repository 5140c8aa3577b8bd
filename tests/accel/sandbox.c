/* SPDX-License-Identifier: Apache-2.0 */
/* The sandbox blocks the calls that it should: a child tries each of them, in the thread that
 * entered the sandbox and in one that was running before. */
#define _GNU_SOURCE
#include "service/sandbox.h"
#include "../test.h"
#include "service/secrets.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_DONE = 0, EXIT_REFUSED = 40, EXIT_NO_LANDLOCK = 77 };

static int outcome(int failed)
{
    return failed ? EXIT_REFUSED : EXIT_DONE;
}

static int make_socket(void)
{
    return outcome(socket(AF_INET, SOCK_STREAM, 0) < 0);
}
static int make_unix_socket(void)
{
    return outcome(socket(AF_UNIX, SOCK_STREAM, 0) < 0);
}
static int run_program(void)
{
    return outcome(execl("/bin/true", "true", NULL));
}
static int become_another(void)
{
    return outcome(setuid(0));
}
static int map_code(void)
{
    return outcome(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
                   MAP_FAILED);
}
static int write_file(void)
{
    return outcome(open("/tmp/headraced-sandbox", O_WRONLY | O_CREAT, 0600) < 0);
}
static int read_other(void)
{
    return outcome(open("/usr/bin/env", O_RDONLY) < 0);
}
static int read_allowed(void)
{
    return outcome(open("/etc/passwd", O_RDONLY) < 0);
}
static int use_memory(void)
{
    void *memory = secrets_alloc(4096);
    secrets_free(memory, 4096);
    return outcome(!memory);
}

static const struct attempt {
    const char *name;
    int (*make)(void);
    int signal, status;
} attempts[] = {
    { "a socket of the Internet", make_socket, SIGSYS, 0 },
    { "a local socket", make_unix_socket, SIGSYS, 0 },
    { "another program", run_program, SIGSYS, 0 },
    { "another user", become_another, SIGSYS, 0 },
    { "memory that is executed", map_code, SIGSYS, 0 },
    { "a file is written", write_file, SIGSYS, 0 },
    { "a file elsewhere is read", read_other, 0, EXIT_REFUSED },
    { "a file in an allowed folder is read", read_allowed, 0, EXIT_DONE },
    { "locked memory", use_memory, 0, EXIT_DONE },
};

static const struct attempt *current;
static pthread_barrier_t barrier;

static void *other_thread(void *arg)
{
    pthread_barrier_wait(&barrier);
    _exit(current->make());
}

static void in_child(int by_other_thread)
{
    static const char *const folders[] = { "/etc", NULL, "/no/such/folder" };
    const struct rlimit none = { 0, 0 };
    pthread_t thread;
    setrlimit(RLIMIT_CORE, &none);
    const int files = sandbox_files(folders, 3);
    pthread_barrier_init(&barrier, NULL, 2);
    if (files < 0 || (by_other_thread && pthread_create(&thread, NULL, other_thread, NULL)) ||
        sandbox_calls())
        _exit(99);
    if (files > 0 && current->make == read_other)
        _exit(EXIT_NO_LANDLOCK);
    if (!by_other_thread)
        _exit(current->make());
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    _exit(98);
}

static void try(const struct attempt *a, int by_other_thread)
{
    int status;
    current = a;
    const pid_t child = fork();
    if (!child)
        in_child(by_other_thread);
    waitpid(child, &status, 0);
    const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const char *who = by_other_thread ? "a thread that was there before" : "the thread itself";
    if (ended == EXIT_NO_LANDLOCK) {
        tap_skip("this kernel has no Landlock", "%s, by %s", a->name, who);
        return;
    }
    if (by != a->signal || (!by && ended != a->status))
        complain("signal %d, status %d", by, ended);
    tap(!complaints_so_far(), "%s, by %s", a->name, who);
}

int main(void)
{
    for (size_t i = 0; i < COUNT_OF(attempts); i++)
        for (int other = 0; other < 2; other++)
            try(&attempts[i], other);
    return tap_done();
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Holds (stops) a launched program whenever it has mapped code that did not run yet, so that probes
 * are in place before the first call, and counts are exact from the beginning.
 *
 * New code can be caught at two moments. After execve, which has mapped the program and its dynamic
 * loader, ptrace stops the process; it also stops each process at its beginning, because links may
 * be for single processes (probes_multi.c). When the loader has mapped libraries (at the start, and
 * in each dlopen) and before it runs their constructors, it calls the empty function
 * _dl_debug_state, which exists so that debuggers can put a breakpoint there. A uprobe in that
 * function sends the thread SIGURG by bpf_send_signal_thread, and ptrace sees the signal before the
 * program does and suppresses it. This also covers libraries that no DT_NEEDED announces: a
 * provider, an engine, a module of Python that needs libcrypto.
 *
 * The alternatives are worse. The parent notices a stop by SIGSTOP without ptrace (SIGCHLD), and
 * such a stop makes system calls of other threads fail with EINTR. A seccomp filter stays when the
 * tracer has ended, and then system calls fail. A breakpoint in the loader stays as well, and kills
 * the program. With this design nothing stays: the uprobe disappears with its descriptor, ptrace
 * ends with the tracer, and SIGURG is ignored by default.
 *
 * The tracer is a child process of its own, because its ptrace events would otherwise mix with
 * those that the sampler waits for. It has only the socket to the main process. When the socket is
 * closed, the tracer ends, and the kernel releases all traced processes.
 */
#define _GNU_SOURCE /* close_range */
#include "probes_hold.h"
#include <cap-ng.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLLOW (PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE)

static long request(enum __ptrace_request what, pid_t tid, uintptr_t address, uintptr_t data)
{
    return ptrace(what, tid, address, data);
}

static void tell(int socket, const struct held *held)
{
    if (send(socket, held, sizeof *held, MSG_NOSIGNAL) != sizeof *held)
        _exit(0);
}

/* Whether a signal is the SIGURG that our BPF program sent: its origin is the kernel. Go
 * programs also send SIGURG, to their own threads. */
static bool is_ours(pid_t tid, int signal)
{
    siginfo_t info;
    return signal == SIGURG && !request(PTRACE_GETSIGINFO, tid, 0, (uintptr_t)&info) &&
           info.si_code == SI_KERNEL;
}

static uint64_t instruction_pointer(pid_t tid)
{
    struct __ptrace_syscall_info info = { 0 };
    long len = request(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, (uintptr_t)&info);
    return len > 0 ? info.instruction_pointer : 0;
}

/* Whether a stopped new task is a process, not a thread. PTRACE_EVENT_STOP is its beginning,
 * since this tracer never interrupts a task. */
static bool is_process(pid_t tid)
{
    return !syscall(SYS_tgkill, tid, tid, 0) || errno != ESRCH;
}

/* Whether execve was called by a thread other than the first: then the event's message is its
 * former id. */
static bool was_replaced(pid_t tid)
{
    unsigned long former = 0;
    return !request(PTRACE_GETEVENTMSG, tid, 0, (uintptr_t)&former) && former &&
           former != (unsigned long)tid;
}

static void on_stop(int socket, bool births, pid_t tid, int status)
{
    int signal = WSTOPSIG(status), event = status >> 16;
    bool stops = signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
    if (event == PTRACE_EVENT_EXEC)
        tell(socket,
             &(struct held){ .tid = tid, .where = HELD_AT_EXEC, .replaced = was_replaced(tid) });
    else if (event == PTRACE_EVENT_STOP && stops)
        request(PTRACE_LISTEN, tid, 0, 0);
    else if (births && event == PTRACE_EVENT_STOP && is_process(tid))
        tell(socket, &(struct held){ .tid = tid, .where = HELD_AT_BIRTH });
    else if (event)
        request(PTRACE_CONT, tid, 0, 0);
    else if (is_ours(tid, signal))
        tell(socket, &(struct held){ .tid = tid, .ip = instruction_pointer(tid) });
    else
        request(PTRACE_CONT, tid, 0, (uintptr_t)signal);
}

static void drain(int signals, int socket, bool births)
{
    struct signalfd_siginfo info;
    int status;
    pid_t tid;
    while (read(signals, &info, sizeof info) > 0)
        ;
    while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
        if (WIFSTOPPED(status))
            on_stop(socket, births, tid, status);
}

/* The tracer's loop, which ends when the socket is closed. */
static _Noreturn void trace(int socket, pid_t pid, bool births, int signals)
{
    struct held hello = { .tid = pid };
    if (request(PTRACE_SEIZE, pid, 0, FOLLOW))
        hello.error = errno;
    tell(socket, &hello);
    capng_clear(CAPNG_SELECT_CAPS); /* not needed any more: it has attached */
    capng_apply(CAPNG_SELECT_CAPS);
    struct pollfd polls[] = { { .fd = signals, .events = POLLIN },
                              { .fd = socket, .events = POLLIN } };
    while (poll(polls, 2, -1) > 0 || errno == EINTR) {
        struct released go;
        if (polls[0].revents)
            drain(signals, socket, births);
        if (!polls[1].revents)
            continue;
        if (recv(socket, &go, sizeof go, 0) != sizeof go)
            break;
        request(PTRACE_CONT, go.tid, 0, (uintptr_t)go.signal);
    }
    _exit(0);
}

/* Turns the child into the tracer. It closes all descriptors but the socket: a copy of a link or
 * a pipe would stay open when the main process ends. */
static _Noreturn void become_tracer(int socket, pid_t pid, bool births)
{
    static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    prctl(PR_SET_NAME, "headrace-hold");
    if (dup2(socket, STDIN_FILENO) < 0 || close_range(3, ~0u, 0))
        _exit(1);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_SETMASK, &set, NULL);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0)
        _exit(1);
    trace(STDIN_FILENO, pid, births, signals);
}

pid_t hold_start(int *socket, pid_t pid, bool births, char *why, size_t max)
{
    int pair[2];
    struct held hello = { .error = ECHILD };
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
        snprintf(why, max, "socketpair: %m");
        return -1;
    }
    pid_t tracer = fork();
    if (!tracer)
        become_tracer(pair[1], pid, births);
    close(pair[1]);
    if (tracer > 0 && recv(pair[0], &hello, sizeof hello, 0) == sizeof hello && !hello.error) {
        *socket = pair[0];
        return tracer;
    }
    snprintf(why, max, "ptrace: %s", strerror(hello.error));
    close(pair[0]);
    if (tracer > 0)
        waitpid(tracer, NULL, 0);
    return -1;
}

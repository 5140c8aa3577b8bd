/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles signals to the tracer while a trace runs. Handlers only note a signal or forward it; they
 * do not restart system calls, so that a poll returns at once.
 */
#define _GNU_SOURCE
#include "process.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t stop, asked;
static volatile pid_t command;
static volatile int command_fd = -1; /* pidfd: COMMAND's pid may be reused once it is reaped */

static void hand_on(int number)
{
    if (command_fd < 0) /* no pidfd before Linux 5.3 */
        kill(command, number);
    else
        syscall(SYS_pidfd_send_signal, command_fd, number, NULL, 0);
}

/* Handles a signal. si_code > 0 means that the kernel sent it, for the terminal, which has sent
 * it to COMMAND as well. */
static void taken(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    asked = 1;
    if (!command)
        stop = 1;
    else if (info->si_code <= 0)
        hand_on(number);
    errno = error;
}

void signals_take(pid_t pid)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    struct sigaction action = { .sa_sigaction = taken, .sa_flags = SA_SIGINFO }, before;
    command = pid;
    if (pid)
        command_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!sigaction(numbers[i], NULL, &before) && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL); /* signals ignored under nohup stay ignored */
}

bool signals_stop(void)
{
    return stop;
}

bool signals_ending(void)
{
    struct pollfd p = { .fd = command_fd, .events = POLLIN };
    return stop || (asked && command_fd >= 0 && poll(&p, 1, 0) > 0);
}

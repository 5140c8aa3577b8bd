/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals to the tool while a trace runs.  Handlers only note and hand on; they do not restart
 * system calls, so that a poll returns at once.
 */
#define _GNU_SOURCE
#include "process.h"
#include <errno.h>
#include <signal.h>

static volatile sig_atomic_t stop;
static volatile pid_t command;

/* si_code > 0: from the kernel, which is the terminal, which sent it to COMMAND as well. */
static void taken(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    if (!command)
        stop = 1;
    else if (info->si_code <= 0)
        kill(command, number);
    errno = error;
}

void signals_take(pid_t pid)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    struct sigaction action = { .sa_sigaction = taken, .sa_flags = SA_SIGINFO }, before;
    command = pid;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!sigaction(numbers[i], NULL, &before) && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL); /* nohup's stays ignored */
}

bool signals_stop(void)
{
    return stop;
}

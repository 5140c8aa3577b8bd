/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "temporary.h"
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All other signals end a program by default, among them those of real time. */
static const int others[] = {
    SIGKILL, SIGSTOP,                                              /* have no handlers */
    SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH, /* end nothing */
    SIGABRT, SIGBUS,  SIGFPE,  SIGILL,  SIGSEGV, SIGSYS, SIGTRAP,  /* faults */
#ifdef SIGEMT
    SIGEMT,
#endif
};

static char name[PATH_MAX]; /* of the temporary file, or "" */
static pid_t owner;         /* the process that made it: a child must not remove it */

void temporary_signals(sigset_t *set)
{
    sigfillset(set);
    for (size_t i = 0; i < COUNT(others); i++)
        sigdelset(set, others[i]);
}

static void remove_and_die(int number)
{
    if (*name && getpid() == owner)
        unlink(name);
    signal(number, SIG_DFL);
    raise(number);
}

void temporary_catch(void (*handler)(int number))
{
    struct sigaction before, action = { .sa_handler = handler };
    sigset_t set;
    temporary_signals(&set);
    sigfillset(&action.sa_mask);
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&set, number) == 1 && !sigaction(number, NULL, &before) &&
            before.sa_handler == SIG_DFL)
            sigaction(number, &action, NULL);
}

int temporary_open(char *template)
{
    sigset_t all, before;
    if (strlen(template) >= sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    temporary_catch(remove_and_die);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    const int fd = mkostemp(template, O_CLOEXEC);
    const int saved = errno;
    if (fd >= 0) {
        strcpy(name, template);
        owner = getpid();
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return fd;
}

const char *temporary_name(void)
{
    return *name ? name : NULL;
}

void temporary_remove(void)
{
    if (*name)
        unlink(name);
    temporary_forget();
}

void temporary_forget(void)
{
    *name = '\0';
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The older signal calls, implemented by the newer ones, because those of the C library make
 * their system calls directly. */
#define _GNU_SOURCE
#include "guest.h"
#include <errno.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static sighandler_t replace(int number, sighandler_t handler, int flags)
{
    struct sigaction new = { .sa_handler = handler, .sa_flags = flags }, old;
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (!(flags & SA_NODEFER))
        sigaddset(&new.sa_mask, number);
    return sigaction(number, &new, &old) ? SIG_ERR : old.sa_handler;
}

/* The signals that siginterrupt(3) made interrupt calls; the C library keeps such a set too. */
static sigset_t interrupting;

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    return replace(number, handler, sigismember(&interrupting, number) == 1 ? 0 : SA_RESTART);
}

sighandler_t bsd_signal(int number, sighandler_t handler); /* newer standards hide the prototype */
EXPORT sighandler_t bsd_signal(int number, sighandler_t handler)
{
    return signal(number, handler);
}

EXPORT sighandler_t ssignal(int number, sighandler_t handler)
{
    return signal(number, handler);
}

EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler)
{
    return replace(number, handler, SA_RESETHAND | SA_NODEFER);
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
    return __sysv_signal(number, handler);
}

EXPORT int siginterrupt(int number, int interrupt)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action))
        return -1;
    if (interrupt) {
        sigaddset(&interrupting, number);
        action.sa_flags &= ~SA_RESTART;
    } else {
        sigdelset(&interrupting, number);
        action.sa_flags |= SA_RESTART;
    }
    return sigaction(number, &action, NULL);
}

static int mask_one(int how, int number, sigset_t *old)
{
    sigset_t set;
    sigemptyset(&set);
    return sigaddset(&set, number) ? -1 : sigprocmask(how, &set, old);
}

EXPORT int sighold(int number)
{
    return mask_one(SIG_BLOCK, number, NULL);
}

EXPORT int sigrelse(int number)
{
    return mask_one(SIG_UNBLOCK, number, NULL);
}

EXPORT int sigignore(int number)
{
    return replace(number, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

EXPORT sighandler_t sigset(int number, sighandler_t disposition)
{
    sigset_t old;
    struct sigaction was;
    if (disposition == SIG_HOLD) {
        if (mask_one(SIG_BLOCK, number, &old) || sigaction(number, NULL, &was))
            return SIG_ERR;
    } else {
        const struct sigaction new = { .sa_handler = disposition };
        if (sigaction(number, &new, &was) || mask_one(SIG_UNBLOCK, number, &old))
            return SIG_ERR;
    }
    return sigismember(&old, number) == 1 ? SIG_HOLD : was.sa_handler;
}

EXPORT int sigblock(int mask)
{
    return sigsetmask(siggetmask() | mask);
}

EXPORT int sigsetmask(int mask)
{
    sigset_t set, old;
    int was = 0;
    sigemptyset(&set);
    for (int number = 1; number < 32; number++)
        if ((unsigned)mask >> (number - 1) & 1)
            sigaddset(&set, number);
    sigprocmask(SIG_SETMASK, &set, &old);
    for (int number = 1; number < 32; number++)
        was |= (sigismember(&old, number) == 1) << (number - 1);
    return was;
}

EXPORT int siggetmask(void)
{
    sigset_t old;
    int was = 0;
    sigprocmask(SIG_BLOCK, NULL, &old);
    for (int number = 1; number < 32; number++)
        was |= (sigismember(&old, number) == 1) << (number - 1);
    return was;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Signal actions and sets of signals, with SIGILL removed from the sets that the system gets.
 *
 * SIGILL must never be blocked, because the system would end a process whose instruction traps
 * then. If the program blocks it, another signal, the proxy, is blocked instead: the highest one
 * that the system keeps in a mask, SIGRTMAX - 4 under QEMU 10. So the proxy is inherited, saved
 * by sigsetjmp, and restored at the end of a handler in the same way as SIGILL's own bit would
 * be. */
#define _GNU_SOURCE
#include "guest.h"
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

int signals_proxy;

static int (*next_action)(int, const struct sigaction *, struct sigaction *);
static int (*next_mask)(int, const sigset_t *, sigset_t *);

static uint64_t bit(int number)
{
    return UINT64_C(1) << (number - 1);
}

uint64_t signals_raw_mask(int how, uint64_t mask)
{
    uint64_t old = 0;
    syscall(SYS_rt_sigprocmask, how, &mask, &old, sizeof mask);
    return old;
}

/* The highest signal that can be blocked. QEMU has no room in the host's masks for some of the
 * guest's signals. */
static int highest_kept(void)
{
    const uint64_t before = signals_raw_mask(SIG_BLOCK, 0);
    int number = 64;
    while (number > SIGRTMIN) {
        signals_raw_mask(SIG_SETMASK, before | bit(number));
        if (signals_raw_mask(SIG_SETMASK, before) & bit(number))
            break;
        number--;
    }
    return number;
}

void signals_unblock(void)
{
    if (signals_raw_mask(SIG_UNBLOCK, bit(SIGILL)) & bit(SIGILL))
        signals_raw_mask(SIG_BLOCK, bit(signals_proxy));
}

void signals_start(void)
{
    next_action = NEXT(sigaction);
    next_mask = NEXT(sigprocmask);
    signals_proxy = highest_kept();
    signals_unblock(); /* our parent may have blocked it */
}

uint64_t signals_raw(const sigset_t *programs)
{
    uint64_t mask = 0;
    for (int number = 1; number <= 64; number++)
        if (sigismember(programs, number) == 1)
            mask |= bit(number);
    mask &= ~bit(signals_proxy);
    return mask & bit(SIGILL) ? (mask & ~bit(SIGILL)) | bit(signals_proxy) : mask;
}

int signals_blocked(uint64_t mask)
{
    return (mask & bit(signals_proxy)) != 0;
}

sigset_t signals_real(const sigset_t *programs)
{
    sigset_t set = *programs;
    sigdelset(&set, signals_proxy);
    if (sigismember(programs, SIGILL) == 1)
        sigaddset(&set, signals_proxy);
    sigdelset(&set, SIGILL);
    return set;
}

sigset_t signals_programs(const sigset_t *real)
{
    sigset_t set = *real;
    sigdelset(&set, SIGILL);
    if (sigismember(real, signals_proxy) == 1)
        sigaddset(&set, SIGILL);
    return set;
}

int signals_real_action(int number, const struct sigaction *new, struct sigaction *old)
{
    return next_action(number, new, old);
}

/* ---- deaths ---- */

/* The usual signals that end a program by default; illegal.c handles SIGILL. */
static const int deadly[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGABRT, SIGBUS,  SIGFPE,
                              SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2 };

/* Writes the statistics, once. Then the system's action applies (SA_RESETHAND): a fault occurs
 * again by itself, and another signal is raised again. */
static void on_death(int number, siginfo_t *info, void *context)
{
    const int fault = number == SIGSEGV || number == SIGBUS || number == SIGFPE;
    count_write();
    if (!fault || info->si_code <= 0)
        raise(number);
}

static struct sigaction death_action(void)
{
    struct sigaction action = { .sa_sigaction = on_death,
                                .sa_flags = SA_SIGINFO | SA_RESETHAND | SA_NODEFER };
    return action;
}

static int watched(int number)
{
    for (size_t i = 0; guest.stats && i < sizeof deadly / sizeof *deadly; i++)
        if (deadly[i] == number)
            return 1;
    return 0;
}

void signals_watch_deaths(void)
{
    const struct sigaction death = death_action();
    struct sigaction now;
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        if (!next_action(deadly[i], NULL, &now) && now.sa_handler == SIG_DFL)
            next_action(deadly[i], &death, NULL);
}

/* ---- actions ---- */

EXPORT int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    guest_start();
    if (number == SIGILL) {
        illegal_action(new, old);
        return 0;
    }
    struct sigaction real;
    if (new) {
        real = *new;
        real.sa_mask = signals_real(&new->sa_mask);
        if (new->sa_handler == SIG_DFL && watched(number))
            real = death_action();
    }
    const int status = next_action(number, new ? &real : NULL, old);
    if (status || !old)
        return status;
    if (old->sa_sigaction == on_death)
        *old = (struct sigaction){ .sa_handler = SIG_DFL };
    old->sa_mask = signals_programs(&old->sa_mask);
    return 0;
}

int __sigaction(int number, const struct sigaction *new, struct sigaction *old);
EXPORT int __sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    return sigaction(number, new, old);
}

/* ---- masks ---- */

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    guest_start();
    const sigset_t real = set ? signals_real(set) : (sigset_t){ 0 };
    const int status = next_mask(how, set ? &real : NULL, old);
    if (!status && old)
        *old = signals_programs(old);
    return status;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    const int before = errno;
    const int status = sigprocmask(how, set, old) ? errno : 0;
    errno = before;
    return status;
}

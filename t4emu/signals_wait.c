/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait with another signal mask, or for signals: SIGILL in their sets is replaced by
 * the proxy (signals.c). Also timers, for which the C library starts a thread with all signals
 * blocked. */
#define _GNU_SOURCE
#include "guest.h"
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <time.h>

/* Converts a set that may be NULL. */
static const sigset_t *real_set(const sigset_t *set, sigset_t *space)
{
    guest_start();
    if (!set)
        return NULL;
    *space = signals_real(set);
    return space;
}

static int programs_number(int number)
{
    return number == signals_proxy ? SIGILL : number;
}

EXPORT int sigsuspend(const sigset_t *set)
{
    sigset_t space;
    return NEXT(sigsuspend)(real_set(set, &space));
}

EXPORT int sigpending(sigset_t *set)
{
    guest_start();
    const int status = NEXT(sigpending)(set);
    if (!status)
        *set = signals_programs(set);
    return status;
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    sigset_t space;
    const int number = programs_number(NEXT(sigtimedwait)(real_set(set, &space), info, timeout));
    if (number == SIGILL && info)
        info->si_signo = SIGILL;
    return number;
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return sigtimedwait(set, info, NULL);
}

EXPORT int sigwait(const sigset_t *set, int *number)
{
    sigset_t space;
    const int status = NEXT(sigwait)(real_set(set, &space), number);
    if (!status)
        *number = programs_number(*number);
    return status;
}

EXPORT int ppoll(struct pollfd *fds, nfds_t num_fds, const struct timespec *timeout,
                 const sigset_t *set)
{
    sigset_t space;
    return NEXT(ppoll)(fds, num_fds, timeout, real_set(set, &space));
}

EXPORT int pselect(int num_fds, fd_set *in, fd_set *out, fd_set *except,
                   const struct timespec *timeout, const sigset_t *set)
{
    sigset_t space;
    return NEXT(pselect)(num_fds, in, out, except, timeout, real_set(set, &space));
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int num_events, int timeout,
                       const sigset_t *set)
{
    sigset_t space;
    return NEXT(epoll_pwait)(fd, events, num_events, timeout, real_set(set, &space));
}

EXPORT int pthread_attr_setsigmask_np(pthread_attr_t *attributes, const sigset_t *set)
{
    sigset_t space;
    return NEXT(pthread_attr_setsigmask_np)(attributes, real_set(set, &space));
}

/* ---- timers that start threads ---- */

struct notification {
    void (*function)(union sigval);
    union sigval value;
};

static void notify(union sigval value)
{
    const struct notification *programs = value.sival_ptr;
    signals_unblock();
    programs->function(programs->value);
}

/* Creates a timer. The data of its notification are kept as long as the process lives, because a
 * notification may be on its way when the timer is deleted. */
EXPORT int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    guest_start();
    if (!event || event->sigev_notify != SIGEV_THREAD)
        return NEXT(timer_create)(clock, event, timer);
    struct sigevent ours = *event;
    struct notification *kept =
        mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (kept == MAP_FAILED)
        return -1;
    *kept = (struct notification){ event->sigev_notify_function, event->sigev_value };
    ours.sigev_notify_function = notify;
    ours.sigev_value.sival_ptr = kept;
    const int status = NEXT(timer_create)(clock, &ours, timer);
    if (status)
        munmap(kept, sizeof *kept);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The ptrace back end, for systems that refuse perf events. Some 99 times a second, the running
 * threads that have used CPU time are stopped for an instant, and their registers are read. No
 * sleeping thread is stopped for this, because some system calls would return early (signal(7)).
 *
 * Examining a thread costs a little time: with very many threads the rate is lowered.
 */
#define _GNU_SOURCE
#include "sampler_tracees.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_HZ = 99, MIN_HZ = 5, SECOND = 1000000000, LOOK_SHARE = 5 /* 1/5 of an interval */ };

struct ptracer {
    struct tracees tracees;
    int64_t next; /* time of the next look at the threads */
    uint64_t due; /* CPU time for which no sample was taken yet */
    sigset_t child;
};

/* ---- looking ---- */

/* Whether a sample of this thread is due. One is due for each interval of CPU time that all
 * threads together use. It is taken from the thread whose time made it due, or, if that sleeps
 * now, from the next one that runs. */
static bool is_due(struct ptracer *p, struct tracee *t, uint64_t ns, char state, uint64_t interval)
{
    enum { MOST = 4 };
    const uint64_t used = ns > t->ns ? ns - t->ns : 0;
    t->ns = ns;
    p->due = p->due + used < MOST * interval ? p->due + used : MOST * interval;
    if (state != 'R' || !used || p->due < interval)
        return false;
    p->due -= interval;
    return true;
}

static void look(struct ptracer *p, uint64_t interval)
{
    struct tracees *t = &p->tracees;
    for (size_t i = 0; i < t->num; i++) {
        struct tracee *tracee = &t->at[i];
        uint64_t ns;
        char state;
        if (!tracee->asked && sampler_thread_time(tracee->pid, tracee->tid, &ns, &state) &&
            is_due(p, tracee, ns, state, interval))
            tracees_ask(t, tracee);
    }
}

static void look_in_time(struct sampler *s, struct ptracer *p)
{
    const int64_t begin = sampler_now(), interval = SECOND / (int64_t)s->hz;
    if (begin < p->next)
        return;
    look(p, (uint64_t)interval);
    const int64_t end = sampler_now();
    p->next = end + interval;
    if ((end - begin) * LOOK_SHARE <= interval || s->hz <= MIN_HZ)
        return;
    s->hz = s->hz / 2 > MIN_HZ ? s->hz / 2 : MIN_HZ;
    sampler_add_note(s, "so many threads are sampled less often than asked for");
}

/* Waits until a tracee stops, at most until `then`. SIGCHLD is blocked only here, so that one
 * that comes after the last check stays pending until sigtimedwait. */
static int wait_until(const struct ptracer *p, int64_t then)
{
    sigset_t before;
    siginfo_t info = { 0 };
    int error = 0;
    sigprocmask(SIG_BLOCK, &p->child, &before);
    const int64_t left = then - sampler_now();
    const struct timespec t = { left / SECOND, left % SECOND };
    if (left > 0 &&
        !(waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) == 0 &&
          info.si_pid) &&
        sigtimedwait(&p->child, NULL, &t) < 0)
        error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return error == EINTR ? -1 : 0;
}

static int ptrace_poll(struct sampler *s, int timeout_ms)
{
    struct ptracer *p = s->state;
    const int64_t deadline = sampler_now() + (int64_t)timeout_ms * 1000000;
    for (;;) {
        tracees_reap(&p->tracees);
        if (!p->tracees.num)
            s->ended = true;
        if (s->ended || sampler_now() >= deadline)
            return 0;
        look_in_time(s, p);
        if (wait_until(p, p->next < deadline ? p->next : deadline))
            return 0;
    }
}

/* ---- the interface ---- */

static void explain(int error, char *why, size_t max)
{
    const long scope = sampler_setting("/proc/sys/kernel/yama/ptrace_scope");
    if (error == EPERM && scope > 0)
        snprintf(why, max, "ptrace_scope is %ld", scope);
    else if (error == EPERM)
        snprintf(why, max, "ptrace is refused (another user's process, or traced already)");
    else
        snprintf(why, max, "ptrace: %s", strerror(error));
}

static void ptrace_close(struct sampler *s)
{
    struct ptracer *p = s->state;
    tracees_free(&p->tracees);
    free(p);
    s->state = NULL;
}

static int ptrace_open(struct sampler *s, char *why, size_t max)
{
    if (!s->target.pid || !sampler_can_ptrace) {
        snprintf(why, max,
                 s->target.pid ? "ptrace sampling does not exist for this architecture"
                               : "ptrace cannot sample all processes");
        return -1;
    }
    struct ptracer *p = calloc(1, sizeof *p);
    if (!p)
        return -1;
    s->state = p;
    p->tracees.sampler = s;
    sigemptyset(&p->child);
    sigaddset(&p->child, SIGCHLD);
    if (tracees_seize(&p->tracees, s->target.pid)) {
        explain(errno, why, max);
        ptrace_close(s);
        return -1;
    }
    if (s->hz > MAX_HZ)
        s->hz = MAX_HZ;
    if (!s->target.launched)
        tracees_tell_maps(&p->tracees, s->target.pid);
    sampler_add_note(s, "sampled by ptrace, %d times a second at most: perf events are refused",
                     MAX_HZ);
    return 0;
}

static void ptrace_stop(struct sampler *s)
{
    struct ptracer *p = s->state;
    tracees_release(&p->tracees);
}

const struct sampler_backend sampler_ptrace = {
    .name = "ptrace",
    .open = ptrace_open,
    .poll = ptrace_poll,
    .stop = ptrace_stop,
    .close = ptrace_close,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Measures many processes that do the same at once: their CPU time, and how much they compute
 * together. */
#define _GNU_SOURCE
#include "crowd.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct member {
    uint64_t requests;
    double cpu_ns;
};

struct crowd {
    int fds[CROWD_MAX]; /* a byte for "begin" in one direction, and for "ended" in the other */
    pid_t pids[CROWD_MAX];
    unsigned num;
    struct shared {
        _Atomic int stop;
        struct member members[CROWD_MAX];
    } * shared;
};

static double clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* ---- one process of a crowd ---- */

static void work_until_stopped(const struct contender *c, uint64_t chunk, struct shared *shared,
                               struct member *m)
{
    const double begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t n = 0;
    do {
        c->run(c->ctx, chunk);
        n += chunk;
    } while (!atomic_load_explicit(&shared->stop, memory_order_relaxed));
    m->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
    m->requests = n;
}

static void be_member(int fd, unsigned i, struct shared *shared, const struct crowd_work *work)
{
    struct contender c;
    char byte;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (work->num_cpus)
        bench_run_on_cpu(work->service, (int)i % work->num_cpus);
    else
        bench_run_anywhere();
    void *opened = work->open(&c, work->arg);
    if (!opened)
        _exit(1);
    c.run(c.ctx, work->warm);
    while (send(fd, "", 1, MSG_NOSIGNAL) == 1 && recv(fd, &byte, 1, 0) == 1)
        work_until_stopped(&c, work->chunk, shared, &shared->members[i]);
    work->close(opened);
    _exit(0);
}

/* ---- the whole crowd ---- */

static int await(const struct crowd *c, unsigned num)
{
    char byte;
    for (unsigned i = 0; i < num; i++)
        if (recv(c->fds[i], &byte, 1, 0) != 1)
            return tool_error("accel: a process of the measurement ended early");
    return EXIT_SUCCESS;
}

/* add forks one more process. */
static int add(struct crowd *c, const struct crowd_work *work)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return tool_error("accel: %s", strerror(errno));
    const unsigned i = c->num++;
    c->pids[i] = fork();
    if (c->pids[i] == 0) {
        close(pair[0]);
        be_member(pair[1], i, c->shared, work);
    }
    close(pair[1]);
    c->fds[i] = pair[0];
    return c->pids[i] < 0 ? tool_error("accel: cannot fork: %s", strerror(errno)) : EXIT_SUCCESS;
}

void crowd_dismiss(struct crowd *c)
{
    for (unsigned i = 0; c && i < c->num; i++) {
        close(c->fds[i]);
        if (c->pids[i] > 0 && !kill(c->pids[i], SIGTERM))
            waitpid(c->pids[i], NULL, 0);
    }
    if (c && c->shared)
        munmap(c->shared, sizeof *c->shared);
    free(c);
}

struct crowd *crowd_gather(const struct crowd_work *work, unsigned processes)
{
    struct crowd *c = calloc(1, sizeof *c);
    void *shared =
        mmap(NULL, sizeof *c->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int code = c && shared != MAP_FAILED ? EXIT_SUCCESS : tool_error("out of memory");
    if (c && !code)
        c->shared = shared;
    for (unsigned i = 0; i < processes && i < CROWD_MAX && !code; i++)
        code = add(c, work);
    if (!code)
        code = await(c, c->num);
    if (!code)
        return c;
    crowd_dismiss(c);
    return NULL;
}

int crowd_turn(struct crowd_turn *out, struct crowd *c, unsigned processes, unsigned ms)
{
    const struct timespec pause = { ms / 1000, (long)(ms % 1000) * 1000000 };
    const unsigned num = processes < c->num ? processes : c->num;
    *out = (struct crowd_turn){ 0 };
    atomic_store(&c->shared->stop, 0);
    const double begin = clock_ns(CLOCK_MONOTONIC_RAW);
    for (unsigned i = 0; i < num; i++)
        if (send(c->fds[i], "", 1, MSG_NOSIGNAL) != 1)
            return tool_error("accel: a process of the measurement is gone");
    nanosleep(&pause, NULL);
    atomic_store(&c->shared->stop, 1);
    const int code = await(c, num);
    out->ns = clock_ns(CLOCK_MONOTONIC_RAW) - begin;
    for (unsigned i = 0; i < num; i++) {
        out->requests += (double)c->shared->members[i].requests;
        out->cpu_ns += c->shared->members[i].cpu_ns;
    }
    return code;
}

/* ---- the ways of bench.h ---- */

struct way_of {
    enum bench_way way;
    const struct bench_work *work;
    const struct bench_sides *sides;
};

static void *open_way(struct contender *out, const void *arg)
{
    const struct way_of *of = arg;
    return bench_open(out, of->way, of->work, of->sides);
}

static void close_way(void *side)
{
    bench_close(side);
}

static int race_turn(struct crowd_result *out, struct crowd *c, unsigned round, unsigned ms)
{
    struct crowd_turn turn;
    const int code = crowd_turn(&turn, c, CROWD_MAX, ms);
    out->cpu_ns[round] = turn.cpu_ns / (turn.requests > 0 ? turn.requests : 1);
    out->rate[round] = turn.requests * 1e9 / turn.ns;
    return code;
}

int bench_crowd_race(struct crowd_result out[2], const struct crowd_plan plans[2],
                     const struct bench_work *work, const struct bench_sides *sides,
                     unsigned rounds, unsigned ms)
{
    struct crowd *crowds[2] = { NULL };
    int code = EXIT_SUCCESS;
    for (int side = 0; side < 2 && !code; side++) {
        const struct way_of of = { plans[side].way, work, sides };
        const struct crowd_work each = { .open = open_way,
                                         .close = close_way,
                                         .arg = &of,
                                         .warm = 1000,
                                         .chunk = bench_is_batch(of.way) ? 1024 : 1,
                                         .service = sides->service,
                                         .num_cpus = plans[side].num_cpus };
        crowds[side] = crowd_gather(&each, plans[side].processes);
        code = crowds[side] ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    for (unsigned r = 0; r < rounds && !code; r++)
        for (int side = 0; side < 2 && !code; side++)
            code = race_turn(&out[side], crowds[side], r, ms);
    for (int side = 0; side < 2; side++)
        crowd_dismiss(crowds[side]);
    return code;
}

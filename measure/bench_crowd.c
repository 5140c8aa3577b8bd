/* SPDX-License-Identifier: Apache-2.0 */
/* Measures many processes that do the same at once: their CPU time, and how much they compute
 * together. */
#define _GNU_SOURCE
#include "bench.h"
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
    for (; !atomic_load_explicit(&shared->stop, memory_order_relaxed); n += chunk)
        c->run(c->ctx, chunk);
    m->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
    m->requests = n;
}

static void be_member(int fd, unsigned i, struct shared *shared, const struct crowd_plan *plan,
                      const struct bench_work *work, const struct bench_sides *sides)
{
    struct contender c;
    char byte;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    bench_run_on_cpu(sides->service, (int)i % plan->num_cpus);
    struct bench_side *side = bench_open(&c, plan->way, work, sides);
    if (!side)
        _exit(1);
    c.run(c.ctx, 1000);
    while (send(fd, "", 1, MSG_NOSIGNAL) == 1 && recv(fd, &byte, 1, 0) == 1)
        work_until_stopped(&c, bench_is_batch(plan->way) ? 1024 : 1, shared, &shared->members[i]);
    bench_close(side);
    _exit(0);
}

/* ---- the whole crowd ---- */

static int await_all(const struct crowd *c)
{
    char byte;
    for (unsigned i = 0; i < c->num; i++)
        if (recv(c->fds[i], &byte, 1, 0) != 1)
            return tool_error("accel: a process of the measurement ended early");
    return EXIT_SUCCESS;
}

static int gather(struct crowd *c, const struct crowd_plan *plan, const struct bench_work *work,
                  const struct bench_sides *sides)
{
    memset(c, 0, sizeof *c);
    c->shared =
        mmap(NULL, sizeof *c->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->shared == MAP_FAILED)
        return tool_error("accel: %s", strerror(errno));
    for (unsigned i = 0; i < plan->processes && i < CROWD_MAX; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
            return tool_error("accel: %s", strerror(errno));
        c->pids[i] = fork();
        if (c->pids[i] == 0) {
            close(pair[0]);
            be_member(pair[1], i, c->shared, plan, work, sides);
        }
        close(pair[1]);
        c->fds[i] = pair[0];
        c->num++;
        if (c->pids[i] < 0)
            return tool_error("accel: cannot fork: %s", strerror(errno));
    }
    return await_all(c);
}

static void dismiss(struct crowd *c)
{
    for (unsigned i = 0; i < c->num; i++) {
        close(c->fds[i]);
        if (c->pids[i] > 0 && !kill(c->pids[i], SIGTERM))
            waitpid(c->pids[i], NULL, 0);
    }
    if (c->shared && c->shared != MAP_FAILED)
        munmap(c->shared, sizeof *c->shared);
}

static int crowd_turn(struct crowd *c, unsigned ms, double *cpu_ns, double *rate)
{
    const struct timespec pause = { ms / 1000, (long)(ms % 1000) * 1000000 };
    struct member sum = { 0 };
    atomic_store(&c->shared->stop, 0);
    const double begin = clock_ns(CLOCK_MONOTONIC_RAW);
    for (unsigned i = 0; i < c->num; i++)
        if (send(c->fds[i], "", 1, MSG_NOSIGNAL) != 1)
            return tool_error("accel: a process of the measurement is gone");
    nanosleep(&pause, NULL);
    const double took = clock_ns(CLOCK_MONOTONIC_RAW) - begin;
    atomic_store(&c->shared->stop, 1);
    const int code = await_all(c);
    for (unsigned i = 0; i < c->num; i++) {
        sum.requests += c->shared->members[i].requests;
        sum.cpu_ns += c->shared->members[i].cpu_ns;
    }
    *cpu_ns = sum.cpu_ns / (double)(sum.requests ? sum.requests : 1);
    *rate = (double)sum.requests * 1e9 / took;
    return code;
}

int bench_crowd_race(struct crowd_result out[2], const struct crowd_plan plans[2],
                     const struct bench_work *work, const struct bench_sides *sides,
                     unsigned rounds, unsigned ms)
{
    struct crowd crowds[2] = { 0 };
    int code = EXIT_SUCCESS;
    for (int side = 0; side < 2 && !code; side++)
        code = gather(&crowds[side], &plans[side], work, sides);
    for (unsigned r = 0; r < rounds && !code; r++)
        for (int side = 0; side < 2 && !code; side++)
            code = crowd_turn(&crowds[side], ms, &out[side].cpu_ns[r], &out[side].rate[r]);
    for (int side = 0; side < 2; side++)
        dismiss(&crowds[side]);
    return code;
}

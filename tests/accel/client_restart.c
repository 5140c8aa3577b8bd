/* SPDX-License-Identifier: Apache-2.0 */
/* The service is killed, or revokes the client's ring, while jobs are on their way: none fails, and
 * none is wrong. */
#include "client.h"
#include "ticks.h"
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

enum { THREADS = 4, RESTARTS = 40, JOBS = 100 };

static _Atomic int stop;
static _Atomic unsigned wrong, runs, seen;

static void *load(void *arg)
{
    struct hr_queue *queue;
    if (hr_queue_connect(&queue, NULL)) {
        wrong++;
        return NULL;
    }
    while (!stop) {
        wrong += (unsigned)tasks_run(queue, 64, (uintptr_t)arg % 2 ? 40 : TASK_MOST);
        seen += (unsigned)hr_queue_connected(queue);
        runs++;
    }
    hr_queue_close(queue);
    return NULL;
}

/* revoke_client asks the service to revoke a client's ring, or all if `client` is 0.  It returns
 * the service's result, or -1. */
static int revoke_client(uint64_t client)
{
    const struct control_request request = { .magic = CONTROL_MAGIC,
                                             .type = CONTROL_REVOKE,
                                             .handle = client };
    struct control_reply reply;
    const int fd = raw_connect(&service);
    const int error = fd < 0 || raw_ask(fd, &request, sizeof request, &reply, NULL, 0);
    close(fd);
    return error ? -1 : reply.result;
}

static void revoke_all(void)
{
    if (revoke_client(0))
        complain("nothing is revoked");
}

static void check_load(void)
{
    pthread_t threads[THREADS];
    stop = 0;
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, load, (void *)i);
    const char *text = getenv("HEADRACE_TEST_RESTARTS");
    const int restarts = text ? atoi(text) : RESTARTS;
    for (int i = 0; i < restarts; i++) {
        usleep(random_below(30000));
        if (i % 4 == 3) {
            revoke_all();
            continue;
        }
        service_kill(&service);
        usleep(random_below(10000));
        service_listens(&service);
    }
    for (const unsigned before = seen; seen == before;) /* until a run is connected */
        usleep(1000);
    stop = 1;
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    tap(!wrong, "%d restarts and revocations, %u runs of 64 jobs, %u of them ended connected",
        restarts, (unsigned)runs, (unsigned)seen);
}

/* check_outstanding ends the service while the ring is full of jobs, some of them in place. */
static void check_outstanding(int how)
{
    static struct task tasks[JOBS];
    struct hr_job *jobs[JOBS], *done[JOBS];
    struct hr_queue *queue;
    int back = 0;
    if (hr_queue_connect(&queue, NULL))
        complain("no queue");
    while (!hr_queue_connected(queue)) {
        tasks_run(queue, 16, 10);
        usleep(1000);
    }
    for (unsigned i = 0; i < JOBS; i++) {
        task_make(&tasks[i], i, TASK_MOST);
        jobs[i] = &tasks[i].job;
    }
    const int took = hr_queue_submit(queue, jobs, JOBS);
    if (how == 0) {
        service_kill(&service);
    } else if (how == 1) {
        revoke_all();
    } else {
        service_kill(&service);
        service_again(&service);
    }
    while (back < took) {
        const int got = hr_queue_poll(queue, done, JOBS, how != 1);
        for (int i = 0; i < got; i++)
            task_check(done[i]->user);
        back += got;
    }
    hr_queue_close(queue);
    if (how == 0)
        service_again(&service);
    tap(1, "%d jobs outstanding: %s", took,
        how == 0   ? "killed"
        : how == 1 ? "revoked"
                   : "killed and restarted");
}

/* check_shared checks that a queue without a sub-ring of its own notices, too, that the service was
 * killed, though nobody says so: the fastest of several times, because this process may be kept
 * waiting. */
static void check_shared(void)
{
    enum { TRIES = 5, FAST = 200000 /* us */ };
    struct hr_queue *queues[RING_MAX_RINGS], *guest = NULL;
    uint64_t fastest = UINT64_MAX;
    for (int i = 0; i < TRIES && fastest > FAST; i++) {
        for (size_t k = 0; k < COUNT_OF(queues); k++)
            if (hr_queue_connect(&queues[k], NULL) || !hr_queue_connected(queues[k]))
                complain("queue %zu is not connected", k);
        guest = queues[RING_MAX_RINGS - 1]; /* one sub-ring is kept for such */
        static struct task tasks[JOBS];
        struct hr_job *jobs[JOBS], *done[JOBS];
        int back = 0;
        for (unsigned k = 0; k < JOBS; k++) {
            task_make(&tasks[k], k, 100);
            jobs[k] = &tasks[k].job;
        }
        kill(service.pid, SIGSTOP);
        const int took = hr_queue_submit(guest, jobs, JOBS);
        service_kill(&service);
        const uint64_t begin = ticks_clock();
        while (back < took)
            back += hr_queue_poll(guest, done, JOBS, 1);
        const uint64_t us = (ticks_clock() - begin) / 1000;
        fastest = us < fastest ? us : fastest;
        for (int k = 0; k < took; k++)
            task_check(&tasks[k]);
        for (size_t k = 0; k < COUNT_OF(queues); k++)
            hr_queue_close(queues[k]);
        service_again(&service);
    }
    if (fastest > FAST)
        complain("it takes %u ms", (unsigned)(fastest / 1000));
    tap(1, "a queue that shares a sub-ring goes on at once when the service is killed");
}

static int count_descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* check_idle checks that an unused queue does not notice when its connection is lost, that other
 * queues connect again, and that the descriptors of lost connections are closed. */
static void check_idle(void)
{
    struct hr_queue *idle, *other;
    if (hr_queue_connect(&idle, service.socket) || !hr_queue_connected(idle))
        complain("not connected");
    const int before = count_descriptors();
    for (int i = 0; i < 5; i++) {
        revoke_all();
        if (hr_queue_connect(&other, service.socket) || !hr_queue_connected(other) ||
            tasks_run(other, 10, 1000))
            complain("not connected again");
        hr_queue_close(other);
    }
    hr_queue_close(idle);
    tap(count_descriptors() <= before, "connections that were lost unnoticed are closed");
}

/* knock makes a submit try to connect to a stopped service, so that the attempt stays pending. */
static void knock(struct hr_queue *queue)
{
    service_kill(&service);
    while (hr_queue_connected(queue))
        (void)tasks_run(queue, 16, 100);
    const int before = count_descriptors(); /* without that of an attempt: nobody listens */
    service_again(&service);
    kill(service.pid, SIGSTOP);
    while (count_descriptors() <= before) {
        (void)tasks_run(queue, 16, 100);
        usleep(1000);
    }
}

/* check_opened checks that a new queue is connected to the current service, whatever state or
 * pending attempt an older queue has. */
static void check_opened(int how)
{
    static const char *const what[] = { "a service is killed", "one that was knocked at is killed",
                                        "what was knocked for is revoked" };
    struct hr_queue *queue, *opened;
    if (hr_queue_connect(&queue, service.socket) || !hr_queue_connected(queue))
        complain("not connected");
    if (how)
        knock(queue);
    if (how < 2) {
        service_kill(&service);
        service_again(&service);
    } else {
        kill(service.pid, SIGCONT);
        while (revoke_client(1))
            usleep(1000);
    }
    if (hr_queue_connect(&opened, service.socket) || !hr_queue_connected(opened) ||
        tasks_run(opened, 16, 1000) || !hr_queue_connected(opened))
        complain("not connected to the next");
    hr_queue_close(opened);
    hr_queue_close(queue);
    tap(1, "%s, and a queue is opened", what[how]);
}

void client_restart(void)
{
    struct hr_queue *queue;
    if (hr_queue_connect(&queue, service.socket) || !hr_queue_connected(queue))
        complain("not connected");
    hr_queue_close(queue);
    for (int i = 0; i < 9; i++)
        check_outstanding(i % 3);
    for (int i = 0; i < 3; i++)
        check_opened(i);
    check_idle();
    check_shared();
    check_load();
}

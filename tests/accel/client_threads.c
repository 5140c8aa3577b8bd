/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that start and end: a sub-ring, with its request numbers, passes from one thread to
 * another. */
#include "client.h"
#include <signal.h>
#include <unistd.h>

enum { AT_ONCE = 64, ROUNDS = 40, JOBS = 20 };

static _Atomic int wrong, connected;

static int run_own(unsigned i)
{
    struct task *t = malloc(sizeof *t);
    task_make(t, i, 200);
    const int bad = task_run(t);
    free(t);
    return bad;
}

/* own runs jobs on the thread's own queue, which is closed at the thread's end. */
static void *own(void *arg)
{
    for (unsigned i = 0; i < JOBS; i++)
        wrong += run_own((unsigned)(uintptr_t)arg + i);
    return NULL;
}

static void *opened(void *arg)
{
    struct hr_queue *queue;
    if (hr_queue_connect(&queue, NULL)) {
        wrong++;
        return NULL;
    }
    connected += hr_queue_connected(queue);
    wrong += tasks_run(queue, JOBS, 300);
    hr_queue_close(queue);
    return arg;
}

static void come_and_go(void *(*run)(void *), const char *what)
{
    pthread_t threads[AT_ONCE];
    wrong = 0;
    for (unsigned i = 0; i < AT_ONCE * ROUNDS; i++) {
        if (i >= AT_ONCE)
            pthread_join(threads[i % AT_ONCE], NULL);
        if (pthread_create(&threads[i % AT_ONCE], NULL, run, (void *)(uintptr_t)i))
            complain("no thread");
    }
    for (unsigned i = 0; i < AT_ONCE; i++)
        pthread_join(threads[i], NULL);
    tap(!wrong, "%d threads, up to %d at once: %s", AT_ONCE * ROUNDS, AT_ONCE, what);
}

/* check_all checks that all sub-rings are free again, and that a queue that gets none runs its jobs
 * itself. */
static void check_all(void)
{
    struct hr_queue *queues[RING_MAX_RINGS + 2];
    int num = 0;
    for (size_t i = 0; i < COUNT_OF(queues); i++) {
        if (hr_queue_connect(&queues[i], NULL))
            complain("no queue %zu", i);
        num += hr_queue_connected(queues[i]);
    }
    if (num != RING_MAX_RINGS)
        complain("%d queues are connected", num);
    for (size_t i = 0; i < COUNT_OF(queues); i++)
        tasks_run(queues[i], 32, 300);
    for (size_t i = 0; i < COUNT_OF(queues); i++)
        hr_queue_close(queues[i]);
    tap(1, "%d queues in one thread, and two more that run here", RING_MAX_RINGS);
}

/* A thread that is cancelled during a job must end after the job: otherwise the service would write
 * to a stack that is used for something else by then. */
static _Atomic int began, ended;

static void *cancelled(void *arg)
{
    atomic_store(&began, 1);
    wrong += run_own(3);
    atomic_store(&ended, 1);
    while (pause() < 0)
        pthread_testcancel();
    return arg;
}

static void check_cancel(void)
{
    pthread_t thread;
    void *result = NULL;
    kill(service.pid, SIGSTOP);
    if (pthread_create(&thread, NULL, cancelled, NULL))
        exit(1);
    while (!began)
        usleep(1000);
    usleep(20000);
    pthread_cancel(thread);
    usleep(20000);
    kill(service.pid, SIGCONT);
    pthread_join(thread, &result);
    tap(ended && result == PTHREAD_CANCELED, "a thread that is cancelled ends its job first");
}

void client_threads(void)
{
    struct hr_queue *queue;
    if (hr_queue_connect(&queue, service.socket))
        complain("no queue");
    hr_queue_close(queue);
    check_all();
    come_and_go(own, "hr_accel_run");
    come_and_go(opened, "queues of their own");
    check_cancel();
    tap(connected > 0, "%d of those were connected", (int)connected);
    check_all();
}

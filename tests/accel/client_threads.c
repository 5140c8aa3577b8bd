/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that start and end: a sub-ring, with its request numbers, passes from one thread to
 * another. */
#include "client.h"
#include <headrace/algorithms.h>
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

/* check_all checks that all sub-rings are free again, and that queues which get none share one. */
static void check_all(void)
{
    struct hr_queue *queues[RING_MAX_RINGS + 3];
    int num = 0;
    for (size_t i = 0; i < COUNT_OF(queues); i++) {
        if (hr_queue_connect(&queues[i], NULL))
            complain("no queue %zu", i);
        num += hr_queue_connected(queues[i]);
    }
    if (num != COUNT_OF(queues))
        complain("%d queues are connected", num);
    for (size_t i = 0; i < COUNT_OF(queues); i++)
        tasks_run(queues[i], 32, 300);
    for (size_t i = 0; i < COUNT_OF(queues); i++)
        hr_queue_close(queues[i]);
    tap(1, "%d queues in one thread, of which the last ones share a sub-ring", num);
}

/* ---- more threads than sub-rings ---- */

enum { CROWD = 200 };
static uint8_t crowd_tag[32];
static pthread_barrier_t all_there;
static _Atomic int answered;

/* in_crowd runs jobs under a handle too, whose key only the service has. */
static void *in_crowd(void *arg)
{
    const uint64_t *handle = arg;
    struct hr_queue *queue;
    uint8_t tag[32];
    struct hr_job mac = { .alg = HR_HMAC_SHA256,
                          .key_form = HR_KEY_HANDLE,
                          .handle = *handle,
                          .tag = tag,
                          .in = "text",
                          .len = 4 },
                  *jobs = &mac, *done;
    if (hr_queue_connect(&queue, NULL))
        abort();
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < 5; i++) {
        wrong += tasks_run(queue, JOBS, 300);
        wrong += hr_queue_submit(queue, &jobs, 1) != 1 || hr_queue_poll(queue, &done, 1, 1) != 1 ||
                 mac.result || memcmp(tag, crowd_tag, sizeof tag);
        answered++;
    }
    pthread_barrier_wait(&all_there);
    hr_queue_close(queue);
    return NULL;
}

static void check_crowd(void)
{
    pthread_t threads[CROWD];
    static const uint8_t key[20] = "a key of 20 bytes..";
    struct hr_hmac_key object;
    uint64_t handle;
    wrong = answered = 0;
    if (hr_hmac_key_init(&object, HR_HMAC_SHA256, key, sizeof key) ||
        hr_hmac(crowd_tag, "text", 4, &object) ||
        hr_accel_key_import(&handle, HR_HMAC_SHA256, key, sizeof key))
        complain("no key");
    pthread_barrier_init(&all_there, NULL, CROWD);
    for (size_t i = 0; i < CROWD; i++)
        if (pthread_create(&threads[i], NULL, in_crowd, &handle))
            abort();
    for (size_t i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_there);
    hr_accel_key_close(handle);
    tap(!wrong && answered == 5 * CROWD, "%d threads at once, with a key in the service", CROWD);
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
    check_crowd();
    come_and_go(own, "hr_accel_run");
    come_and_go(opened, "queues of their own");
    check_cancel();
    tap(connected > 0, "%d of those were connected", (int)connected);
    check_all();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A child of fork() uses nothing of its parent's connection, and gets one of its own if it asks. */
#define _GNU_SOURCE
#include "client.h"
#include <headrace/algorithms.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 60 };
static struct task tasks[JOBS];

/* in_child returns its failures as bits of an exit status. */
static int in_child(struct hr_queue *queue, uint64_t handle)
{
    struct hr_job *done[JOBS];
    struct hr_queue *own;
    struct task t;
    int bad = 0;
    if (hr_queue_connected(queue))
        bad |= 1;
    if (hr_queue_poll(queue, done, JOBS, 1) != 0)
        bad |= 2;
    if (tasks_run(queue, 200, 2000))
        bad |= 4;
    task_make_handle(&t, handle, (const uint8_t[32]){ 5 });
    if (hr_accel_run(&t.job) != HR_EHANDLE)
        bad |= 8;
    if (hr_queue_connect(&own, service.socket) || !hr_queue_connected(own) ||
        tasks_run(own, 200, 2000))
        bad |= 16;
    hr_queue_close(own);
    hr_queue_close(queue);
    task_make(&t, 3, 100);
    if (task_run(&t))
        bad |= 32;
    return bad;
}

static void check_child(struct hr_queue *queue, uint64_t handle)
{
    struct hr_job *jobs[JOBS], *done[JOBS];
    int status, back = 0;
    for (unsigned i = 0; i < JOBS; i++) {
        task_make(&tasks[i], i, TASK_MOST);
        jobs[i] = &tasks[i].job;
    }
    const int took = hr_queue_submit(queue, jobs, JOBS);
    const pid_t child = fork();
    if (!child)
        _exit(in_child(queue, handle));
    while (back < took) {
        const int got = hr_queue_poll(queue, done, JOBS, 1);
        for (int i = 0; i < got; i++)
            task_check(done[i]->user);
        back += got;
    }
    if (waitpid(child, &status, 0) != child || status)
        complain("the child ends with %#x", status);
    if (!hr_queue_connected(queue) || tasks_run(queue, 100, 1000))
        complain("the parent's queue is harmed");
}

/* in_daemon does as a program that becomes a daemon: it closes all descriptors, and then opens
 * others. */
static int in_daemon(void)
{
    enum { FIRST = 3, LAST = 200 };
    struct hr_queue *queue;
    int bad = 0;
    if (hr_queue_connect(&queue, service.socket) || !hr_queue_connected(queue) ||
        tasks_run(queue, 50, 1000))
        return 1;
    for (int fd = FIRST; fd < LAST; fd++)
        close(fd);
    for (int fd = FIRST; fd < LAST; fd++)
        if (memfd_create("own", 0) != fd)
            return 2;
    for (unsigned i = 0; i < 20; i++) {
        usleep(2000); /* the accelerator sleeps */
        bad |= tasks_run(queue, 1, 1000) ? 4 : 0;
    }
    hr_queue_close(queue);
    for (int fd = FIRST; fd < LAST; fd++)
        bad |= lseek(fd, 0, SEEK_END) ? 8 : 0;
    return bad;
}

static void check_daemon(void)
{
    int status;
    const pid_t child = fork();
    if (!child)
        _exit(in_daemon());
    if (waitpid(child, &status, 0) != child || status)
        complain("it ends with %#x", status);
    tap(1, "a program that closes all descriptors keeps its next ones for itself");
}

void client_fork(void)
{
    struct hr_queue *queue;
    uint64_t handle = 0;
    struct task t;
    if (hr_queue_connect(&queue, service.socket) || !hr_queue_connected(queue))
        complain("not connected");
    if (hr_accel_key_import(&handle, HR_HMAC_SHA256, (const uint8_t[32]){ 5 }, 32))
        complain("no key");
    task_make(&t, 1, 100);
    task_run(&t); /* so that this thread has a queue of its own */
    for (int i = 0; i < 10; i++)
        check_child(queue, handle);
    tap(1, "children of a process with jobs on their way");
    check_daemon();
    task_make_handle(&t, handle, (const uint8_t[32]){ 5 });
    tap(!task_run(&t), "the parent still has its key");
    hr_accel_key_close(handle);
    hr_queue_close(queue);
}

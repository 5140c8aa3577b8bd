/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for the tests that use libheadrace-accel in the documented way, while the service
 * ends, restarts or does not exist. */
#ifndef HR_TEST_CLIENT_H
#define HR_TEST_CLIENT_H

#include "harness.h"
#include <headrace/accel.h>

enum { TASK_MOST = 3000 };

/* struct task is a job of some kind, with memory of its own and the right results. */
struct task {
    struct hr_job job, then; /* `then`: the second job, if any */
    uint8_t key[64], iv[16], aad[20], tag[64], then_tag[64], want_tag[64], want_then_tag[64];
    uint8_t in[TASK_MOST], out[TASK_MOST], want[TASK_MOST];
    struct hr_segment parts[3];
    int want_result;
    struct task *next;
};

/* task_make makes task i, whose kind depends on i, of at most `most` bytes, 0 < most <=
 * TASK_MOST. */
void task_make(struct task *t, unsigned i, size_t most);
/* task_make_handle makes an HMAC-SHA-256 under a key that the service keeps. */
void task_make_handle(struct task *t, uint64_t handle, const uint8_t key[32]);
/* task_check complains of wrong results and returns their number. */
int task_check(const struct task *t);
/* task_run runs a task by hr_accel_run, and checks it. */
int task_run(struct task *t);
/* tasks_run makes `num` tasks, runs them in the queue and checks them.  It returns the number of
 * wrong ones. */
int tasks_run(struct hr_queue *queue, unsigned num, size_t most);

extern struct service service;
extern char **service_arguments;
void client_jobs(void);
void client_threads(void);
void client_fork(void);
void client_fallback(void);
void client_restart(void);
void client_keys(void);
void client_slow(void);
void client_streams(void);
void client_stream_tags(const struct hr_algorithm *row); /* of client_streams */
void client_stream_life(void);

#endif

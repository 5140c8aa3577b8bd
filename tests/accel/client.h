/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that use libheadrace-accel as one should, whatever the service does. */
#ifndef HR_TEST_CLIENT_H
#define HR_TEST_CLIENT_H

#include "harness.h"
#include <headrace/accel.h>

enum { TASK_MOST = 3000 };

/* A job of some kind, with memory of its own, and what it must give. */
struct task {
    struct hr_job job, then; /* `then` of those with two */
    uint8_t key[64], iv[16], aad[20], tag[64], then_tag[64], want_tag[64], want_then_tag[64];
    uint8_t in[TASK_MOST], out[TASK_MOST], want[TASK_MOST];
    struct hr_segment parts[3];
    int want_result;
    struct task *next;
};

/* Makes task i: another kind for each i.  0 < most <= TASK_MOST bounds its length. */
void task_make(struct task *t, unsigned i, size_t most);
/* The same under a key that the service keeps: HMAC-SHA-256. */
void task_make_handle(struct task *t, uint64_t handle, const uint8_t key[32]);
/* Counts what differs from what it must give; complains. */
int task_check(const struct task *t);
/* Runs it by hr_accel_run, and checks it. */
int task_run(struct task *t);
/* Runs num tasks, made here, through the queue and checks them: how many were wrong. */
int tasks_run(struct hr_queue *queue, unsigned num, size_t most);

extern struct service service;
extern char **service_arguments;
void client_jobs(void);
void client_threads(void);
void client_fork(void);
void client_fallback(void);
void client_restart(void);
void client_keys(void);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The accelerator's client: libheadrace-accel (headrace-accel(7)).  Where no service answers, and
 * after it has gone away, the same jobs run on this thread's own local queue; only jobs under a
 * handle, whose key this process never had, wait for the service, and fail without it.
 */
#ifndef HEADRACE_ACCEL_H
#define HEADRACE_ACCEL_H

#include <headrace/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens this thread's queue on the accelerator.  A process has one service: `path` NULL is the one
 * it has, at first HEADRACE_ACCEL of the environment, else /run/headrace/accel.sock; another path
 * while it is connected is HR_EINVAL.  Without a service, or where its policy refuses, or with
 * HEADRACE_ACCEL=off, or in the 65th thread, jobs run here, and that is no error; submits look
 * again, ever more seldom, up to every 5 s.  A child has no jobs of its parent's.  HR_ESYSTEM. */
HR_API HR_MUST_CHECK int hr_queue_connect(struct hr_queue **queue, const char *path);
/* 1 where the queue's jobs go to a service now, 0 where they run here. */
HR_API int hr_queue_connected(const struct hr_queue *queue);

/* Memory that the service sees too, at a multiple of 64: what of a job's `in`, `out` and segments
 * lies in it, each apart from the others, is not copied.  It is the queue's until freed, or until
 * the queue is closed, whatever becomes of the service; a child does not have it.  Without a
 * service it is memory as any other.  NULL: too little. */
HR_API void *hr_queue_memory(struct hr_queue *queue, size_t len);
HR_API void hr_queue_memory_free(struct hr_queue *queue, void *memory);

/* Runs one job, and those that follow it, and waits, on a queue that this thread gets at its first
 * call and gives back when it ends.  Any number of threads may call.  Returns what hr_job_run
 * would. */
HR_API HR_MUST_CHECK int hr_accel_run(struct hr_job *job);
/* How long jobs under a handle wait for a service that went away, 5000 at first; then HR_EGONE. */
HR_API void hr_accel_patience(uint32_t milliseconds);

/* ---- keys that stay in the service: HR_KEY_HANDLE ----
 *
 * A handle is this process's own, for all its threads, and no child's.  HR_EGONE: no service;
 * HR_EACCESS, HR_EALG, HR_EKEYLEN, HR_EBUFFER: too many; HR_ESYSTEM. */

/* Hands a key over; the caller may wipe its copy.  It cannot be read again, and ends with the
 * service: jobs then have HR_EHANDLE. */
HR_API HR_MUST_CHECK int hr_accel_key_import(uint64_t *handle, hr_alg alg, const void *bytes,
                                             size_t bytes_len);
/* A key that the service makes and nobody else ever has. */
HR_API HR_MUST_CHECK int hr_accel_key_generate(uint64_t *handle, hr_alg alg, size_t key_len);
/* A long-term key of the service, which outlives it.  HR_EHANDLE: no such name. */
HR_API HR_MUST_CHECK int hr_accel_key_open(uint64_t *handle, const char *name);
/* Forgets a handle; an imported or generated key is wiped with it. */
HR_API void hr_accel_key_close(uint64_t handle);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of jobs: many messages at once, in the lanes of this thread's vectors or on the
 * accelerator (headrace-accel(7)).  The conventions are those of headrace.h; besides:
 *   Jobs      belong to the queue from hr_queue_submit until hr_queue_poll hands them back, with
 *             all that they point to.  Outputs are touched until then, in any order.
 *   Overlap   of one job with another of the same queue is the caller's error and not looked for.
 *   Threads   a queue is for one thread.
 */
#ifndef HEADRACE_QUEUE_H
#define HEADRACE_QUEUE_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hr_job_op {
    HR_JOB_DIGEST = 0,
    HR_JOB_MAC = 0,
    HR_JOB_ENCRYPT = 0,
    HR_JOB_COPY = 0,    /* of alg HR_ALG_NONE */
    HR_JOB_DECRYPT = 1, /* of an AEAD: with its tag as an input */
    HR_JOB_VERIFY = 1,  /* of a MAC: `tag` is compared */
};

enum hr_key_form {
    HR_KEY_NONE = 0,
    HR_KEY_OBJECT = 1, /* `key` is a struct hr_hmac_key, hr_cipher_key, hr_aead_key ... */
    HR_KEY_BYTES = 2,  /* `key` has key_len bytes */
    HR_KEY_HANDLE = 3, /* `handle` names a key that the accelerator keeps */
};

/* A part of a message that lies in several places. */
struct hr_segment {
    const void *in;
    void *out; /* as `out` of a job */
    size_t len;
};

/* One message.  Zero what does not apply. */
struct hr_job {
    uint16_t alg;     /* hr_alg; HR_ALG_NONE copies `in` to `out` */
    uint8_t op;       /* enum hr_job_op */
    uint8_t key_form; /* enum hr_key_form */
    uint8_t tag_len;  /* of `tag`; 0: the row's out_len */
    uint8_t reserved[3];
    int32_t result; /* 0 or an error; HR_EPENDING from submit to poll */
    uint32_t iv_len;
    uint32_t aad_len;
    uint32_t key_len;
    const void *key;
    uint64_t handle;
    const uint8_t *iv;
    const uint8_t *aad;
    uint8_t *tag; /* digest, MAC or tag; an input of HR_JOB_VERIFY and HR_JOB_DECRYPT */
    const void *in;
    void *out; /* ciphers, AEADs, XTS, copies: len bytes */
    size_t len;
    const struct hr_segment *segments; /* instead of in, out, len; not of XTS */
    size_t num_segments;
    /* A digest or HMAC in several jobs: what an earlier one exported (hr_digest_export,
     * hr_hmac_export), and where this one shall export to instead of writing a tag:
     * HR_DIGEST_MAX_EXPORT bytes, of which state_out_len are written. */
    const uint8_t *state_in;
    uint32_t state_in_len, state_out_len;
    uint8_t *state_out;
    struct hr_job *next; /* runs after this one, in the same request, unless this one fails: then
                          * its result is HR_ESTATE.  hr_queue_poll hands back the first only. */
    void *user;          /* the caller's */
};

/* Runs one job and those that follow it now, by direct calls: what a queue of any kind would
 * write.  Returns the first error; each job's result is its own.  HR_EINVAL: an impossible job;
 * HR_EHANDLE: a handle, which only the accelerator knows. */
HR_API int hr_job_run(struct hr_job *job);

/* ---- queues ---- */

struct hr_queue;

/* What a kind of queue is; programs call the functions below. */
struct hr_queue_ops {
    int (*submit)(struct hr_queue *queue, struct hr_job *const *jobs, size_t num_jobs);
    int (*poll)(struct hr_queue *queue, struct hr_job **done, size_t max, size_t min);
    void (*close)(struct hr_queue *queue);
};
struct hr_queue {
    const struct hr_queue_ops *ops;
};

#define HR_QUEUE_MAX_JOBS 1024

/* Bytes of memory that a local queue of num_jobs, 1 to HR_QUEUE_MAX_JOBS, wants; else 0. */
HR_API size_t hr_queue_local_size(size_t num_jobs);
/* Makes a queue in memory_len bytes at a multiple of 64.  Messages of digests, HMACs and of CBC and
 * CFB encryption run side by side in the lanes of vectors, up to 512 of DES; everything else as
 * hr_job_run does.  HR_EINVAL, HR_EBUFFER. */
HR_API HR_MUST_CHECK int hr_queue_local(struct hr_queue **queue, void *memory, size_t memory_len,
                                        size_t num_jobs);
/* Makes a local queue use the i-th kernel of hr_kernel_at for HR_OP_LANES of `alg`, and of the rows
 * that share its kernels, however few lanes live.  HR_EALG, HR_ECPU, HR_ESTATE (not local, or jobs
 * in it). */
HR_API HR_MUST_CHECK int hr_queue_local_kernel(struct hr_queue *queue, hr_alg alg, size_t i);

/* Gives jobs to the queue, in their order.  Returns how many it took: fewer than num_jobs where it
 * is full.  An impossible job is taken too, and comes back with its error.  HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_queue_submit(struct hr_queue *queue, struct hr_job *const *jobs,
                                         size_t num_jobs);
/* Writes up to `max` finished jobs to `done` and returns how many, in no order.  Waits for `min` of
 * them, or for all where fewer are in the queue; with min 0 it does some work, or looks, and
 * returns. HR_EINVAL: min > max. */
HR_API HR_MUST_CHECK int hr_queue_poll(struct hr_queue *queue, struct hr_job **done, size_t max,
                                       size_t min);
/* Finishes all jobs, whose results are in them, and wipes what the queue knew.  NULL is allowed. */
HR_API void hr_queue_close(struct hr_queue *queue);

/* ---- many messages in one call ---- */

/* Digests num messages of in_len[i] bytes at in[i], side by side: out gets the row's out_len bytes
 * for each, one after the other.  HR_EALG, HR_EINVAL, HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_digest_many(uint8_t *out, hr_alg alg, const void *const *in,
                                        const size_t *in_len, size_t num);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of jobs: many messages are processed at once, side by side in this thread's vector
 * registers or by the accelerator (headrace-accel(7)).  The conventions are those of headrace.h;
 * in addition:
 *   Jobs      belong to the queue from hr_queue_submit until hr_queue_poll hands them back, with
 *             all that they point to.  Outputs may be written at any time until then.
 *   Overlap   between an output of one job and the buffers of another job of the queue is not
 *             allowed, and not checked.
 *   Threads   a queue is for one thread.
 */
#ifndef HEADRACE_QUEUE_H
#define HEADRACE_QUEUE_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The operations of classes.def: HR_JOB_DIGEST, HR_JOB_MAC, HR_JOB_ENCRYPT and, of HR_ALG_NONE,
 * HR_JOB_COPY are 0; HR_JOB_DECRYPT and HR_JOB_VERIFY are 1.  HR_JOB_DECRYPT of an AEAD and
 * HR_JOB_VERIFY of a MAC read `tag` and compare it.
 *
 * Public key:               in               out          tag               options
 *   HR_JOB_SIGN (0)         the message                   gets a signature  struct hr_sign_options
 *   HR_JOB_VERIFY (1)       the message                   the signature     struct hr_sign_options
 *     both of RSA           a digest                      the signature     struct hr_rsa_options
 *     both of DSA           a digest                      the signature     struct hr_sign_options
 *   HR_JOB_DERIVE (0)       a public key                  gets the secret
 *     of DH                 a public key                  gets the secret   struct hr_dh_options
 *   HR_JOB_ENCAPSULATE (0)                   ciphertext   gets the secret   32 random bytes
 *   HR_JOB_DECAPSULATE (1)  the ciphertext                gets the secret
 *   HR_JOB_PK_ENCRYPT (2)   the message                   gets the text    struct hr_rsa_options
 *   HR_JOB_PK_DECRYPT (3)   the encrypted text            gets the message struct hr_rsa_options
 *     tag_len, or 0 for as many bytes as n has, becomes the length of the message: set it again
 *     before the job runs again
 *
 * Their key is an object.  They run in the calling process, whatever the queue, unless `handle`
 * names the same key and a service computes with it (hr_accel_lend of accel.h). */
enum hr_job_op {
#define HR_OPERATION(number, SYM, ...) HR_JOB_##SYM = number,
#include <headrace/classes.def>
};

enum hr_key_form {
    HR_KEY_NONE = 0,
    HR_KEY_OBJECT = 1, /* `key` points to a struct hr_hmac_key, hr_cipher_key, hr_aead_key ... */
    HR_KEY_BYTES = 2,  /* `key` points to key_len bytes */
    HR_KEY_HANDLE = 3, /* `handle` names a key that the accelerator keeps */
};

/* One part of a message whose parts lie in different places. */
struct hr_segment {
    const void *in;
    void *out; /* like `out` of a job: not used by digests and MACs */
    size_t len;
};

/* One message.  Members that do not apply must be zero. */
struct hr_job {
    uint16_t alg;     /* an hr_alg; HR_ALG_NONE copies `in` to `out` */
    uint8_t op;       /* enum hr_job_op */
    uint8_t key_form; /* enum hr_key_form */
    uint32_t tag_len; /* length of `tag`; 0: the row's out_len */
    int32_t result;   /* 0 or an error; HR_EPENDING while the queue has the job */
    uint32_t iv_len;
    uint32_t aad_len;
    uint32_t key_len;
    const void *key;
    uint64_t handle;
    const uint8_t *iv;
    const uint8_t *aad;
    uint8_t *tag; /* digest, MAC or tag; an input for HR_JOB_VERIFY and HR_JOB_DECRYPT */
    const void *in;
    void *out; /* len bytes, for ciphers, AEADs, XTS and copies */
    size_t len;
    const struct hr_segment *segments; /* instead of in, out, len; cut anywhere */
    size_t num_segments;
    /* A digest or an HMAC can be computed by several jobs.  `state_in` is the state that the job
     * before exported, in the format of hr_digest_export or hr_hmac_export.  `state_out` is where
     * this job exports its state instead of writing a tag: HR_DIGEST_MAX_EXPORT bytes, of which
     * state_out_len are written. */
    const uint8_t *state_in;
    uint32_t state_in_len, state_out_len;
    uint8_t *state_out;
    const void *options; /* of public key, see enum hr_job_op; NULL: the defaults */
    struct hr_job *next; /* the job that runs after this one, or NULL.  If one fails, all after it
                          * get the result HR_ESTATE.  hr_queue_poll hands back only the first job
                          * of such a chain. */
    void *user;          /* for the caller's own use */
};

/* hr_job_run runs one job, and those that its `next` leads to, at once.  It writes what any queue
 * would write, sets the result of each job, and returns the first error.  HR_EINVAL: an impossible
 * job; HR_EHANDLE: the key is a handle, which only the accelerator knows. */
HR_API int hr_job_run(struct hr_job *job);

/* ---- queues ---- */

struct hr_queue;

/* The functions of one kind of queue; programs call hr_queue_submit and so on instead. */
struct hr_queue_ops {
    int (*submit)(struct hr_queue *queue, struct hr_job *const *jobs, size_t num_jobs);
    int (*poll)(struct hr_queue *queue, struct hr_job **done, size_t max, size_t min);
    void (*close)(struct hr_queue *queue);
};
struct hr_queue {
    const struct hr_queue_ops *ops;
};

#define HR_QUEUE_MAX_JOBS 1024

/* hr_queue_local_size returns how many bytes of memory a local queue needs for num_jobs jobs, 1 to
 * HR_QUEUE_MAX_JOBS; 0 for other numbers. */
HR_API size_t hr_queue_local_size(size_t num_jobs);
/* hr_queue_local makes a queue in memory_len bytes at any address, such as one from malloc.
 * Messages of digests and HMACs, and of CBC and CFB encryption, are processed side by side in
 * vector registers, up to 512 of them with DES, and so are signatures and verifications of RSA,
 * DSA, P-256, P-384 and Ed25519, and agreements of DH, P-256, P-384 and X25519, which need 128 KiB
 * of stack.  All other jobs run as in hr_job_run.
 * HR_EINVAL, HR_EBUFFER. */
HR_API HR_MUST_CHECK int hr_queue_local(struct hr_queue **queue, void *memory, size_t memory_len,
                                        size_t num_jobs);
/* hr_queue_local_kernel makes a local queue use the i-th kernel of hr_kernel_at for HR_OP_LANES of
 * `alg`, and of rows with the same kernels, however few jobs there are.  HR_EALG, HR_ECPU,
 * HR_ESTATE (the queue is not local, or has jobs). */
HR_API HR_MUST_CHECK int hr_queue_local_kernel(struct hr_queue *queue, hr_alg alg, size_t i);

/* hr_queue_submit gives jobs to the queue, in their order, and returns how many it took: fewer than
 * num_jobs if the queue is full.  An impossible job is taken too, and comes back with its error.
 * HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_queue_submit(struct hr_queue *queue, struct hr_job *const *jobs,
                                         size_t num_jobs);
/* hr_queue_poll writes up to `max` finished jobs to `done`, in any order, and returns how many.  It
 * waits for `min` of them, or for all if the queue has fewer.  With min 0 it does not wait; a local
 * queue then does part of its work.  HR_EINVAL: min > max. */
HR_API HR_MUST_CHECK int hr_queue_poll(struct hr_queue *queue, struct hr_job **done, size_t max,
                                       size_t min);
/* hr_queue_close finishes all jobs, sets their results, and wipes the queue.  NULL is allowed. */
HR_API void hr_queue_close(struct hr_queue *queue);

/* ---- many messages in one call ---- */

/* hr_digest_many digests num messages of in_len[i] bytes at in[i], side by side.  `out` gets the
 * row's out_len bytes for each message, one after the other.  HR_EALG, HR_EINVAL, HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_digest_many(uint8_t *out, hr_alg alg, const void *const *in,
                                        const size_t *in_len, size_t num);

/* hr_sign_many and hr_verify_many run num jobs with HR_JOB_SIGN, or with HR_JOB_VERIFY, of any rows
 * of signatures under any keys, those of RSA, DSA, P-256, P-384 and Ed25519 side by side where
 * that is faster.  Each job gets what hr_job_run would write, and its own result: HR_EINVAL also if
 * it has another operation.  No output of a job may be an input of another.  They return 0, or the
 * result of the first job in `jobs` that failed; no other job fails of that.  They need 128 KiB of
 * stack, and no more for more jobs.  HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_sign_many(struct hr_job *jobs, size_t num);
HR_API HR_MUST_CHECK int hr_verify_many(struct hr_job *jobs, size_t num);

/* hr_job_lanes returns how many jobs of public key that differ from this one in key and message a
 * local queue runs side by side; 1: they run one by one. */
HR_API size_t hr_job_lanes(const struct hr_job *job);

#ifdef __cplusplus
}
#endif
#endif

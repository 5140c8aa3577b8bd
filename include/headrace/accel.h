/* SPDX-License-Identifier: Apache-2.0
 *
 * The accelerator's client: libheadrace-accel (headrace-accel(7)).  If no service answers, and
 * after the service has ended, jobs run in a local queue of this thread instead.  Only jobs under a
 * handle, whose key this process never had, wait for the service to come back, and then fail.
 */
#ifndef HEADRACE_ACCEL_H
#define HEADRACE_ACCEL_H

#include <headrace/queue.h>
#include <headrace/rsa.h>

#ifdef __cplusplus
extern "C" {
#endif

/* hr_queue_connect opens a queue of this thread on the accelerator.  `path` is the service's
 * socket; NULL means the one that the process uses already, else the environment's HEADRACE_ACCEL,
 * else /run/headrace/accel.sock.  A process uses one service: another path while it is connected is
 * HR_EINVAL.  Without a service, if its policy refuses this process, and with HEADRACE_ACCEL=off,
 * jobs run in this thread.  That is no error; later submits try to connect again, at intervals that
 * grow to 5 s.  From a process's 64th thread on, queues share one part of the service's memory, and
 * a lock.  The child of a fork has none of the jobs of its parent.  HR_ESYSTEM. */
HR_API HR_MUST_CHECK int hr_queue_connect(struct hr_queue **queue, const char *path);
/* hr_queue_connected returns 1 if the queue's jobs go to a service now, 0 if they run in this
 * thread. */
HR_API int hr_queue_connected(const struct hr_queue *queue);

/* hr_queue_memory allocates memory that the service shares, at a multiple of 64; NULL if there is
 * not enough.  A job's `in`, `out` and segments that lie in it, and do not overlap, are not copied.
 * The memory stays valid until it is freed or the queue is closed, even if the service ends; the
 * child of a fork does not have it.  Without a service it is ordinary memory. */
HR_API void *hr_queue_memory(struct hr_queue *queue, size_t len);
HR_API void hr_queue_memory_free(struct hr_queue *queue, void *memory);

/* hr_accel_run runs one job, and those that its `next` leads to, waits, and returns what hr_job_run
 * would.  Each thread gets a queue of its own for this at its first call, and gives it back when it
 * ends. */
HR_API HR_MUST_CHECK int hr_accel_run(struct hr_job *job);
/* hr_accel_patience sets how long jobs under a named key wait for a service that has ended, before
 * they fail with HR_EGONE.  The default is 5000. */
HR_API void hr_accel_patience(uint32_t milliseconds);

/* hr_accel_bind asks for the accelerator with this number, from 0 on, to serve the process, now and
 * after the service has been restarted; -1: any may, and the present one goes on.  No request fails
 * of it.  HR_EINVAL: there is no such accelerator; HR_EACCESS: the policy does not allow it;
 * HR_EBUFFER: it has no room, or the process moved less than a second ago; HR_EGONE: no service,
 * and it is asked when there is one. */
HR_API HR_MUST_CHECK int hr_accel_bind(int accelerator);

/* ---- keys that stay in the service: HR_KEY_HANDLE ----
 *
 * A handle is valid in all threads of this process, and in the child of a fork if it is that of a
 * key of public key.  HR_EGONE: no service; HR_EACCESS; HR_EALG; HR_EKEYLEN; HR_EBUFFER: too many
 * keys; HR_ESYSTEM. */

/* hr_accel_key_import hands a key over; the caller may wipe its copy.  Nobody can read the key from
 * the service.  It is lost when the service ends; jobs under it then fail with HR_EHANDLE. */
HR_API HR_MUST_CHECK int hr_accel_key_import(uint64_t *handle, hr_alg alg, const void *bytes,
                                             size_t bytes_len);
/* hr_accel_key_generate makes the service generate a key, which nobody else ever has. */
HR_API HR_MUST_CHECK int hr_accel_key_generate(uint64_t *handle, hr_alg alg, size_t key_len);
/* hr_accel_key_open opens a long-term key of the service, which is stored in a file.  HR_EHANDLE:
 * there is no key of this name.
 *
 * Keys to sign and decrypt are RSA's and those of sign.h.  A job under such a handle has
 * HR_JOB_SIGN or HR_JOB_PK_DECRYPT, the row of its key, of RSA any row, and options as the direct
 * call; tag_len is the room for a decrypted message, at most 4096 bytes are signed.  The service
 * pads, and does what the key's file permits, else HR_EACCESS.  A handle stands for one key: after
 * the file got another one, jobs under the handle fail with HR_EHANDLE, and the name is to be
 * opened again.  While the service restarts, jobs wait (hr_accel_patience).  HR_EALG: the service
 * has no unit for public keys. */
HR_API HR_MUST_CHECK int hr_accel_key_open(uint64_t *handle, const char *name);
/* hr_accel_key_public writes the SubjectPublicKeyInfo of a long-term key in DER.  *len is the size
 * of `spki`, and becomes its length, at most 3072.  HR_EHANDLE: there is no key to sign or decrypt
 * of this name; HR_EACCESS: this process may not use it; HR_EBUFFER: `spki` is too small; HR_EGONE.
 */
HR_API HR_MUST_CHECK int hr_accel_key_public(const char *name, uint8_t *spki, size_t *len);

/* struct hr_accel_key says what a long-term key of the service may be used for. */
struct hr_accel_key {
    char name[64];
    hr_alg alg;
    uint32_t uses;        /* bits of enum hr_use (classes.h) */
    uint32_t paddings;    /* of RSA: bit i is padding i of enum hr_rsa_padding */
    uint32_t num_digests; /* that the key signs, or of its paddings; 0: it signs messages */
    hr_alg digests[16];
};
/* A function that hr_accel_key_list calls for each key.  Another result than 0 ends the list. */
typedef int hr_accel_key_each(void *arg, const struct hr_accel_key *key);
/* hr_accel_key_list calls `each` for the long-term keys that this process may use, in any order,
 * after it has got the whole list: so `each` may open them.  It returns 0, the last result of
 * `each`, HR_ESYSTEM or HR_EGONE: there is no service, or its policy refuses this process.  It
 * waits as long as hr_accel_patience says for a service that does not answer, and not at all where
 * none listens. */
HR_API HR_MUST_CHECK int hr_accel_key_list(hr_accel_key_each *each, void *arg);

/* hr_accel_key_close closes a handle; the service wipes an imported or generated key. */
HR_API void hr_accel_key_close(uint64_t handle);

/* ---- public keys that are lent to the service ----
 *
 * A job of public key with HR_KEY_OBJECT goes to the service if its `handle` is that under which
 * this process has lent the same key, and the service is there and can do it; else, and whenever
 * the service fails, the job runs in this process.  So no such job fails because of the service.
 * A lent key is given to each service that the process connects to, also by the child of a fork.
 * The components stay in this process until the key is taken back.
 *
 * HR_EALG, HR_EINVAL, HR_EKEYLEN: too long; HR_EBUFFER: 256 keys are lent; HR_ESYSTEM. */

/* hr_accel_lend_rsa lends a private key of all its parts, or of n and e a public one. */
HR_API HR_MUST_CHECK int hr_accel_lend_rsa(uint64_t *handle, const struct hr_rsa_parts *parts);
/* hr_accel_lend lends a key of sign.h, agree.h or kem.h, in the form of its class's key_init.  One
 * of the private and the public key may be NULL, and of agree.h, or of a private key of kem.h, the
 * public one is. */
HR_API HR_MUST_CHECK int hr_accel_lend(uint64_t *handle, hr_alg alg, const void *private_bytes,
                                       size_t private_len, const void *public_bytes,
                                       size_t public_len);
/* hr_accel_offer_rsa lends a private key of all its parts for hr_accel_try alone, and waits for no
 * service: the key goes to one when there is one.  Also the errors of hr_rsa_key_init. */
HR_API HR_MUST_CHECK int hr_accel_offer_rsa(uint64_t *handle, const struct hr_rsa_parts *parts);
/* hr_accel_try signs by the service, if that is there and is faster by its crossover table, for a
 * caller who can sign otherwise: `job` has HR_JOB_SIGN, the handle of hr_accel_offer_rsa, options
 * without random numbers, `in`, `len`, and `tag` with room for as many bytes as n has.  Other
 * members do not matter.  It waits for no service to come, and no longer than 250 ms for an answer;
 * if that is late, it signs here.  A signature is checked by the public exponent before it is
 * written to `tag`.  After an error `tag` is as it was:
 * HR_EGONE: there is no service now; HR_EALG: its table has no rule for such keys; HR_EPENDING: by
 * the rule, or by the time that its answers took, it is not faster now, or it did not take the key;
 * HR_EFAULT: the signature was wrong; HR_EHANDLE, HR_EINVAL, HR_ESYSTEM, and those of hr_rsa_sign.
 */
HR_API HR_MUST_CHECK int hr_accel_try(struct hr_job *job);
/* hr_accel_take_back ends a loan; the service wipes the key.  No job under the handle may be in a
 * queue. */
HR_API void hr_accel_take_back(uint64_t handle);

#ifdef __cplusplus
}
#endif
#endif

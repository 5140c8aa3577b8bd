/* SPDX-License-Identifier: Apache-2.0 */
/* A library to preload into headraced, which makes one kernel give wrong results, so that the
 * service's self-test must find it.  HEADRACE_CORRUPT="ROW OPERATION INDEX" names the kernel: its
 * key has a bit flipped, or a digest's message has one byte more.  HEADRACE_SIGNAL=NUMBER sends the
 * service that signal as soon as it listens.  HEADRACE_UNSEALED keeps it from sealing memory.
 * HEADRACE_WRONG makes all of its signatures by RSA wrong. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <headrace/classes.h>
#include <headrace/queue.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int corrupt(hr_alg alg, int op, size_t kernel)
{
    char name[64], operation[16];
    size_t i;
    const char *which = getenv("HEADRACE_CORRUPT");
    if (!which || sscanf(which, "%63s %15s %zu", name, operation, &i) != 3)
        return 0;
    const struct hr_algorithm *row = hr_algorithm_by_name(name);
    return row && row->alg == alg && i == kernel &&
           (op < 0 || !strcmp(operation, hr_op_name(alg, (enum hr_op)op)));
}

static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* KEYED defines a function of a class that passes on a copy of the key with its first bit
 * flipped. */
#define KEYED(name, op, parameters, arguments)                \
    HR_API int name parameters                                \
    {                                                         \
        uint8_t copy[256];                                    \
        int(*next) parameters;                                \
        *(void **)&next = real(#name);                        \
        memcpy(copy, bytes, bytes_len);                       \
        copy[16 % bytes_len] ^= (uint8_t)corrupt(alg, op, i); \
        return next arguments;                                \
    }

KEYED(hr_cipher_key_init_kernel, (int)op,
      (struct hr_cipher_key * key, hr_alg alg, enum hr_op op, size_t i, const uint8_t *bytes,
       size_t bytes_len),
      (key, alg, op, i, copy, bytes_len))
KEYED(hr_xts_key_init_kernel, (int)op,
      (struct hr_xts_key * key, hr_alg alg, enum hr_op op, size_t i, const uint8_t *bytes,
       size_t bytes_len),
      (key, alg, op, i, copy, bytes_len))
KEYED(hr_hmac_key_init_kernel, -1,
      (struct hr_hmac_key * key, hr_alg alg, size_t i, const void *bytes, size_t bytes_len),
      (key, alg, i, copy, bytes_len))
KEYED(hr_aead_key_init_kernel, -1,
      (struct hr_aead_key * key, hr_alg alg, size_t i, const uint8_t *bytes, size_t bytes_len),
      (key, alg, i, copy, bytes_len))
KEYED(hr_nmac_key_init_kernel, -1,
      (struct hr_nmac_key * key, hr_alg alg, size_t i, const uint8_t *bytes, size_t bytes_len),
      (key, alg, i, copy, bytes_len))
KEYED(hr_cmac_key_init_kernel, -1,
      (struct hr_cmac_key * key, hr_alg alg, size_t i, const uint8_t *bytes, size_t bytes_len),
      (key, alg, i, copy, bytes_len))

HR_API int hr_digest_init_kernel(struct hr_digest_ctx *ctx, hr_alg alg, size_t i)
{
    int (*next)(struct hr_digest_ctx *, hr_alg, size_t);
    *(void **)&next = real("hr_digest_init_kernel");
    const int error = next(ctx, alg, i);
    return !error && corrupt(alg, HR_OP_DIGEST, i) ? hr_digest_update(ctx, "", 1) : error;
}

/* broken_lanes is set if this thread's queue uses the wrong lane kernel: its results are
 * changed. */
static _Thread_local int broken_lanes;

HR_API int hr_queue_local_kernel(struct hr_queue *queue, hr_alg alg, size_t i)
{
    int (*next)(struct hr_queue *, hr_alg, size_t);
    *(void **)&next = real("hr_queue_local_kernel");
    broken_lanes = corrupt(alg, HR_OP_LANES, i);
    return next(queue, alg, i);
}

static void spoil(struct hr_job *job)
{
    if (getenv("HEADRACE_WRONG") && job->alg >> 8 == HR_CLASS_RSA && job->op == HR_JOB_SIGN &&
        !job->result)
        job->tag[0] ^= 1;
}

HR_API int hr_job_run(struct hr_job *job)
{
    int (*next)(struct hr_job *);
    *(void **)&next = real("hr_job_run");
    const int error = next(job);
    spoil(job);
    return error;
}

HR_API int hr_queue_poll(struct hr_queue *queue, struct hr_job **done, size_t max, size_t min)
{
    int (*next)(struct hr_queue *, struct hr_job **, size_t, size_t);
    *(void **)&next = real("hr_queue_poll");
    const int n = next(queue, done, max, min);
    for (int i = 0; i < n; i++)
        spoil(done[i]);
    if (broken_lanes && n > 0 && done[0]->tag)
        done[0]->tag[0] ^= 1;
    return n;
}

HR_API int listen(int fd, int backlog)
{
    int (*next)(int, int);
    const char *number = getenv("HEADRACE_SIGNAL");
    *(void **)&next = real("listen");
    const int error = next(fd, backlog);
    if (number)
        raise(atoi(number));
    return error;
}

/* The service was compiled for long file offsets, so this is the name that it calls. */
HR_API int fcntl64(int fd, int command, ...);
int fcntl64(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    const long value = va_arg(args, long);
    va_end(args);
    if (command == F_ADD_SEALS && getenv("HEADRACE_UNSEALED"))
        return 0;
    return (int)syscall(SYS_fcntl, fd, command, value);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of messages in pieces, or streams, under handles.  The service takes whole messages
 * only, so the state of a stream is in this process. */
#ifndef HR_CLIENT_STREAM_H
#define HR_CLIENT_STREAM_H

#include <headrace/accel_stream.h>
#include <string.h>

/* WIPE zeroes *object in a way that the compiler does not remove. */
#define WIPE(object) explicit_bzero((object), sizeof *(object))

/* stream_run runs a job under a handle and returns what hr_accel_run does. */
static inline int stream_run(struct hr_job *job, uint64_t handle)
{
    job->key_form = HR_KEY_HANDLE;
    job->handle = handle;
    return hr_accel_run(job);
}

/* stream_touch tells whether an output of out_len bytes overlaps an input of in_len bytes. */
static inline int stream_touch(const uint8_t *out, size_t out_len, const uint8_t *in, size_t in_len)
{
    return (uintptr_t)out < (uintptr_t)in + in_len && (uintptr_t)in < (uintptr_t)out + out_len;
}

/* ---- stream_bytes.c: bytes that are collected for one request ---- */

struct stream_bytes {
    uint8_t *at; /* from malloc; NULL: nothing yet */
    size_t len, size;
};

/* stream_bytes_add appends bytes.  Returns 0, HR_ELENGTH (more than `most`) or HR_ESYSTEM. */
int stream_bytes_add(struct stream_bytes *bytes, const void *in, size_t in_len, size_t most);
/* stream_bytes_copy overwrites *out with a copy in memory of its own.  Returns 0 or HR_ESYSTEM. */
int stream_bytes_copy(struct stream_bytes *out, const struct stream_bytes *bytes);
/* stream_bytes_end wipes and frees the bytes. */
void stream_bytes_end(struct stream_bytes *bytes);

#endif

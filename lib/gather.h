/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in segments for modes that compute whole blocks: segments may end anywhere. */
#ifndef HR_GATHER_H
#define HR_GATHER_H

#include "internal.h"
#include <headrace/queue.h>

/* Computes `len` bytes of a message, out may be in, and returns 0 or an error. */
typedef int gather_fn(void *ctx, uint8_t *out, const uint8_t *in, size_t len);

/* gather_len returns the length of a job's segments, or SIZE_MAX if it has more bytes than that. */
size_t gather_len(const struct hr_job *job);

/* gather_run gives a job's segments to `run` in their order: runs of whole blocks of `block` bytes,
 * at most 16, where they lie, and each block that is cut in one piece, from a copy.  The last
 * `tail` bytes, at most 32, come in one piece too, after whole blocks.  Returns 0, the first error
 * of `run`, or, before anything is computed, HR_EINVAL for a pointer that is NULL, or HR_EOVERLAP
 * if a segment's output overlaps its input and is not the same. */
int gather_run(const struct hr_job *job, size_t block, size_t tail, gather_fn *run, void *ctx);

#endif

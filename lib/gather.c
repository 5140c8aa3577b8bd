/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in segments for modes that compute whole blocks (gather.h).  A block that is cut is
 * copied from its segments, computed, and copied to their outputs.  All of it is read before any of
 * it is written, so that each segment may be in place. */
#include "gather.h"

enum { MOST = 32 };

/* The next byte of a message. */
struct cursor {
    const struct hr_segment *part;
    size_t at;
};

/* Returns the number of bytes from the cursor to its segment's end, after it has skipped segments
 * that have ended.  There are bytes left. */
static size_t here(struct cursor *c)
{
    while (c->at == c->part->len) {
        c->part++;
        c->at = 0;
    }
    return c->part->len - c->at;
}

/* Copies the next bytes to `to`, or from `from` to the outputs, and moves the cursor on. */
static void copy(struct cursor *c, uint8_t *to, const uint8_t *from, size_t len)
{
    for (size_t done = 0, n; done < len; done += n) {
        const size_t left = here(c);
        n = left < len - done ? left : len - done;
        if (to)
            memcpy(to + done, (const uint8_t *)c->part->in + c->at, n);
        else
            memcpy((uint8_t *)c->part->out + c->at, from + done, n);
        c->at += n;
    }
}

static int run_copy(struct cursor *c, size_t len, gather_fn *run, void *ctx)
{
    uint8_t bytes[MOST];
    struct cursor from = *c;
    copy(&from, bytes, NULL, len);
    const int error = run(ctx, bytes, bytes, len);
    if (!error)
        copy(c, NULL, bytes, len);
    WIPE(&bytes);
    return error;
}

static int run_here(struct cursor *c, size_t len, gather_fn *run, void *ctx)
{
    const int error =
        run(ctx, (uint8_t *)c->part->out + c->at, (const uint8_t *)c->part->in + c->at, len);
    c->at += len;
    return error;
}

static int check(const struct hr_job *job)
{
    for (size_t i = 0; i < job->num_segments; i++) {
        const struct hr_segment *part = &job->segments[i];
        if (part->len && (!part->in || !part->out))
            return HR_EINVAL;
        if (overlap(part->out, part->in, part->len))
            return HR_EOVERLAP;
    }
    return 0;
}

size_t gather_len(const struct hr_job *job)
{
    size_t len = 0;
    for (size_t i = 0; i < job->num_segments; i++)
        if (__builtin_add_overflow(len, job->segments[i].len, &len))
            return SIZE_MAX;
    return len;
}

int gather_run(const struct hr_job *job, size_t block, size_t tail, gather_fn *run, void *ctx)
{
    struct cursor c = { job->segments, 0 };
    int error = check(job);
    for (size_t left = gather_len(job), n; left && !error; left -= n) {
        const size_t most = left > tail ? left - tail : 0, in_one = here(&c);
        n = (in_one < most ? in_one : most) / block * block;
        if (n) {
            error = run_here(&c, n, run, ctx);
        } else {
            n = most ? block : tail;
            error = run_copy(&c, n, run, ctx);
        }
    }
    return error;
}

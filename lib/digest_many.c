/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of many messages in one call: uses the lanes of a queue (batch_run.h), for one set, on
 * the stack. */
#include "batch_run.h"

/* Enough jobs to fill all lanes, and as many more that follow in them. */
enum { MANY = 2 * MAX_BATCH_LANES };

struct many {
    struct digest_batch batch;
    struct job_sink sink;
    struct hr_job jobs[MANY];
    struct hr_job *slots[MANY];
    struct hr_job *free[MANY]; /* jobs not in use; finished jobs return here */
};

/* The messages of the call, and where their digests go. */
struct messages {
    uint8_t *out;
    hr_alg alg;
    const void *const *in;
    const size_t *in_len;
    size_t num, out_len;
};

static int check(const struct messages *m)
{
    if (m->num && (!m->out || !m->in || !m->in_len))
        return HR_EINVAL;
    for (size_t i = 0; i < m->num; i++) {
        if (!m->in[i] && m->in_len[i])
            return HR_EINVAL;
        if (m->in_len[i] > HMAC_MAX_IN)
            return HR_ELENGTH;
    }
    return 0;
}

static void run_lanes(struct many *w, const struct messages *m, const struct lanes_kernel *kernel)
{
    struct batch *b = &w->batch.batch;
    struct job_sink *sink = &w->sink;
    memset(&w->batch.batch, 0, sizeof w->batch.batch);
    memset(&w->sink, 0, sizeof w->sink);
    batch_init(b, kernel);
    w->batch.digest = digest_impl(m->alg);
    b->set.sink = sink;
    b->set.waiting.slots = w->slots;
    b->set.waiting.mask = MANY - 1;
    sink->out = w->free;
    sink->max = MANY;
    for (; sink->n < MANY; sink->n++)
        w->free[sink->n] = &w->jobs[sink->n];
    for (size_t i = 0; i < m->num || set_len(&b->set);) {
        for (; i < m->num && sink->n; i++) {
            struct hr_job *job = w->free[--sink->n];
            *job = (struct hr_job){ .alg = (uint16_t)m->alg,
                                    .tag = m->out + i * m->out_len,
                                    .in = m->in[i],
                                    .len = m->in_len[i] };
            ring_put(&b->set.waiting, job);
        }
        (set_len(&b->set) < b->set.least ? digest_batch_run_alone : digest_batch_run)(&w->batch);
    }
}

int hr_digest_many(uint8_t *out, hr_alg alg, const void *const *in, const size_t *in_len,
                   size_t num)
{
    const struct digest_impl *impl = digest_impl(alg);
    if (!impl)
        return HR_EALG;
    const struct messages m = { out, alg, in, in_len, num, impl->out_len };
    const int error = check(&m);
    if (error)
        return error;
    const struct lanes_op *op = batch_lanes_op(alg);
    const struct lanes_kernel *kernel = op ? batch_lanes_choose(op) : NULL;
    if (kernel && num >= batch_lanes_least(kernel)) {
        struct many w;
        run_lanes(&w, &m, kernel);
        return 0;
    }
    for (size_t i = 0; i < num; i++)
        impl->direct(out + i * m.out_len, in[i], in_len[i]);
    return 0;
}

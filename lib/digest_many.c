/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of many messages in one call: uses the lanes of a queue (batch_run.h), for one set, on
 * the stack. */
#include "batch_run.h"
#include "digest.h"

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

/* ---- messages of one length ---- */

/* The lanes of messages that are equally long.  There is nothing to schedule: the kernel takes all
 * their whole blocks in one call, and the last ones in another. */
struct equals {
    struct digest_lanes lanes;
    alignas(64) uint8_t last[MAX_BATCH_LANES][2 * CHAIN_MAX_BLOCK];
};

static int are_equal(const size_t *len, size_t num)
{
    size_t differ = 0;
    for (size_t i = 1; i < num; i++)
        differ |= len[i] ^ len[0];
    return !differ;
}

/* Pads the last blocks of all lanes, and returns their number.  Lanes without a rest of their
 * messages share one block. */
static size_t pad_equals(struct equals *e, const struct messages *m, size_t lanes,
                         const struct digest_impl *impl)
{
    const size_t len = m->in_len[0], used = len % impl->block_len, whole = len - used;
    size_t end = 0;
    for (size_t l = 0; l < lanes; l++) {
        uint8_t *last = e->last[used ? l : 0];
        if (used || !l) {
            const uint8_t *rest = whole ? (const uint8_t *)m->in[l] + whole : m->in[l];
            const struct piece piece = copy_pieces(last, rest, used, whole > 0);
            end = pad_last(last, piece, used, impl->block_len, len, impl->little_endian);
        }
        e->lanes.in[l] = last;
    }
    return end / impl->block_len;
}

static void run_equals(struct equals *e, const struct messages *m,
                       const struct lanes_kernel *kernel, const struct digest_impl *impl)
{
    const size_t num_whole = m->in_len[0] / impl->block_len;
    union digest_state init = { 0 };
    memcpy(&init, impl->init, 8u * impl->word_len);
    for (size_t l = 0; l < kernel->lanes; l++) {
        e->lanes.state[l] = init; /* a copy of variable length would take 30 cycles to begin */
        e->lanes.in[l] = m->in[l];
    }
    if (num_whole)
        kernel->digest(&e->lanes, num_whole);
    kernel->digest(&e->lanes, pad_equals(e, m, kernel->lanes, impl));
    for (size_t l = 0; l < kernel->lanes; l++)
        store_state(m->out + l * m->out_len, &e->lanes.state[l], m->out_len, impl->word_len,
                    impl->little_endian);
}

/* Digests the messages of the call that come first, as long as all lanes get equally long ones,
 * and advances m behind them. */
static void run_first_equals(struct messages *m, const struct lanes_kernel *kernel,
                             const struct digest_impl *impl)
{
    const size_t lanes = kernel->lanes;
    struct equals e;
    for (; m->num >= lanes && are_equal(m->in_len, lanes); m->num -= lanes) {
        run_equals(&e, m, kernel, impl);
        m->out += lanes * m->out_len;
        m->in += lanes;
        m->in_len += lanes;
    }
    wipe_bytes(e.lanes.state, lanes * sizeof e.lanes.state[0]);
    wipe_bytes(e.last, lanes * sizeof e.last[0]);
}

/* ---- messages of any length ---- */

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
    struct messages m = { out, alg, in, in_len, num, impl->out_len };
    const int error = check(&m);
    if (error)
        return error;
    const struct lanes_op *op = batch_lanes_op(alg);
    const struct lanes_kernel *kernel = op ? batch_lanes_choose(op) : NULL;
    if (kernel && num >= batch_lanes_least(kernel)) {
        if (!impl->sponge)
            run_first_equals(&m, kernel, impl);
        if (m.num >= batch_lanes_least(kernel)) {
            struct many w;
            run_lanes(&w, &m, kernel);
            return 0;
        }
    }
    for (size_t i = 0; i < m.num; i++)
        impl->direct(m.out + i * m.out_len, m.in[i], m.in_len[i]);
    return 0;
}

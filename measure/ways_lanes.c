/* SPDX-License-Identifier: Apache-2.0 */
/* HR_OP_LANES: many messages at once, in a local queue that is forced to use one kernel. */
#include "ways_state.h"
#include <headrace/queue.h>
#include <string.h>

enum { MESSAGES = 32 };

struct lanes {
    struct hr_queue *queue;
    struct hr_job jobs[MESSAGES], *list[MESSAGES], *done[MESSAGES];
    uint8_t tags[MESSAGES][HR_DIGEST_MAX_OUT];
    void *memory; /* memory of the queue */
    uint8_t *out; /* output of all messages */
};

static void run_lanes(void *ctx, uint64_t calls)
{
    const struct way_state *s = ctx;
    struct lanes *l = s->lanes;
    for (uint64_t i = 0; i < calls; i++)
        must(hr_queue_submit(l->queue, l->list, MESSAGES) == MESSAGES &&
             hr_queue_poll(l->queue, l->done, MESSAGES, MESSAGES) == MESSAGES);
}

static int init_key(struct way_state *s)
{
    const struct hr_algorithm *row = s->cell.row;
    const unsigned has = hr_class_of(row)->has;
    const size_t len = has & HR_HAS_ANY_KEY ? row->out_len : row->key_len;
    return has & HR_HAS_KEY ? hr_any_key_init(&s->keys, row->alg, s->bytes, len) : 0;
}

static void fill_jobs(struct way_state *s, size_t step)
{
    struct lanes *l = s->lanes;
    const struct hr_algorithm *row = s->cell.row;
    const bool keyed = hr_class_of(row)->has & HR_HAS_KEY;
    for (size_t i = 0; i < MESSAGES; i++) {
        l->jobs[i] = (struct hr_job){
            .alg = (uint16_t)row->alg,
            .key_form = keyed ? HR_KEY_OBJECT : HR_KEY_NONE,
            .key = keyed ? &s->keys : NULL,
            .iv = s->iv,
            .iv_len = row->iv_len,
            .tag = l->tags[i],
            .in = s->in,
            .out = l->out + i * step,
            .len = s->cell.size,
        };
        l->list[i] = &l->jobs[i];
    }
}

bool lanes_open(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const size_t step = (s->cell.size + 127) & ~(size_t)63;
    const size_t size = (hr_queue_local_size(MESSAGES) + 63) & ~(size_t)63;
    struct lanes *l = s->lanes = calloc(1, sizeof *l);
    if (!l)
        return false;
    l->memory = aligned_alloc(64, size);
    l->out = aligned_alloc(64, MESSAGES * step);
    if (!l->memory || !l->out || hr_queue_local(&l->queue, l->memory, size, MESSAGES) ||
        hr_queue_local_kernel(l->queue, s->cell.row->alg, s->kernel) || init_key(s))
        return false;
    fill_jobs(s, step);
    c->run = run_lanes;
    return true;
}

void lanes_close(struct way_state *s)
{
    struct lanes *l = s->lanes;
    if (!l)
        return;
    hr_queue_close(l->queue);
    free(l->memory);
    free(l->out);
    free(l);
}

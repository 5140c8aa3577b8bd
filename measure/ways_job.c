/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a class that has no file of ways: hr_job_run() of one job with a kept key. */
#include "ways_state.h"
#include <headrace/queue.h>
#include <string.h>

static void run_job(void *ctx, uint64_t n)
{
    struct way_state *s = ctx;
    while (n--)
        must(hr_job_run(&s->job) == 0);
}

static void fill_job(struct way_state *s)
{
    const struct hr_algorithm *row = s->cell.row;
    const struct hr_class_info *info = hr_class_of(row);
    s->job = (struct hr_job){
        .alg = (uint16_t)row->alg,
        .key_form = info->has & HR_HAS_KEY ? HR_KEY_OBJECT : HR_KEY_NONE,
        .key = &s->keys,
        .iv = s->iv,
        .iv_len = row->iv_len,
        .tag = s->out + (info->ops[0].out ? s->cell.size : 0),
        .in = s->in,
        .out = s->out,
        .len = s->cell.size,
    };
}

/* Prepares the job. If the operation takes a tag, the first operation runs before, which makes the
 * tag, and the ciphertext, which becomes the input. */
static bool begin(struct way_state *s, struct contender *c)
{
    const struct hr_class_op *op = &hr_class_of(s->cell.row)->ops[s->cell.op];
    fill_job(s);
    if (op->tag == HR_TAG_TAKEN && hr_job_run(&s->job))
        return false;
    if (op->tag == HR_TAG_TAKEN && op->out)
        memcpy(s->in, s->out, s->cell.size);
    s->job.op = (uint8_t)s->cell.op;
    c->run = run_job;
    return true;
}

static size_t key_len(const struct hr_algorithm *row)
{
    return hr_class_of(row)->has & HR_HAS_ANY_KEY ? row->out_len : row->key_len;
}

static bool open_direct(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    return !hr_any_key_init(&s->keys, row->alg, s->bytes, key_len(row)) && begin(s, c);
}

static bool open_kernel(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx)
{
    const struct hr_algorithm *row = s->cell.row;
    return !hr_any_key_init_kernel(&s->keys, row->alg, s->cell.op, s->kernel, s->bytes,
                                   key_len(row)) &&
           begin(s, c);
}

const struct way_class job_ways = {
    .opens = { open_direct },
    .kernel = open_kernel,
};

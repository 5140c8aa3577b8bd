/* SPDX-License-Identifier: Apache-2.0 */
/* A job in pieces gives what hr_job_run gives: every row and operation, any length, segments, keys
 * as bytes, states, right and wrong tags. */
#include "service/slices.h"
#include "../test.h"
#include <headrace/algorithms.h>

enum { MAX_LEN = 6000, MAX_AAD = 40, PARTS = 4, ROUNDS = 12 };

/* struct data is what a job reads and writes. */
struct data {
    uint8_t in[MAX_LEN], out[MAX_LEN], aad[MAX_AAD], tag[64], state[HR_DIGEST_MAX_EXPORT];
    struct hr_segment segments[PARTS];
};

static uint8_t key_bytes[64], iv[64];
static union hr_any_key key;

static size_t key_len_of(const struct hr_algorithm *row)
{
    return hr_class_of(row)->has & HR_HAS_ANY_KEY ? 32 : row->key_len;
}

static struct hr_job make_job(const struct hr_algorithm *row, unsigned op, struct data *d)
{
    const struct hr_class_info *info = hr_class_of(row);
    const bool bytes = random_below(2);
    size_t len = random_below(MAX_LEN + 1);
    if (info->ops[op].in == HR_IN_UNIT && len < 16)
        len = 16;
    if (info->ops[op].in == HR_IN_BLOCKS)
        len -= len % row->block_len;
    return (struct hr_job){
        .alg = (uint16_t)row->alg,
        .op = (uint8_t)op,
        .key_form = !(info->has & HR_HAS_KEY) ? HR_KEY_NONE
                    : bytes                   ? HR_KEY_BYTES
                                              : HR_KEY_OBJECT,
        .key = bytes ? (const void *)key_bytes : &key,
        .key_len = bytes ? (uint32_t)key_len_of(row) : 0,
        .iv = iv,
        .iv_len = row->iv_len,
        .aad = d->aad,
        .aad_len = info->has & HR_HAS_AAD ? random_below(MAX_AAD) : 0,
        .in = d->in,
        .len = len,
        .out = info->ops[op].out ? random_below(2) ? d->in : d->out : NULL,
        .tag = info->ops[op].tag ? d->tag : NULL,
    };
}

/* Cuts the message into segments, some of them empty. */
static void cut(struct hr_job *job, struct data *d)
{
    const size_t unit = random_below(2) ? 128 : 1;
    size_t at = 0;
    for (size_t i = 0; i < PARTS; i++) {
        const size_t left = job->len - at;
        size_t len = i + 1 == PARTS ? left : random_below((unsigned)left + 1);
        if (i + 1 < PARTS)
            len -= len % unit;
        d->segments[i] = (struct hr_segment){ (const uint8_t *)job->in + at,
                                              job->out ? (uint8_t *)job->out + at : NULL, len };
        at += len;
    }
    job->segments = d->segments;
    job->num_segments = PARTS;
}

static bool ran_alike(const struct hr_job *want, const struct data *a, const struct hr_job *have,
                      const struct data *b)
{
    return want->result == have->result && want->state_out_len == have->state_out_len &&
           !memcmp(a->in, b->in, sizeof a->in) && !memcmp(a->out, b->out, sizeof a->out) &&
           !memcmp(a->tag, b->tag, sizeof a->tag) && !memcmp(a->state, b->state, sizeof a->state);
}

static void run_in_pieces(struct hr_job *job)
{
    static struct slices s;
    static const struct slices none;
    slices_begin(&s, job, 1 + random_below(2000));
    size_t steps = 0;
    while (!slices_step(&s))
        steps++;
    if (steps > MAX_LEN / SLICES_UNIT + PARTS)
        complain("%zu steps", steps);
    if (memcmp(&s, &none, sizeof s))
        complain("the state is not wiped");
}

/* Moves a job's pointers from one struct data to another. */
static void move(struct hr_job *job, const struct data *from, struct data *to)
{
    const intptr_t by = (intptr_t)to - (intptr_t)from;
#define MOVE(pointer) ((pointer) ? (void *)((intptr_t)(pointer) + by) : NULL)
    job->in = MOVE(job->in);
    job->out = MOVE(job->out);
    job->aad = MOVE(job->aad);
    job->tag = MOVE(job->tag);
    job->state_out = MOVE(job->state_out);
    job->segments = MOVE(job->segments);
    for (size_t i = 0; i < job->num_segments; i++) {
        to->segments[i].in = MOVE(to->segments[i].in);
        to->segments[i].out = MOVE(to->segments[i].out);
    }
}

/* is_whole tells whether segments of a job cut the blocks of its mode: then it is one piece. */
static bool is_whole(const struct hr_algorithm *row, const struct hr_job *job)
{
    bool cuts = row->cls == HR_CLASS_XTS && job->num_segments;
    for (size_t i = 0; row->cls == HR_CLASS_CIPHER && i < job->num_segments; i++)
        cuts |= job->segments[i].len % row->block_len != 0;
    return cuts;
}

/* compare runs the same job at once and in pieces. */
static void compare(const struct hr_algorithm *row, const struct hr_job *job, struct data *d)
{
    static struct data other;
    struct hr_job whole = *job, pieces = *job;
    memcpy(&other, d, sizeof other);
    move(&pieces, d, &other);
    if (slices_may_cut(&pieces) == is_whole(row, &pieces)) {
        complain("%s %u: is cut, or is not", row->name, job->op);
        return;
    }
    (void)hr_job_run(&whole);
    run_in_pieces(&pieces);
    if (whole.result && whole.result == pieces.result && job->out)
        return; /* what a failed decryption leaves is nothing to anybody */
    if (!ran_alike(&whole, d, &pieces, &other))
        complain("%s %u: result %d, not %d; %zu bytes", row->name, job->op, pieces.result,
                 whole.result, job->len);
}

static void try_states(const struct hr_algorithm *row, struct hr_job job, struct data *d)
{
    uint8_t state[HR_DIGEST_MAX_EXPORT];
    job.state_out = d->state;
    compare(row, &job, d);
    memcpy(state, d->state, sizeof state);
    job.state_out = NULL;
    job.state_in = state;
    job.state_in_len = (uint32_t)sizeof state;
    for (uint32_t len = 0; len <= sizeof state; len++) { /* one of them is right */
        job.state_in_len = len;
        compare(row, &job, d);
    }
}

/* try_op gives a job that undoes or verifies another the right tag, or a wrong one. */
static void try_op(const struct hr_algorithm *row, unsigned op)
{
    static struct data d;
    const struct hr_class_info *info = hr_class_of(row);
    random_bytes(&d, offsetof(struct data, segments));
    struct hr_job job = make_job(row, op, &d);
    if (info->ops[op].tag == HR_TAG_TAKEN) {
        struct hr_job make = job;
        make.op = 0;
        make.out = job.out ? d.in : NULL; /* in place: then it is there to be undone */
        if (hr_job_run(&make))
            complain("%s: no tag: %d", row->name, make.result);
        d.tag[0] ^= (uint8_t)random_below(2);
    }
    if (info->has & HR_HAS_PARTS && random_below(2))
        cut(&job, &d);
    if (info->has & HR_HAS_STATES && random_below(4) == 0)
        try_states(row, job, &d);
    compare(row, &job, &d);
}

static void try_row(const struct hr_algorithm *row)
{
    const struct hr_class_info *info = hr_class_of(row);
    const struct hr_job any = { .alg = (uint16_t)row->alg };
    if (!info->ops[0].word) {
        if (slices_may_cut(&any))
            complain("%s: is cut", row->name);
        return;
    }
    for (int i = 0; i < ROUNDS; i++) {
        random_bytes(key_bytes, sizeof key_bytes);
        random_bytes(iv, sizeof iv);
        if (info->has & HR_HAS_KEY && hr_any_key_init(&key, row->alg, key_bytes, key_len_of(row)))
            complain("%s: no key", row->name);
        for (unsigned op = 0; hr_class_op(info, op); op++)
            try_op(row, op);
    }
}

/* try_refused checks that a job that hr_job_run refuses is not cut: it is refused as a whole. */
static void try_refused(void)
{
    static uint8_t bytes[4096];
    struct hr_job job = { .alg = HR_AES_128_CBC,
                          .key_form = HR_KEY_OBJECT,
                          .key = &key,
                          .iv = iv,
                          .iv_len = 16,
                          .in = bytes,
                          .out = bytes + 16,
                          .len = 2048 };
    if (slices_may_cut(&job))
        complain("memories that overlap");
    job.out = bytes + 2048;
    job.len = 2047;
    if (slices_may_cut(&job))
        complain("an incomplete block");
    job.len = 2048;
    if (!slices_may_cut(&job))
        complain("neither");
    job.alg = HR_AES_128_XTS;
    if (!slices_may_cut(&job))
        complain("a unit of XTS");
    job.iv_len = 12;
    if (slices_may_cut(&job))
        complain("a unit of XTS with another length of IV");
    tap(!complaints_so_far(), "overlaps and incomplete blocks are left to hr_job_run");
}

int main(void)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        try_row(row);
    tap(!complaints_so_far(), "pieces give what hr_job_run gives");
    try_refused();
    return tap_done();
}

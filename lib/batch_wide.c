/* SPDX-License-Identifier: Apache-2.0 */
/* Chained ciphers in wide lanes (batch.h).  Lanes are kept together at the beginning: a kernel of
 * sliced bits takes the same time for any number of them, but needs no place for those that are
 * idle.  Keys lie once in the area that all sets of a queue share, and are fetched from the jobs
 * when another set has had it. */
#include "batch_run.h"
#include "cipher.h"

enum { RUN_BLOCKS = 32 }; /* at once, before the caller is asked again */
enum { EIGHT = 8 };       /* lanes are counted in these */

/* ---- memory ---- */

static size_t lanes_of(const struct lanes_op *op, size_t num_jobs)
{
    const uint64_t have = hr_cpu_features();
    size_t most = 0;
    for (size_t i = 0; i < op->num_kernels; i++)
        if (!(op->kernels[i].info.needs & ~have) && op->kernels[i].lanes > most)
            most = op->kernels[i].lanes;
    num_jobs = (num_jobs + EIGHT - 1) / EIGHT * EIGHT;
    return num_jobs < most ? num_jobs : most;
}

size_t wide_batch_size(const struct lanes_op *op, size_t num_jobs)
{
    const struct wide_batch *b = NULL;
    const size_t lane = sizeof *b->lanes.in + sizeof *b->lanes.out + sizeof *b->job +
                        sizeof *b->more + sizeof *b->part + sizeof *b->left + sizeof *b->in_part +
                        op->wide->state_len;
    return (lanes_of(op, num_jobs) * lane + 63) / 64 * 64;
}

static void *carve(uint8_t **at, size_t len)
{
    void *piece = *at;
    *at += len;
    return piece;
}

void wide_batch_init(struct wide_batch *b, const struct lanes_op *op, size_t num_jobs,
                     struct wide_area *area, uint8_t *memory)
{
    const size_t room = lanes_of(op, num_jobs);
    set_kernel(&b->set, lanes_choose(op));
    b->form = op->wide;
    b->area = area;
    b->room = (uint32_t)room;
    b->lanes.in = carve(&memory, room * sizeof *b->lanes.in);
    b->lanes.out = carve(&memory, room * sizeof *b->lanes.out);
    b->job = carve(&memory, room * sizeof *b->job);
    b->more = carve(&memory, room * sizeof *b->more);
    b->part = carve(&memory, room * sizeof *b->part);
    b->left = carve(&memory, room * sizeof *b->left);
    b->in_part = carve(&memory, room * sizeof *b->in_part);
    b->lanes.state = carve(&memory, room * b->form->state_len);
    b->lanes.planes = area->planes;
    b->lanes.keys = area->keys;
    b->lanes.rounds = b->form->rounds;
    for (size_t l = 0; l < room; l++)
        b->left[l] = IDLE;
}

/* ---- what a lane has ---- */

static uint8_t *state_of(const struct wide_batch *b, size_t l)
{
    return b->lanes.state + l * b->form->state_len;
}

static uint8_t *key_of(const struct wide_batch *b, size_t l)
{
    return b->lanes.keys + l * b->form->key_len;
}

static __attribute__((noinline)) void load_own_key(uint8_t *to, const struct wide_form *form,
                                                   const struct hr_job *job)
{
    struct hr_cipher_key own;
    const struct cipher_key *key = batch_open_key(job, &own);
    form->key(to, key);
    batch_close_key(key, &own);
}

static void load_key(struct wide_batch *b, size_t l)
{
    const struct hr_job *job = b->job[l];
    const struct wide_form *form = b->form;
    if (job->key_form == HR_KEY_OBJECT)
        form->key(key_of(b, l), job->key);
    else if (form->key_bytes)
        form->key_bytes(key_of(b, l), job->key, job->key_len);
    else
        load_own_key(key_of(b, l), form, job);
    b->lanes.fresh = 1;
}

/* The area's keys become those of this set. */
static void own_area(struct wide_batch *b)
{
    struct wide_area *area = b->area;
    if (area->owner == b)
        return;
    if (area->owner)
        WIPE(area);
    area->owner = b;
    for (size_t l = 0; l < b->set.live; l++)
        load_key(b, l);
    b->lanes.fresh = 1;
}

static void set_left(struct wide_batch *b, size_t l, size_t num_blocks)
{
    const size_t now = num_blocks < LONGEST_RUN ? num_blocks : LONGEST_RUN;
    b->left[l] = (int16_t)now;
    b->more[l] = num_blocks - now;
}

/* An IV is a block, and what a state has behind it begins with zeros. */
static void start_state(struct wide_batch *b, size_t l)
{
    const uint8_t *iv = b->job[l]->iv;
    uint8_t *state = state_of(b, l);
    memcpy(state, iv, 8);
    if (b->form->unit == 16)
        memcpy(state + 8, iv + 8, 8);
    for (size_t i = b->form->unit; i < b->form->state_len; i++)
        state[i] = 0;
}

static void start_message(struct wide_batch *b, size_t l, struct hr_job *job)
{
    b->job[l] = job;
    b->lanes.in[l] = job->in;
    b->lanes.out[l] = job->out;
    b->in_part[l] = 0;
    start_state(b, l);
    load_key(b, l);
    set_left(b, l, job->len / 8 / (b->form->unit / 8u));
}

static void fill_lanes(struct wide_batch *b)
{
    struct job_set *set = &b->set;
    const size_t lanes = b->room < set->kernel->lanes ? b->room : set->kernel->lanes;
    for (; set->live < lanes && ring_len(&set->waiting); set->live++)
        start_message(b, set->live, ring_take(&set->waiting));
}

static void move_lane(struct wide_batch *b, size_t to, size_t from)
{
    b->job[to] = b->job[from];
    b->lanes.in[to] = b->lanes.in[from];
    b->lanes.out[to] = b->lanes.out[from];
    b->left[to] = b->left[from];
    b->more[to] = b->more[from];
    b->in_part[to] = b->in_part[from];
    memcpy(b->part[to], b->part[from], sizeof *b->part);
    memcpy(state_of(b, to), state_of(b, from), b->form->state_len);
    memcpy(key_of(b, to), key_of(b, from), b->form->key_len);
    if (b->in_part[to])
        b->lanes.in[to] = b->lanes.out[to] = b->part[to];
}

/* No message follows in this lane: the last one takes its place. */
static void leave_lane(struct wide_batch *b, size_t l)
{
    const size_t last = --b->set.live;
    if (l != last)
        move_lane(b, l, last);
    b->left[last] = IDLE;
    b->job[last] = NULL;
    b->num_left++;
}

/* What messages have left behind the last lane, and the bits of their keys. */
static void wipe_lanes(struct wide_batch *b)
{
    const size_t live = b->set.live, num = b->num_left;
    if (!num)
        return;
    b->num_left = 0;
    b->lanes.fresh = 1;
    wipe_bytes(b->part[live], num * sizeof *b->part);
    wipe_bytes(state_of(b, live), num * b->form->state_len);
    if (b->area->owner != b)
        return;
    wipe_bytes(key_of(b, live), num * b->form->key_len);
    wipe_bytes(b->lanes.planes, WIDE_PLANES);
    if (!live)
        b->area->owner = NULL;
}

/* ---- a message's runs: its whole blocks, and a part that is copied ---- */

static size_t part_len(const struct wide_batch *b, size_t l)
{
    return b->job[l]->len & (b->form->unit - 1u);
}

static void begin_part(struct wide_batch *b, size_t l)
{
    memset(b->part[l], 0, sizeof *b->part);
    memcpy(b->part[l], b->lanes.in[l], part_len(b, l));
    b->lanes.in[l] = b->lanes.out[l] = b->part[l];
    b->in_part[l] = 1;
    set_left(b, l, 1);
}

static void end_part(struct wide_batch *b, size_t l)
{
    const struct hr_job *job = b->job[l];
    const size_t len = part_len(b, l);
    memcpy((uint8_t *)job->out + job->len - len, b->part[l], len);
}

/* A lane's run has ended.  Returns whether its message has. */
static int next_run(struct wide_batch *b, size_t l)
{
    struct job_ring *waiting = &b->set.waiting;
    if (b->more[l]) {
        set_left(b, l, b->more[l]);
        return 0;
    }
    if (!b->in_part[l] && part_len(b, l)) {
        begin_part(b, l);
        return 0;
    }
    if (b->in_part[l])
        end_part(b, l);
    sink_put(b->set.sink, b->job[l], 0);
    if (ring_len(waiting) && b->area->owner == b)
        start_message(b, l, ring_take(waiting));
    else
        leave_lane(b, l);
    return 1;
}

static size_t shortest_left(const struct wide_batch *b, size_t most)
{
    const size_t end = (b->set.live + EIGHT - 1) / EIGHT * EIGHT;
    int16_t shortest = (int16_t)most;
    for (size_t l = 0; l < end; l++)
        shortest = b->left[l] < shortest ? b->left[l] : shortest;
    return (size_t)shortest;
}

/* All lanes have done n blocks.  From the last lane to the first: what takes the place of another
 * has had its turn.  Returns how many messages have ended. */
static size_t advance(struct wide_batch *b, size_t n)
{
    const size_t live = b->set.live;
    size_t ended = 0;
    for (size_t l = (live + 3) & ~(size_t)3; l;) {
        uint64_t bits = four_advance(b->left + (l -= 4), n);
        for (size_t i = 4; bits && i--;)
            if (b->left[l + i] == 0 && l + i < live)
                ended += (size_t)next_run(b, l + i);
    }
    for (size_t l = b->set.live; l < live || l % 4; l++)
        b->left[l] = IDLE;
    return ended;
}

void wide_batch_run(struct wide_batch *b)
{
    size_t done = 0, ended = 0;
    own_area(b);
    fill_lanes(b);
    while (!ended && done < RUN_BLOCKS) {
        const size_t n = shortest_left(b, RUN_BLOCKS - done);
        b->lanes.live = b->set.live;
        b->set.kernel->wide(&b->lanes, n);
        ended = advance(b, n);
        done += n;
    }
    wipe_lanes(b);
}

void wide_batch_run_alone(struct wide_batch *b)
{
    struct hr_cipher_key own;
    if (!b->set.live) {
        struct hr_job *job = ring_take(&b->set.waiting);
        sink_put(b->set.sink, job, job_run_one(job));
        return;
    }
    const size_t l = b->set.live - 1;
    const struct cipher_key *key = batch_open_key(b->job[l], &own);
    do {
        const size_t num_blocks = (size_t)b->left[l] + b->more[l];
        uint8_t *state = state_of(b, l);
        run_blocks(key, HR_OP_ENCRYPT, b->lanes.out[l], b->lanes.in[l], num_blocks, state, state);
        b->lanes.in[l] += num_blocks * b->form->unit;
        b->lanes.out[l] += num_blocks * b->form->unit;
        b->more[l] = 0;
    } while (!next_run(b, l));
    batch_close_key(key, &own);
    wipe_lanes(b);
}

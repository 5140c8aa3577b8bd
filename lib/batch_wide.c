/* SPDX-License-Identifier: Apache-2.0 */
/* Chained ciphers in wide lanes (batch.h).  The lanes in use are kept together at the beginning: a
 * bit-sliced kernel takes the same time for any number of lanes, but unused lanes then need no
 * memory.  Expanded keys lie in an area that all sets of a queue share; a set fetches its keys from
 * the jobs again when another set has used the area in between. */
#include "batch_run.h"
#include "cipher.h"

enum { RUN_BLOCKS = 8 };     /* the most blocks of a lane in one call of the kernel */
enum { ALONE_BYTES = 1024 }; /* the most bytes of a message alone in one call of its kernel */
enum { EIGHT = 8 };          /* the number of lanes is a multiple of EIGHT */

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
    set_kernel(&b->set, batch_lanes_choose(op));
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

/* ---- the data of a lane ---- */

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

/* Takes over the area from the set that used it last: wipes it and fetches this set's keys. */
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

/* A message's first state is its IV, one block long, followed by zeros. */
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

/* To be called when no message follows in lane l: the message of the last lane moves there. */
static void leave_lane(struct wide_batch *b, size_t l)
{
    const size_t last = --b->set.live;
    if (l != last)
        move_lane(b, l, last);
    b->left[last] = IDLE;
    b->job[last] = NULL;
    b->num_left++;
}

/* Wipes the lanes behind the last one in use, which ended messages have left, and the bit planes of
 * their keys. */
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

/* ---- the runs of a message: its whole blocks, then a copy of an incomplete last block ---- */

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

/* To be called when a lane's run has ended: begins the next run.  Returns whether the message has
 * ended. */
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

/* To be called when all lanes have done n blocks: ends runs and messages.  It goes from the last
 * lane to the first, so that a message that moves into a freed lane has been dealt with before.
 * Returns how many messages have ended. */
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

/* Begins a message in the first lane. */
static void start_alone(struct wide_batch *b, struct hr_job *job)
{
    own_area(b);
    start_message(b, 0, job);
    b->set.live = 1;
}

void wide_batch_run_alone(struct wide_batch *b)
{
    struct hr_cipher_key own;
    if (!b->set.live) {
        struct hr_job *job = ring_take(&b->set.waiting);
        if (job->len <= ALONE_BYTES) {
            sink_put(b->set.sink, job, job_run_one(job));
            return;
        }
        start_alone(b, job);
    }
    const size_t l = b->set.live - 1, most = ALONE_BYTES / b->form->unit;
    const size_t whole = (size_t)b->left[l] + b->more[l];
    const size_t num_blocks = whole < most ? whole : most;
    const struct cipher_key *key = batch_open_key(b->job[l], &own);
    uint8_t *state = state_of(b, l);
    run_blocks(key, HR_OP_ENCRYPT, b->lanes.out[l], b->lanes.in[l], num_blocks, state, state);
    batch_close_key(key, &own);
    b->lanes.in[l] += num_blocks * b->form->unit;
    b->lanes.out[l] += num_blocks * b->form->unit;
    set_left(b, l, whole - num_blocks);
    if (num_blocks == whole)
        (void)next_run(b, l);
    wipe_lanes(b);
}

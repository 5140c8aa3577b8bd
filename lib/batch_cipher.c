/* SPDX-License-Identifier: Apache-2.0 */
/* Chained ciphers in lanes: CBC and CFB encryption (SP 800-38A), in which each block waits for the
 * one before it.  A lane holds its message's round keys and its last ciphertext block. */
#include "batch_run.h"

enum { RUN_BLOCKS = 256 };    /* the most blocks of a lane in one call of the kernel */
enum { ALONE_BYTES = 16384 }; /* the most bytes of a message alone in one call of its kernel */

int cipher_batch_takes(const struct hr_job *job, size_t unit)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)job->alg);
    const struct cipher_key *key = job->key;
    const uintptr_t not_simple = (uintptr_t)job->next | job->num_segments |
                                 (uintptr_t)job->state_in | (uintptr_t)job->state_out;
    if (not_simple || job->op != HR_JOB_ENCRYPT || job->len < unit ||
        job->len & (row->block_len - 1u) || !job->in || !job->out || !job->iv ||
        job->iv_len != row->iv_len || overlap(job->out, job->in, job->len))
        return 0;
    if (job->key_form == HR_KEY_OBJECT)
        return key && key->alg == job->alg && cipher_key_encrypts(key);
    return job->key_form == HR_KEY_BYTES && key && job->key_len == row->key_len;
}

const struct cipher_key *batch_open_key(const struct hr_job *job, struct hr_cipher_key *own)
{
    if (job->key_form == HR_KEY_OBJECT)
        return job->key;
    /* cipher_batch_takes() has checked all that this function refuses. */
    const int error = hr_cipher_key_init(own, (hr_alg)job->alg, job->key, job->key_len);
    (void)error;
    return (const struct cipher_key *)own;
}

void batch_close_key(const struct cipher_key *key, struct hr_cipher_key *own)
{
    if (key == (const struct cipher_key *)own)
        WIPE(own);
}

/* Copies a key's round keys to the places of lane l.  The loop up to 10 has a constant bound so
 * that the compiler unrolls it: a loop of unknown length takes as long as a block's encryption. */
static inline void spread_key(struct cipher_batch *b, size_t l, const struct aes_key *key)
{
    const size_t step = (size_t)b->batch.set.kernel->lanes * 16;
    uint8_t *at = b->lanes.keys + l * 16;
    b->lanes.rounds = key->rounds; /* the same in all rows of the set */
#pragma GCC unroll 11
    for (size_t r = 0; r <= 10; r++)
        memcpy(at + r * step, key->enc[r], 16);
    for (size_t r = 11; r <= key->rounds; r++)
        memcpy(at + r * step, key->enc[r], 16);
}

static __attribute__((noinline)) void spread_own_key(struct cipher_batch *b, size_t l,
                                                     const struct hr_job *job)
{
    struct aes_key own;
    aes_expand(&own, job->key, job->key_len, 0);
    spread_key(b, l, &own);
    wipe_bytes(own.enc, sizeof own.enc);
}

static inline __attribute__((always_inline)) void start_message(struct cipher_batch *b, size_t l,
                                                                struct hr_job *job)
{
    if (LIKELY(job->key_form == HR_KEY_OBJECT))
        spread_key(b, l, &((const struct cipher_key *)job->key)->aes);
    else
        spread_own_key(b, l, job);
    memcpy(b->lanes.iv + l * 16, job->iv, 16);
    b->lanes.in[l] = job->in;
    b->lanes.out[l] = job->out;
    b->batch.job[l] = job;
    set_run(&b->batch, l, job->len / 16);
}

/* Processes the incomplete block at the end of a stream, with the single-message kernel on a copy.
 */
static __attribute__((noinline)) void run_part(struct cipher_batch *b, size_t l)
{
    const struct hr_job *job = b->batch.job[l];
    const size_t part = job->len % 16;
    struct hr_cipher_key own;
    uint8_t block[16] = { 0 };
    const struct cipher_key *key = batch_open_key(job, &own);
    memcpy(block, b->lanes.in[l], part);
    key->blocks[HR_OP_ENCRYPT](block, block, 1, &key->aes, b->lanes.iv + l * 16, NULL);
    memcpy(b->lanes.out[l], block, part);
    batch_close_key(key, &own);
    WIPE(&block);
}

static void wipe_lane(struct cipher_batch *b, size_t l)
{
    const size_t lanes = b->batch.set.kernel->lanes;
    for (size_t r = 0; r <= b->lanes.rounds; r++)
        wipe_bytes(b->lanes.keys + (r * lanes + l) * 16, 16);
    wipe_bytes(b->lanes.iv + l * 16, 16);
}

/* Wipes the lanes in the mask `left`, whose messages have ended; wipes all lanes at once when no
 * lane has a message. */
static void wipe_lanes(struct cipher_batch *b, uint32_t left)
{
    const size_t lanes = b->batch.set.kernel->lanes;
    for (; b->batch.set.live && left; left &= left - 1)
        wipe_lane(b, (size_t)__builtin_ctz(left));
    if (!left)
        return;
    wipe_bytes(b->lanes.keys, (b->lanes.rounds + 1) * lanes * 16);
    wipe_bytes(b->lanes.iv, lanes * 16);
}

/* Ends the message of lane l.  Returns the lane's bit if no message follows in the lane, which has
 * to be wiped then. */
static uint32_t end_message(struct cipher_batch *b, size_t l)
{
    struct batch *batch = &b->batch;
    if (batch->job[l]->len % 16)
        run_part(b, l);
    sink_put(batch->set.sink, batch->job[l], 0);
    if (ring_len(&batch->set.waiting)) {
        start_message(b, l, ring_take(&batch->set.waiting));
        return 0;
    }
    set_idle(batch, l);
    batch->set.live--;
    return UINT32_C(1) << l;
}

static void fill_lanes(struct cipher_batch *b)
{
    struct batch *batch = &b->batch;
    struct job_set *set = &batch->set;
    for (size_t l = 0; set->live < set->kernel->lanes && ring_len(&set->waiting); l++)
        if (!batch->job[l]) {
            start_message(b, l, ring_take(&set->waiting));
            set->live++;
        }
}

/* Idle lanes read and write the scratch blocks. */
static void point_idle_lanes(struct cipher_batch *b)
{
    for (size_t l = 0; l < b->batch.set.kernel->lanes; l++)
        if (!b->batch.job[l])
            b->lanes.in[l] = b->lanes.out[l] = b->scratch;
}

void cipher_batch_run(struct cipher_batch *b)
{
    struct batch *batch = &b->batch;
    const size_t lanes = batch->set.kernel->lanes;
    size_t done = 0, ended = 0;
    uint32_t left = 0;
    fill_lanes(b);
    while (!ended && done < RUN_BLOCKS) {
        const int full = batch->set.live == lanes;
        const size_t n = shortest_run(batch, full ? RUN_BLOCKS - done : SCRATCH_BLOCKS);
        if (!full)
            point_idle_lanes(b);
        batch->set.kernel->cipher(&b->lanes, n);
        for (size_t l = 0; l < lanes; l += 4)
            for (uint64_t bits = four_advance(batch->left + l, n); bits; bits &= bits - 1)
                if (run_ended(batch, l + four_first(bits))) {
                    left |= end_message(b, l + four_first(bits));
                    ended++;
                }
        done += n;
    }
    wipe_lanes(b, left);
}

/* cipher_batch_takes() has made all the checks of a direct call. */
static void run_direct(struct job_sink *sink, struct hr_job *job)
{
    const struct cipher_key *key = job->key;
    if (job->key_form == HR_KEY_OBJECT && job->len % 16 == 0) {
        key->blocks[HR_OP_ENCRYPT](job->out, job->in, job->len / 16, &key->aes, job->iv, NULL);
        sink_put(sink, job, 0);
    } else {
        sink_put(sink, job, job_run_one(job));
    }
}

static __attribute__((noinline)) void start_alone(struct cipher_batch *b, struct hr_job *job)
{
    start_message(b, 0, job);
    b->batch.set.live++;
}

void cipher_batch_run_alone(struct cipher_batch *b)
{
    struct batch *batch = &b->batch;
    struct hr_cipher_key own;
    if (!batch->set.live) {
        struct hr_job *job = ring_take(&batch->set.waiting);
        if (job->len <= ALONE_BYTES) {
            run_direct(batch->set.sink, job);
            return;
        }
        start_alone(b, job);
    }
    const size_t l = first_live(batch), whole = whole_run(batch, l);
    const size_t num_blocks = whole < ALONE_BYTES / 16 ? whole : ALONE_BYTES / 16;
    const struct cipher_key *key = batch_open_key(batch->job[l], &own);
    uint8_t *iv = b->lanes.iv + l * 16;
    key->blocks[HR_OP_ENCRYPT](b->lanes.out[l], b->lanes.in[l], num_blocks, &key->aes, iv, iv);
    b->lanes.in[l] += 16 * num_blocks;
    b->lanes.out[l] += 16 * num_blocks;
    batch_close_key(key, &own);
    if (num_blocks == whole)
        wipe_lanes(b, end_message(b, l));
    else
        set_run(batch, l, whole - num_blocks);
}

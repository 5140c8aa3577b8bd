/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler of one set (batch.h) keeps the jobs that wait, the jobs in lanes and the list where
 * finished jobs go.  A message consists of up to four runs, each of whole blocks that lie together
 * in memory: the key's block, if an HMAC's key comes as bytes; the blocks in the caller's memory;
 * then blocks that the scheduler made in the lane, such as padding.  All lanes advance by as many
 * blocks as the shortest run has left. */
#ifndef HR_BATCH_RUN_H
#define HR_BATCH_RUN_H

#include "batch.h"
#include "hmac.h"
#include "job.h"

/* A queue of jobs in the order of their arrival.  `head` and `tail` only grow; the number of slots
 * is a power of two, and `mask` is that number less 1. */
struct job_ring {
    struct hr_job **slots;
    uint32_t mask, head, tail;
};

static inline uint32_t ring_len(const struct job_ring *ring)
{
    return ring->tail - ring->head;
}

static inline void ring_put(struct job_ring *ring, struct hr_job *job)
{
    ring->slots[ring->tail++ & ring->mask] = job;
}

static inline struct hr_job *ring_take(struct job_ring *ring)
{
    return ring->slots[ring->head++ & ring->mask];
}

/* Finished jobs go to the caller's list `out` while it has room, then into `ring`. */
struct job_sink {
    struct hr_job **out;
    size_t n, max;
    struct job_ring ring;
};

static inline void sink_put(struct job_sink *sink, struct hr_job *job, int result)
{
    job->result = result;
    if (sink->n < sink->max)
        sink->out[sink->n++] = job;
    else
        ring_put(&sink->ring, job);
}

/* Returns the number of finished jobs in the caller's list and in `ring`. */
static inline size_t sink_count(const struct job_sink *sink)
{
    return sink->n + ring_len(&sink->ring);
}

/* LONGEST_RUN is the most blocks that `left` of a lane counts; a longer run is cut into several.
 * IDLE is the number that `left` of a lane begins with when the lane has no message. */
enum { LONGEST_RUN = 0x4000, IDLE = 0x7fff };

/* The fields that all kinds of lanes have: the waiting jobs of a set, and where finished jobs go.
 */
struct job_set {
    const struct lanes_kernel *kernel; /* NULL: this CPU has no kernel, and no job waits here */
    struct job_sink *sink;
    struct job_ring waiting;
    uint32_t live;  /* lanes that have a message */
    uint32_t least; /* batch_lanes_least() of the kernel; 1 where the kernel is forced */
};

/* The lanes of a kernel that has at most MAX_BATCH_LANES, and their jobs. */
struct batch {
    alignas(64) int16_t left[MAX_BATCH_LANES]; /* blocks left of the run; of an idle lane any
                                                * number but 0 */
    size_t more[MAX_BATCH_LANES];              /* blocks of the run after those that `left`
                                                * counts */
    struct hr_job *job[MAX_BATCH_LANES];       /* NULL: the lane is idle */
    struct job_set set;
};

/* A lane of a digest or HMAC. All fields of an HMAC are secret. */
struct digest_lane {
    alignas(64) uint8_t last[2 * CHAIN_MAX_BLOCK]; /* the message's last blocks, padded */
    uint8_t pad[CHAIN_MAX_BLOCK + 16];             /* HMAC key (HR_KEY_BYTES) ^ ipad */
    const struct digest_impl *impl;
    const struct hmac_key *key; /* HMAC key (HR_KEY_OBJECT), or NULL */
    uint32_t phase, num_last;
    uint32_t padded; /* whether `pad` holds a key */
};

struct digest_batch {
    struct batch batch;
    const struct digest_impl *digest; /* a row that uses the set's compression function */
    struct digest_lanes lanes;
    struct digest_lane lane[MAX_BATCH_LANES];
};

enum { SCRATCH_BLOCKS = 64 };

struct cipher_batch {
    struct batch batch;
    struct cipher_lanes lanes;
    alignas(64) uint8_t scratch[16 * SCRATCH_BLOCKS]; /* input and output of idle lanes */
};

/* Working memory of the wide lanes' kernels.  All sets of a queue use the same area in turn. */
struct wide_area {
    alignas(64) uint64_t planes[WIDE_PLANES / 8];
    uint8_t keys[WIDE_KEYS];
    const struct wide_batch *owner; /* the set whose keys are in `keys` */
};

/* The wide lanes of a set (batch.h): as many as the queue has jobs, or as the kernel has if that is
 * less.  The arrays lie in the queue's memory, behind the queue.  When a message ends and no other
 * follows in its lane, the message of the last lane moves there. */
struct wide_batch {
    struct job_set set;
    const struct wide_form *form;
    struct wide_area *area;
    struct wide_lanes lanes;
    struct hr_job **job;
    size_t *more;        /* blocks of each run after those that `left` counts */
    int16_t *left;       /* blocks left of each run; IDLE behind the last lane, up to a multiple
                          * of 8 */
    uint8_t (*part)[16]; /* a copy of the incomplete block at the end of a stream */
    uint8_t *in_part;    /* whether the lane's present run is `part` */
    uint32_t room;       /* the number of lanes that there is memory for */
    uint32_t num_left;   /* the number of lanes behind the last one that are still to be wiped */
};

/* cipher_batch_takes says whether a cipher's job can run in lanes; `unit` is the length of a block.
 * All other jobs, also those with errors, are for hr_job_run(). */
int cipher_batch_takes(const struct hr_job *job, size_t unit);

/* Fills the lanes with waiting jobs, then advances all lanes until a message has ended, or by a
 * limited number of blocks. */
void digest_batch_run(struct digest_batch *b);
void cipher_batch_run(struct cipher_batch *b);
void wide_batch_run(struct wide_batch *b);

/* Runs one message by the single-message kernel, where there are too few messages for lanes: to its
 * end, or by a limited number of bytes. */
void digest_batch_run_alone(struct digest_batch *b);
void cipher_batch_run_alone(struct cipher_batch *b);
void wide_batch_run_alone(struct wide_batch *b);

/* The size of the memory for the wide lanes of an op in a queue of num_jobs jobs: a multiple of 64.
 */
size_t wide_batch_size(const struct lanes_op *op, size_t num_jobs);
void wide_batch_init(struct wide_batch *b, const struct lanes_op *op, size_t num_jobs,
                     struct wide_area *area, uint8_t *memory);

/* batch_open_key returns the key of a cipher's job.  If the job has only the key's bytes, it makes
 * the key in `own`, and batch_close_key() wipes that. */
const struct cipher_key *batch_open_key(const struct hr_job *job, struct hr_cipher_key *own);
void batch_close_key(const struct cipher_key *key, struct hr_cipher_key *own);

/* ---- functions for all kinds of lanes ---- */

static inline size_t set_len(const struct job_set *set)
{
    return set->live + ring_len(&set->waiting);
}

static inline void set_kernel(struct job_set *set, const struct lanes_kernel *kernel)
{
    set->kernel = kernel;
    set->least = kernel ? batch_lanes_least(kernel) : 0;
}

static inline void set_run(struct batch *b, size_t l, size_t num_blocks)
{
    const size_t now = num_blocks < LONGEST_RUN ? num_blocks : LONGEST_RUN;
    b->left[l] = (int16_t)now;
    b->more[l] = num_blocks - now;
}

static inline size_t whole_run(const struct batch *b, size_t l)
{
    return (size_t)b->left[l] + b->more[l];
}

static inline void set_idle(struct batch *b, size_t l)
{
    b->job[l] = NULL;
    b->left[l] = IDLE;
    b->more[l] = 0;
}

static inline void batch_init(struct batch *b, const struct lanes_kernel *kernel)
{
    set_kernel(&b->set, kernel);
    for (size_t l = 0; l < MAX_BATCH_LANES; l++)
        set_idle(b, l);
}

/* Returns the first lane that has a message; there has to be one. */
static inline size_t first_live(const struct batch *b)
{
    size_t l = 0;
    while (!b->job[l])
        l++;
    return l;
}

static inline size_t shortest_run(const struct batch *b, size_t most)
{
    int16_t shortest = IDLE;
    for (size_t l = 0; l < MAX_BATCH_LANES; l++)
        shortest = b->left[l] < shortest ? b->left[l] : shortest;
    return (size_t)shortest < most ? (size_t)shortest : most;
}

/* Subtracts n from `left` of four lanes at once.  Returns bit 15 of each 16-bit field whose lane
 * has no block left.  All numbers are at least n and below 2^15, so no field borrows from the next.
 */
#define EVERY UINT64_C(0x0001000100010001)

static inline uint64_t four_advance(int16_t of[4], size_t n)
{
    uint64_t left;
    memcpy(&left, of, sizeof left);
    left -= n * EVERY;
    memcpy(of, &left, sizeof left);
    return ~(left + 0x7fff * EVERY) & EVERY << 15;
}

/* Returns the lane, 0 to 3, of one of the bits that four_advance() returned. */
static inline size_t four_first(uint64_t bits)
{
    const size_t i = (size_t)__builtin_ctzll(bits) / 16;
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : 3 - i;
}

/* For a lane whose `left` is 0: returns 1 if its message's run has ended.  Otherwise sets `left`
 * anew, of a long run to its next part. */
static inline int run_ended(struct batch *b, size_t l)
{
    if (LIKELY(!b->more[l] && b->job[l]))
        return 1;
    if (b->job[l])
        set_run(b, l, b->more[l]);
    else
        b->left[l] = IDLE; /* `more` stays 0: the lane's next message may be a short one */
    return 0;
}

/* ---- inline functions, because a short job takes hardly longer than a call ---- */

static inline int takes_hmac_key(const struct hr_job *job)
{
    const struct hmac_key *key = job->key;
    if (LIKELY(job->key_form == HR_KEY_OBJECT))
        return key && key->alg == job->alg;
    return job->key_form == HR_KEY_BYTES && (key || !job->key_len);
}

static inline int digest_batch_takes(const struct hr_job *job, const struct lanes_row *row)
{
    const uintptr_t not_simple = (uintptr_t)job->next | job->num_segments |
                                 (uintptr_t)job->state_in | (uintptr_t)job->state_out;
    if (not_simple || !job->tag || (!job->in && job->len) || job->len > HMAC_MAX_IN ||
        job->tag_len > row->out_len)
        return 0;
    return row->mac ? job->op <= HR_JOB_VERIFY && takes_hmac_key(job) : job->op == HR_JOB_DIGEST;
}

/* batch_pk.c: runs the first of the waiting jobs of public key, and others of its kind. */
void pk_batch_run(struct job_ring *waiting, struct job_sink *sink);

#endif

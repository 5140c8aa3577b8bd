/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler of one set's lanes (batch.h): jobs that wait, those in lanes, and where they go
 * when they are done.  A message is up to three runs of whole blocks, each in one place: those in
 * the caller's memory, then what the lane itself has made of the rest.  All lanes advance by the
 * shortest run that is left. */
#ifndef HR_BATCH_RUN_H
#define HR_BATCH_RUN_H

#include "batch.h"
#include "hmac.h"
#include "job.h"

/* Jobs in their order; indices only grow.  num_slots is a power of two. */
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

/* Where finished jobs go: as long as it has room, to the caller's list. */
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

/* How many it has got since the caller's list began. */
static inline size_t sink_count(const struct job_sink *sink)
{
    return sink->n + ring_len(&sink->ring);
}

/* Blocks that are left of each lane's present run: what is longer comes in several. */
enum { LONGEST_RUN = 0x4000, IDLE = 0x7fff };

/* What all kinds of lanes have: a set's jobs that wait, and where they go. */
struct job_set {
    const struct lanes_kernel *kernel; /* NULL: none on this CPU, and nothing waits here */
    struct job_sink *sink;
    struct job_ring waiting;
    uint32_t live;  /* lanes that have a message */
    uint32_t least; /* as the kernel's; 1 where the kernel is forced */
};

/* A few lanes, each with registers of its own. */
struct batch {
    alignas(64) int16_t left[MAX_BATCH_LANES]; /* of an idle lane any number but 0 */
    size_t more[MAX_BATCH_LANES];              /* after `left` */
    struct hr_job *job[MAX_BATCH_LANES];       /* NULL: idle */
    struct job_set set;
};

/* A lane of digests.  What is HMAC's is secret. */
struct digest_lane {
    alignas(64) uint8_t last[2 * HR_DIGEST_MAX_BLOCK]; /* padded */
    uint8_t pad[HR_DIGEST_MAX_BLOCK + 16];             /* a key of HR_KEY_BYTES ^ ipad */
    const struct digest_impl *impl;
    const struct hmac_key *key; /* of HR_KEY_OBJECT, or NULL */
    uint32_t phase, num_last;
    uint32_t padded; /* `pad` has a key */
};

struct digest_batch {
    struct batch batch;
    const struct digest_impl *digest; /* a row whose compression it is */
    struct digest_lanes lanes;
    struct digest_lane lane[MAX_BATCH_LANES];
};

enum { SCRATCH_BLOCKS = 64 };

struct cipher_batch {
    struct batch batch;
    struct cipher_lanes lanes;
    alignas(64) uint8_t scratch[16 * SCRATCH_BLOCKS]; /* of idle lanes */
};

/* What the kernels of wide lanes work in: of all sets of a queue, by turns. */
struct wide_area {
    alignas(64) uint64_t planes[WIDE_PLANES / 8];
    uint8_t keys[WIDE_KEYS];
    const struct wide_batch *owner; /* whose keys these are */
};

/* Wide lanes (batch.h): as many as the queue has jobs, if the kernel has more.  Arrays lie behind
 * the queue.  When a message ends and none follows, the last lane takes its place. */
struct wide_batch {
    struct job_set set;
    const struct wide_form *form;
    struct wide_area *area;
    struct wide_lanes lanes;
    struct hr_job **job;
    size_t *more;        /* after `left` */
    int16_t *left;       /* IDLE behind the last lane, up to a multiple of 8 */
    uint8_t (*part)[16]; /* of a block, which ends a stream */
    uint8_t *in_part;    /* whether that is the run */
    uint32_t room;       /* lanes */
    uint32_t num_left;   /* lanes behind the last, to be wiped */
};

/* What a job has to look like to run in lanes: anything else, errors among it, is for
 * job_run_one. */
int cipher_batch_takes(const struct hr_job *job, size_t unit);

/* Advances all lanes until a message has ended, or by some blocks.  Lanes are filled first. */
void digest_batch_run(struct digest_batch *b);
void cipher_batch_run(struct cipher_batch *b);
void wide_batch_run(struct wide_batch *b);

/* Ends one message by the single-message kernel: there are too few for lanes. */
void digest_batch_run_alone(struct digest_batch *b);
void cipher_batch_run_alone(struct cipher_batch *b);
void wide_batch_run_alone(struct wide_batch *b);

/* Memory for the wide lanes of an op in a queue of num_jobs: a multiple of 64. */
size_t wide_batch_size(const struct lanes_op *op, size_t num_jobs);
void wide_batch_init(struct wide_batch *b, const struct lanes_op *op, size_t num_jobs,
                     struct wide_area *area, uint8_t *memory);

/* The key of a job of ciphers: `own` where it has only bytes. */
const struct cipher_key *batch_open_key(const struct hr_job *job, struct hr_cipher_key *own);
void batch_close_key(const struct cipher_key *key, struct hr_cipher_key *own);

/* ---- for all kinds ---- */

static inline size_t set_len(const struct job_set *set)
{
    return set->live + ring_len(&set->waiting);
}

static inline void set_kernel(struct job_set *set, const struct lanes_kernel *kernel)
{
    set->kernel = kernel;
    set->least = kernel ? lanes_least(kernel) : 0;
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

/* The first lane that has a message, where there is one. */
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

/* Four lanes have done n blocks.  Returns the bits EVERY << 15 of those that have no more
 * to do: numbers are below 2^15 and not below n, so none reaches into the next. */
#define EVERY UINT64_C(0x0001000100010001)

static inline uint64_t four_advance(int16_t of[4], size_t n)
{
    uint64_t left;
    memcpy(&left, of, sizeof left);
    left -= n * EVERY;
    memcpy(of, &left, sizeof left);
    return ~(left + 0x7fff * EVERY) & EVERY << 15;
}

/* The lowest of these bits as a lane. */
static inline size_t four_first(uint64_t bits)
{
    const size_t i = (size_t)__builtin_ctzll(bits) / 16;
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : 3 - i;
}

/* Of a lane whose `left` is 0: whether its run has ended, and there is a message in it. */
static inline int run_ended(struct batch *b, size_t l)
{
    if (LIKELY(!b->more[l] && b->job[l]))
        return 1;
    if (b->job[l])
        set_run(b, l, b->more[l]);
    else
        b->left[l] = IDLE; /* and no more: its next message may be a short one */
    return 0;
}

/* ---- inline, since a short job is not much longer than a call ---- */

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

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The local queue, which computes in the caller's thread and lies in the caller's memory.  Jobs
 * whose row has lanes wait with their set (batch.h), and those of public key that have lanes wait
 * together; all others, among them chains and jobs with errors, run one by one.  A poll that need
 * not wait leaves a set alone if its lanes are not full and jobs for it came since the poll before,
 * because more may follow.  A job that arrives in an empty queue is kept apart as `lone`: a poll
 * that waits runs it by its direct call; any other event moves it to its set or to the other jobs.
 */
#include "batch_run.h"
#include "pk/many.h"

enum { PUBLIC_KEY = NUM_SETS, OTHERS, DONE, NUM_RINGS };

/* In the masks, bit i stands for set i, bit PUBLIC_KEY for the jobs of public key that have lanes,
 * and bit OTHERS for the jobs without lanes. */
struct local_queue {
    struct hr_queue queue;
    struct hr_job *lone;         /* the job that is kept apart, or NULL */
    uint32_t capacity, num_jobs; /* num_jobs: jobs taken and not handed back */
    uint32_t busy;               /* sets that have jobs */
    uint32_t full;               /* sets that have a job for every lane */
    uint32_t fresh;              /* sets that got a job since the last poll */
    uint32_t turn[2];            /* the set that worked last: of the full ones, of the others */
    uint32_t num_turns;
    uint32_t stack_used; /* lane kernels have used the stack since it was last wiped */
    uint32_t forced;     /* lanes are used for any number of jobs */
    struct job_sink sink;
    struct job_ring public_key, others;
    struct job_set *sets[NUM_SETS]; /* each points to an element of the arrays below */
    struct digest_batch digests[NUM_DIGEST_SETS];
    struct cipher_batch ciphers[NUM_CIPHER_SETS];
    struct wide_batch wide[NUM_WIDE_SETS];
    struct wide_area area;
    /* memory of the wide lanes, then the slots of all rings */
    alignas(64) uint8_t behind[];
};

static struct job_set *set_of(struct local_queue *q, unsigned set)
{
    if (set < NUM_DIGEST_SETS)
        return &q->digests[set].batch.set;
    if (set < WIDE_SETS)
        return &q->ciphers[set - NUM_DIGEST_SETS].batch.set;
    return &q->wide[set - WIDE_SETS].set;
}

/* ---- taking jobs ---- */

static int takes(const struct job_set *set, const struct hr_job *job, const struct lanes_row *row)
{
    if (!set->kernel)
        return 0;
    return row->digest ? digest_batch_takes(job, row) : cipher_batch_takes(job, row->unit);
}

static void put_public_key(struct local_queue *q, struct hr_job *job)
{
    ring_put(&q->public_key, job);
    q->busy |= 1u << PUBLIC_KEY;
    q->fresh |= 1u << PUBLIC_KEY;
    if (ring_len(&q->public_key) >= PK_MANY)
        q->full |= 1u << PUBLIC_KEY;
}

static inline void put_job(struct local_queue *q, struct hr_job *job)
{
    const struct lanes_row *row = lanes_row(job->alg);
    if (LIKELY(row->set)) {
        const unsigned set = row->set - 1u;
        struct job_set *s = q->sets[set];
        if (LIKELY(takes(s, job, row))) {
            ring_put(&s->waiting, job);
            q->busy |= 1u << set;
            q->fresh |= 1u << set;
            if (set_len(s) >= s->kernel->lanes)
                q->full |= 1u << set;
            return;
        }
    }
    if (pk_kind(job)) {
        put_public_key(q, job);
        return;
    }
    ring_put(&q->others, job);
    q->busy |= 1u << OTHERS;
    q->full |= 1u << OTHERS;
}

static void put_lone(struct local_queue *q)
{
    struct hr_job *job = q->lone;
    q->lone = NULL;
    if (job)
        put_job(q, job);
    if (q->num_jobs == q->capacity)
        q->fresh = 0;
}

static int submit_many(struct local_queue *q, struct hr_job *const *jobs, size_t num_jobs)
{
    size_t i = 0;
    put_lone(q);
    for (; i < num_jobs && q->num_jobs < q->capacity; i++, q->num_jobs++) {
        jobs[i]->result = HR_EPENDING;
        put_job(q, jobs[i]);
    }
    if (q->num_jobs == q->capacity)
        q->fresh = 0;
    return (int)i;
}

static int local_submit(struct hr_queue *queue, struct hr_job *const *jobs, size_t num_jobs)
{
    struct local_queue *q = (struct local_queue *)queue;
    if (num_jobs != 1 || q->num_jobs || q->forced)
        return submit_many(q, jobs, num_jobs);
    q->lone = jobs[0];
    q->lone->result = HR_EPENDING;
    q->num_jobs = 1;
    return 1;
}

/* ---- running jobs ---- */

/* Wipes the stack below the caller, where a lanes kernel may have spilled secret registers. */
static __attribute__((noinline)) void wipe_stack(void)
{
    uint8_t below[4096];
    WIPE(&below);
}

static void run_set(struct local_queue *q, unsigned set)
{
    const struct job_set *s = q->sets[set];
    const uint32_t bit = 1u << set;
    const int alone = set_len(s) < s->least;
    if (set < NUM_DIGEST_SETS)
        (alone ? digest_batch_run_alone : digest_batch_run)(&q->digests[set]);
    else if (set < WIDE_SETS)
        (alone ? cipher_batch_run_alone : cipher_batch_run)(&q->ciphers[set - NUM_DIGEST_SETS]);
    else
        (alone ? wide_batch_run_alone : wide_batch_run)(&q->wide[set - WIDE_SETS]);
    q->stack_used |= !alone;
    const size_t len = set_len(s);
    if (!len)
        q->busy &= ~bit;
    if (len < s->kernel->lanes)
        q->full &= ~bit;
}

static void run_public_key(struct local_queue *q)
{
    pk_batch_run(&q->public_key, &q->sink);
    if (!ring_len(&q->public_key))
        q->busy &= ~(1u << PUBLIC_KEY);
    if (ring_len(&q->public_key) < PK_MANY)
        q->full &= ~(1u << PUBLIC_KEY);
}

static void run_other(struct local_queue *q)
{
    struct hr_job *job = ring_take(&q->others);
    (void)hr_job_run(job);
    sink_put(&q->sink, job, job->result);
    if (!ring_len(&q->others)) {
        q->busy &= ~(1u << OTHERS);
        q->full &= ~(1u << OTHERS);
    }
}

/* Runs one of the sets in the mask `among`; they take turns. */
static void work(struct local_queue *q, uint32_t among)
{
    uint32_t *turn = &q->turn[!(among & q->full)];
    const uint32_t after = among & ~((2u << *turn) - 1);
    *turn = (uint32_t)__builtin_ctz(after ? after : among);
    if (*turn == OTHERS)
        run_other(q);
    else if (*turn == PUBLIC_KEY)
        run_public_key(q);
    else
        run_set(q, *turn);
}

/* Returns the sets that are worth running now: those with full lanes, but one time in eight the
 * others, so that a set with few jobs does not wait for ever; if no lanes are full, those that got
 * no job since the last poll. */
static uint32_t worthwhile(struct local_queue *q)
{
    const uint32_t few = q->busy & ~q->full;
    if (q->full)
        return few && ++q->num_turns % 8 == 0 ? few : q->full;
    return few & ~q->fresh;
}

/* Runs more of the full lanes in the same poll while messages are so short that hardly anything was
 * computed: what a poll costs is shared by more of them then.  That is no set's turn: two sets that
 * work in each poll would otherwise take all turns of a third. */
static void work_more(struct local_queue *q)
{
    enum { FEW = 32, LITTLE = 1024 /* bytes */ };
    const struct job_sink *sink = &q->sink;
    const uint32_t turn = q->turn[0];
    size_t len = 0, n = 0;
    for (uint32_t among; (among = q->full & ((1u << NUM_SETS) - 1)); work(q, among)) {
        if (n == sink->n) /* the last run ended no message */
            break;
        for (; n < sink->n; n++)
            len += sink->out[n]->len;
        if (n >= FEW || n == sink->max || len >= LITTLE)
            break;
    }
    q->turn[0] = turn;
}

static int poll_many(struct local_queue *q, struct hr_job **done, size_t max, size_t min)
{
    struct job_sink *sink = &q->sink;
    put_lone(q);
    sink->out = done;
    sink->max = max;
    for (sink->n = 0; sink->n < max && ring_len(&sink->ring); sink->n++)
        done[sink->n] = ring_take(&sink->ring);
    uint32_t among = worthwhile(q);
    if (!min && among) {
        work(q, among);
        work_more(q);
    }
    while (sink->n < min && q->busy) {
        work(q, among ? among : q->busy);
        among = worthwhile(q);
    }
    if (q->stack_used) {
        wipe_stack();
        q->stack_used = 0;
    }
    q->fresh = 0;
    const size_t n = sink->n;
    sink->n = sink->max = 0;
    q->num_jobs -= (uint32_t)n;
    return (int)n;
}

static int local_poll(struct hr_queue *queue, struct hr_job **done, size_t max, size_t min)
{
    struct local_queue *q = (struct local_queue *)queue;
    struct hr_job *job = q->lone;
    if (!job || !min)
        return poll_many(q, done, max, min);
    q->lone = NULL;
    q->num_jobs = 0;
    (void)hr_job_run(job);
    *done = job;
    return 1;
}

/* ---- the queue's memory ---- */

static uint32_t slots_for(size_t num_jobs)
{
    uint32_t num = 1;
    while (num < num_jobs)
        num *= 2;
    return num;
}

/* The size of the wide lanes of the first num_sets wide sets. */
static size_t wide_size(unsigned num_sets, size_t num_jobs)
{
    size_t size = 0;
    for (unsigned i = 0; i < num_sets; i++)
        size += wide_batch_size(batch_lanes_set_op(WIDE_SETS + i), num_jobs);
    return size;
}

/* The bytes from a queue's beginning to its end. */
static size_t queue_len(size_t num_jobs)
{
    return sizeof(struct local_queue) + wide_size(NUM_WIDE_SETS, num_jobs) +
           NUM_RINGS * slots_for(num_jobs) * sizeof(struct hr_job *);
}

static void local_close(struct hr_queue *queue)
{
    struct local_queue *q = (struct local_queue *)queue;
    put_lone(q);
    while (q->busy)
        work(q, q->busy);
    wipe_stack();
    wipe_bytes(q, queue_len(q->capacity));
}

static const struct hr_queue_ops local_ops = { local_submit, local_poll, local_close };

size_t hr_queue_local_size(size_t num_jobs)
{
    if (!num_jobs || num_jobs > HR_QUEUE_MAX_JOBS)
        return 0;
    return (queue_len(num_jobs) + 63) / 64 * 64 + 64; /* it begins at a multiple of 64 */
}

static void init_ring(struct local_queue *q, struct job_ring *ring, unsigned i)
{
    const uint32_t num = slots_for(q->capacity);
    struct hr_job **slots = (struct hr_job **)(q->behind + wide_size(NUM_WIDE_SETS, q->capacity));
    ring->slots = slots + (size_t)i * num;
    ring->mask = num - 1;
}

static void init_set(struct local_queue *q, unsigned set)
{
    const struct lanes_op *op = batch_lanes_set_op(set);
    struct job_set *s = q->sets[set] = set_of(q, set);
    if (set < NUM_DIGEST_SETS) {
        batch_init(&q->digests[set].batch, batch_lanes_choose(op));
        q->digests[set].digest = op->digest;
    } else if (set < WIDE_SETS) {
        batch_init(&q->ciphers[set - NUM_DIGEST_SETS].batch, batch_lanes_choose(op));
    } else {
        const unsigned i = set - WIDE_SETS;
        wide_batch_init(&q->wide[i], op, q->capacity, &q->area,
                        q->behind + wide_size(i, q->capacity));
    }
    s->sink = &q->sink;
    init_ring(q, &s->waiting, set);
}

int hr_queue_local(struct hr_queue **queue, void *memory, size_t memory_len, size_t num_jobs)
{
    const size_t size = hr_queue_local_size(num_jobs);
    if (!queue || !memory || !size)
        return HR_EINVAL;
    if (memory_len < size)
        return HR_EBUFFER;
    struct local_queue *q =
        (struct local_queue *)((uint8_t *)memory + (64 - (uintptr_t)memory % 64) % 64);
    memset(q, 0, queue_len(num_jobs));
    q->queue.ops = &local_ops;
    q->capacity = (uint32_t)num_jobs;
    for (unsigned set = 0; set < NUM_SETS; set++)
        init_set(q, set);
    init_ring(q, &q->public_key, PUBLIC_KEY);
    init_ring(q, &q->others, OTHERS);
    init_ring(q, &q->sink.ring, DONE);
    *queue = &q->queue;
    return 0;
}

int hr_queue_local_kernel(struct hr_queue *queue, hr_alg alg, size_t i)
{
    struct local_queue *q = (struct local_queue *)queue;
    const struct lanes_op *op = batch_lanes_op(alg);
    if (!queue || queue->ops != &local_ops || q->num_jobs)
        return HR_ESTATE;
    if (!op)
        return HR_EALG;
    if (i >= op->num_kernels || op->kernels[i].info.needs & ~hr_cpu_features())
        return HR_ECPU;
    for (unsigned set = 0; set < NUM_SETS; set++)
        if (batch_lanes_set_op(set) == op) {
            set_of(q, set)->kernel = &op->kernels[i];
            set_of(q, set)->least = 1;
        }
    q->forced = 1;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* queue [--quick] compares local queues with direct calls: random mixes of rows, lengths, places,
 * counts of submit and poll; each lane kernel by its number; inputs before a guard page. */
#include "../test.h"
#include "batch.h"
#include "hmac.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>

enum { SLOTS = 72, MOST = 9000, MOST_JOBS = 64, KEY = 160, SECRET_LEN = 16 };

static size_t rounds = 60;
/* struct slot is a job, the memory that it writes to, and the right results. */
struct slot {
    struct guarded page;
    struct hr_job job, want;
    union {
        struct hr_hmac_key hmac;
        struct hr_cipher_key cipher;
        struct hr_aead_key aead;
    } object;
    uint8_t key[KEY], iv[16], tag[HR_DIGEST_MAX_OUT], want_tag[HR_DIGEST_MAX_OUT];
    uint8_t *out, *want_out;
    int there; /* in the queue */
};
static struct slot slots[SLOTS];
static alignas(64) uint8_t memory[1 << 19];

static void must(int error, const char *what)
{
    if (error)
        complain("%s: %s", what, hr_strerror(error));
}

static struct hr_queue *open_queue(size_t num_jobs)
{
    struct hr_queue *queue = NULL;
    const size_t size = hr_queue_local_size(num_jobs);
    if (size > sizeof memory || hr_queue_local(&queue, memory, size, num_jobs))
        complain("no queue for %zu jobs", num_jobs);
    return queue;
}

/* ---- random jobs ---- */

static size_t some_len(const struct hr_algorithm *row)
{
    static const uint32_t below[] = { 16, 130, 300, 1100, MOST };
    const size_t len = random_below(below[random_below(COUNT_OF(below))]);
    const int whole =
        row->cls == HR_CLASS_CIPHER && random_below(16); /* else HR_ELENGTH, or part blocks */
    return whole ? len - len % row->block_len : len;
}

static void make_key(struct slot *s, const struct hr_algorithm *row)
{
    struct hr_job *job = &s->job;
    random_bytes(s->key, sizeof s->key);
    job->key_len = row->cls == HR_CLASS_MAC ? random_below(KEY) : row->key_len;
    job->key = s->key;
    job->key_form = HR_KEY_BYTES;
    if (random_below(3) == 0)
        return;
    job->key_form = HR_KEY_OBJECT;
    job->key = &s->object;
    if (row->cls == HR_CLASS_MAC)
        must(hr_hmac_key_init(&s->object.hmac, row->alg, s->key, job->key_len), "key");
    else if (row->cls == HR_CLASS_CIPHER)
        must(hr_cipher_key_init(&s->object.cipher, row->alg, s->key, job->key_len), "key");
    else
        must(hr_aead_key_init(&s->object.aead, row->alg, s->key, job->key_len), "key");
}

/* spoil gives a job an error that direct calls refuse, too. */
static void spoil(struct slot *s)
{
    struct hr_job *job = &s->job;
    switch (random_below(8)) {
    case 0:
        job->tag = NULL;
        job->iv_len = 3;
        break;
    case 1:
        job->tag_len = 200;
        break;
    case 2:
        job->key_form = HR_KEY_HANDLE;
        break;
    case 3:
        job->in = NULL;
        break;
    case 4:
        job->op = 7;
        break;
    case 5:
        job->key = NULL;
        break;
    case 6:
        job->alg = (uint16_t)(job->alg ^ 1);
        break;
    default:
        job->alg = 0x0999;
    }
}

static void make_job(struct slot *s, const struct hr_algorithm *row)
{
    const size_t len = some_len(row);
    const int digest = row->cls == HR_CLASS_DIGEST, mac = row->cls == HR_CLASS_MAC;
    uint8_t *in = random_below(4) ? s->page.end - len : s->page.start;
    random_bytes(in, len);
    s->job = (struct hr_job){ .alg = (uint16_t)row->alg, .in = in, .len = len, .iv = s->iv };
    s->job.iv_len = row->cls == HR_CLASS_AEAD ? 12 : row->iv_len;
    random_bytes(s->iv, sizeof s->iv);
    random_bytes(s->tag, sizeof s->tag);
    if (!digest)
        make_key(s, row);
    if (digest || mac || row->cls == HR_CLASS_AEAD)
        s->job.tag = s->tag;
    if ((digest || mac) && random_below(4) == 0)
        s->job.tag_len = (uint8_t)(1 + random_below(row->out_len));
    if (!digest && !mac) {
        s->job.out = random_below(2) ? s->out : in;
        s->job.op = random_below(4) == 0 && row->cls == HR_CLASS_CIPHER;
    }
    if (mac && random_below(3) == 0) { /* the right tag, or one with a bit changed */
        must(hr_job_run(&s->job), "a MAC");
        s->job.op = HR_JOB_VERIFY;
        s->tag[0] ^= random_below(2);
    }
    if (random_below(24) == 0)
        spoil(s);
}

/* expect makes the right results by direct calls, on a copy of all that the job may change. */
static void expect(struct slot *s)
{
    static uint8_t copy[MOST];
    s->want = s->job;
    memcpy(s->want_tag, s->tag, sizeof s->tag);
    if (s->want.tag)
        s->want.tag = s->want_tag;
    if (s->want.out) {
        if (s->want.in)
            memcpy(copy, s->want.in, s->want.len);
        s->want.out = s->want_out;
        if (s->job.out == s->job.in) {
            memcpy(s->want_out, copy, s->want.len);
            s->want.in = s->want_out;
        }
    }
    (void)hr_job_run(&s->want);
}

static void compare(const struct slot *s)
{
    const char *name = hr_algorithm(s->job.alg) ? hr_algorithm(s->job.alg)->name : "?";
    if (s->job.result != s->want.result)
        complain("%s, %zu bytes: %s instead of %s", name, s->job.len, hr_strerror(s->job.result),
                 hr_strerror(s->want.result));
    else if (memcmp(s->tag, s->want_tag, sizeof s->tag))
        complain("%s, %zu bytes: another tag", name, s->job.len);
    else if (!s->want.result && s->job.out && memcmp(s->job.out, s->want_out, s->job.len))
        complain("%s, %zu bytes: another text", name, s->job.len);
}

static struct slot *slot_of(struct hr_job *job)
{
    return (struct slot *)((uint8_t *)job - offsetof(struct slot, job));
}

/* ---- a queue under random calls ---- */

typedef const struct hr_algorithm *pick_fn(const void *of);

static size_t submit_some(struct hr_queue *queue, pick_fn *pick, const void *of, size_t most)
{
    struct hr_job *jobs[MOST_JOBS] = { NULL };
    size_t n = 0;
    for (size_t i = 0; i < SLOTS && n < most; i++)
        if (!slots[i].there) {
            make_job(&slots[i], pick(of));
            expect(&slots[i]);
            slots[i].there = 1;
            jobs[n++] = &slots[i].job;
        }
    const int taken = hr_queue_submit(queue, jobs, n);
    if (taken < 0)
        complain("submit: %s", hr_strerror(taken));
    for (size_t i = 0; i < n; i++) {
        if (i >= (size_t)taken)
            slot_of(jobs[i])->there = 0;
        else if (jobs[i]->result != HR_EPENDING)
            complain("a job is not pending");
    }
    return (size_t)taken;
}

static size_t poll_some(struct hr_queue *queue, size_t max, size_t min, size_t there)
{
    struct hr_job *done[SLOTS] = { NULL };
    const int n = hr_queue_poll(queue, done, max, min);
    if (n < 0 || (size_t)n > max || ((size_t)n < min && (size_t)n < there))
        complain("poll for %zu to %zu of %zu: %d", min, max, there, n);
    for (int i = 0; i < n; i++) {
        struct slot *s = slot_of(done[i]);
        if (!s->there)
            complain("a job comes back twice");
        s->there = 0;
        compare(s);
    }
    return n > 0 ? (size_t)n : 0;
}

static void run_mix(struct hr_queue *queue, size_t capacity, pick_fn *pick, const void *of)
{
    size_t there = 0;
    for (size_t i = 0; i < rounds; i++) {
        there += submit_some(queue, pick, of, random_below(3) ? 1 + random_below(MOST_JOBS) : 1);
        if (there > capacity)
            complain("%zu jobs in a queue of %zu", there, capacity);
        for (size_t polls = random_below(4); polls; polls--) {
            const size_t max = random_below(SLOTS);
            there -= poll_some(queue, max, random_below((uint32_t)max + 1), there);
        }
    }
    there -= poll_some(queue, SLOTS, SLOTS, there);
    if (there || poll_some(queue, SLOTS, 0, 0))
        complain("%zu jobs are lost", there);
}

/* ---- any row ---- */

static const struct hr_algorithm *any_row(const void *of)
{
    const struct hr_algorithm *row;
    size_t num = 0;
    while (hr_algorithm_at(num))
        num++;
    do
        row = hr_algorithm_at(random_below((uint32_t)num));
    while (row->cls != HR_CLASS_DIGEST && row->cls != HR_CLASS_MAC && row->cls != HR_CLASS_CIPHER &&
           row->cls != HR_CLASS_AEAD);
    return row;
}

static void check_any(void)
{
    static const size_t capacities[] = { 1, 2, 5, 16, 33, 64 };
    for (size_t i = 0; i < COUNT_OF(capacities); i++) {
        struct hr_queue *queue = open_queue(capacities[i]);
        run_mix(queue, capacities[i], any_row, NULL);
        hr_queue_close(queue);
        if (!is_zero(memory, hr_queue_local_size(capacities[i])))
            complain("something is left in the memory");
    }
    tap(!complaints_so_far(), "jobs of all rows in queues of 1 to 64");
}

/* ---- each lane kernel, by its number ---- */

static const struct hr_algorithm *row_of_op(const void *of)
{
    const struct hr_algorithm *row;
    do
        row = any_row(NULL);
    while (batch_lanes_op(row->alg) != of);
    return row;
}

static void check_kernel(const struct hr_algorithm *row, size_t i, const struct hr_kernel *kernel)
{
    const char *reason = cannot_run(kernel->needs);
    if (reason) {
        tap_skip(reason, "%s lanes %s", row->name, kernel->name);
        return;
    }
    struct hr_queue *queue = open_queue(MOST_JOBS);
    must(hr_queue_local_kernel(queue, row->alg, i), "by number");
    run_mix(queue, MOST_JOBS, row_of_op, batch_lanes_op(row->alg));
    hr_queue_close(queue);
    tap(!complaints_so_far(), "%s and its kin in lanes of %s", row->name, kernel->name);
}

static void check_kernels(void)
{
    const struct hr_algorithm *row;
    struct hr_kernel kernel;
    const struct lanes_op *seen[NUM_SETS];
    size_t num_seen = 0;
    for (size_t r = 0; (row = hr_algorithm_at(r)); r++) {
        const struct lanes_op *op = batch_lanes_op(row->alg);
        size_t i = 0;
        while (i < num_seen && seen[i] != op)
            i++;
        if (!op || i < num_seen)
            continue;
        seen[num_seen++] = op;
        for (i = 0; hr_kernel_at(&kernel, row->alg, HR_OP_LANES, i) == 0; i++)
            check_kernel(row, i, &kernel);
        struct hr_queue *queue = open_queue(1);
        if (hr_queue_local_kernel(queue, row->alg, i) != HR_ECPU)
            complain("%s: lane kernel %zu exists", row->name, i);
        hr_queue_close(queue);
    }
    struct hr_queue *queue = open_queue(1);
    if (hr_queue_local_kernel(queue, HR_CRC32, 0) != HR_EALG ||
        hr_queue_local_kernel(NULL, HR_SHA256, 0) != HR_ESTATE)
        complain("a checksum has lanes");
    hr_queue_close(queue);
    tap(!complaints_so_far(), "no other kernels are had by number");
}

/* ---- progress, order, errors ---- */

/* check_progress checks that polls which do not wait finish all jobs in the end. */
static void check_progress(void)
{
    for (size_t n = 1; n <= MOST_JOBS; n = 2 * n + 1) {
        struct hr_queue *queue = open_queue(MOST_JOBS);
        size_t there = 0, polls = 0;
        while (there < n)
            there += submit_some(queue, any_row, NULL, n - there);
        while (there && polls++ < 100 * MOST_JOBS)
            there -= poll_some(queue, SLOTS, 0, there);
        if (there)
            complain("%zu of %zu jobs are never done", there, n);
        hr_queue_close(queue);
    }
    tap(!complaints_so_far(), "polls that do not wait make progress");
}

/* check_chain processes a message in three jobs, one after the other. */
static void check_chain(void)
{
    const struct hr_algorithm *row;
    uint8_t states[2][HR_DIGEST_MAX_EXPORT], want[HR_DIGEST_MAX_OUT], got[HR_DIGEST_MAX_OUT];
    uint8_t message[500];
    random_bytes(message, sizeof message);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        struct hr_queue *queue = open_queue(4);
        struct hr_job part[3] = { 0 }, *job = part, *done;
        if (row->cls != HR_CLASS_DIGEST)
            continue;
        for (size_t p = 0; p < 3; p++) {
            part[p].alg = (uint16_t)row->alg;
            part[p].in = message + 100 * p;
            part[p].len = p < 2 ? 100 : 300;
            part[p].next = p < 2 ? &part[p + 1] : NULL;
            part[p].state_out = p < 2 ? states[p] : NULL;
        }
        part[2].tag = got;
        must(hr_digest(want, row->alg, message, sizeof message), "direct");
        /* the length of a state is known only when it was written */
        struct hr_digest_ctx ctx;
        for (size_t p = 1; p < 3; p++) {
            size_t len = 0;
            must(hr_digest_init(&ctx, row->alg), "init");
            must(hr_digest_update(&ctx, message, 100 * p), "update");
            must(hr_digest_export(&ctx, states[0], sizeof states[0], &len), "export");
            part[p].state_in = states[p - 1];
            part[p].state_in_len = (uint32_t)len;
        }
        if (hr_queue_submit(queue, &job, 1) != 1 || hr_queue_poll(queue, &done, 1, 1) != 1 ||
            done != part || part[2].result || memcmp(got, want, row->out_len))
            complain("%s: a message in three jobs", row->name);
        hr_queue_close(queue);
    }
    tap(!complaints_so_far(), "chains run in their order");
}

static void check_errors(void)
{
    struct hr_queue *queue;
    struct hr_job *job = NULL;
    const size_t size = hr_queue_local_size(8);
    if (hr_queue_local_size(0) || hr_queue_local_size(HR_QUEUE_MAX_JOBS + 1))
        complain("an impossible queue has a size");
    if (hr_queue_local(&queue, memory, size - 1, 8) != HR_EBUFFER ||
        hr_queue_local(NULL, memory, size, 8) != HR_EINVAL ||
        hr_queue_local(&queue, NULL, size, 8) != HR_EINVAL ||
        hr_queue_local(&queue, memory + 8, size, 8))
        complain("hr_queue_local takes what is impossible, or not any address");
    hr_queue_close(queue);
    queue = open_queue(8);
    if (hr_queue_submit(NULL, &job, 1) != HR_EINVAL ||
        hr_queue_submit(queue, NULL, 1) != HR_EINVAL ||
        hr_queue_poll(queue, &job, 1, 2) != HR_EINVAL ||
        hr_queue_poll(queue, NULL, 1, 0) != HR_EINVAL || hr_queue_poll(queue, &job, 1, 1) != 0)
        complain("calls of a queue take what is impossible");
    hr_queue_close(queue);
    hr_queue_close(NULL);
    tap(!complaints_so_far(), "impossible queues and calls are refused");
}

/* ---- secrets are wiped with the message ---- */

static int found(const uint8_t *secret)
{
    const size_t size = hr_queue_local_size(MOST_JOBS);
    for (size_t i = 0; i + SECRET_LEN <= size; i += 4)
        if (!memcmp(memory + i, secret, SECRET_LEN))
            return 1;
    return 0;
}

static void check_wiped(void)
{
    const struct hr_algorithm *row;
    for (size_t r = 0; (row = hr_algorithm_at(r)); r++) {
        struct hr_hmac_key key;
        struct hmac_key *open = (struct hmac_key *)&key;
        struct hr_job jobs[40] = { 0 }, *list[40], *done[40];
        uint8_t tags[40][HR_DIGEST_MAX_OUT];
        if (row->cls != HR_CLASS_MAC)
            continue;
        struct hr_queue *queue = open_queue(MOST_JOBS);
        must(hr_hmac_key_init(&key, row->alg, "a key of twenty byte", 20), "key");
        for (size_t i = 0; i < 40; i++) {
            jobs[i] = (struct hr_job){ .alg = (uint16_t)row->alg, .tag = tags[i], .in = memory };
            jobs[i].in = slots[0].page.start;
            jobs[i].len = 7 * i;
            jobs[i].key_form = i % 2 ? HR_KEY_BYTES : HR_KEY_OBJECT;
            jobs[i].key = i % 2 ? (const void *)"a key of twenty byte" : &key;
            jobs[i].key_len = 20;
            list[i] = &jobs[i];
        }
        if (hr_queue_submit(queue, list, 40) != 40 || hr_queue_poll(queue, done, 40, 40) != 40)
            complain("40 jobs");
        if (found((uint8_t *)&open->inner) || found((uint8_t *)&open->outer))
            complain("%s: a key is left", row->name);
        for (size_t i = 0; i < 40; i++)
            if (found(tags[i]))
                complain("%s: a tag is left", row->name);
        hr_queue_close(queue);
    }
    tap(!complaints_so_far(), "nothing of a key is left in the queue after its last message");
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--quick"))
        rounds = 4;
    for (size_t i = 0; i < SLOTS; i++) {
        slots[i].page = guarded_new(MOST);
        slots[i].out = malloc(MOST);
        slots[i].want_out = malloc(MOST);
        if (!slots[i].out || !slots[i].want_out)
            return 1;
        random_bytes(slots[i].page.start, MOST);
    }
    check_errors();
    check_chain();
    check_progress();
    check_any();
    check_kernels();
    check_wiped();
    return tap_done();
}

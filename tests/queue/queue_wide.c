/* SPDX-License-Identifier: Apache-2.0 */
/* Compares wide lanes in a queue with direct calls: more messages than a kernel has lanes, of
 * different lengths, of rows that take turns in one area of memory.  Also checks that no key is
 * left there.  queue_wide [--quick] */
#include "../test.h"
#include "batch.h"
#include <headrace/queue.h>

enum { CAPACITY = HR_QUEUE_MAX_JOBS, LONGEST = 400, NUM_KEYS = 7, SECRET = 8 };

static struct message {
    struct hr_job job;
    const struct hr_algorithm *row;
    uint8_t *text; /* ends at a guard page */
    uint8_t iv[16], in[LONGEST], want[LONGEST];
    int there;
} messages[CAPACITY];
static struct hr_job *list[CAPACITY];
static uint8_t keys[NUM_KEYS][32];
static size_t turns = 40;
static uint8_t *memory;
static size_t memory_len;

typedef int takes_row(const struct hr_algorithm *row, const void *of);

static int of_op(const struct hr_algorithm *row, const void *of)
{
    return batch_lanes_op(row->alg) == of;
}

static int any_wide(const struct hr_algorithm *row, const void *of)
{
    const struct lanes_op *op = batch_lanes_op(row->alg);
    return op && op->wide;
}

static const struct hr_algorithm *some_row(takes_row *takes, const void *of)
{
    const struct hr_algorithm *row;
    size_t num = 0;
    while (hr_algorithm_at(num))
        num++;
    do
        row = hr_algorithm_at(random_below((uint32_t)num));
    while (!takes(row, of));
    return row;
}

/* some_key sets one of a few keys, as bytes that live as long as the job, or as a key object. */
static void some_key(struct message *m)
{
    static struct hr_cipher_key objects[CAPACITY];
    struct hr_cipher_key *object = &objects[m - messages];
    const uint8_t *bytes = keys[random_below(NUM_KEYS)];
    m->job.key = bytes;
    m->job.key_len = m->row->key_len;
    m->job.key_form = HR_KEY_BYTES;
    if (hr_cipher_key_init(object, m->row->alg, bytes, m->row->key_len) ||
        hr_cipher_encrypt(m->want, m->in, m->job.len, object, m->iv, m->row->iv_len))
        complain("%s: a direct call", m->row->name);
    if (random_below(3) == 0)
        return;
    m->job.key = object;
    m->job.key_form = HR_KEY_OBJECT;
}

static struct hr_job *make(struct message *m, takes_row *takes, const void *of)
{
    const size_t most = random_below(8) ? 60 : LONGEST;
    m->row = some_row(takes, of);
    const size_t len = random_below((uint32_t)most + 1);
    m->job = (struct hr_job){ .alg = (uint16_t)m->row->alg };
    m->job.len = len - len % m->row->block_len;
    random_bytes(m->iv, sizeof m->iv);
    random_bytes(m->in, m->job.len);
    some_key(m);
    uint8_t *at = m->text + LONGEST - m->job.len;
    memcpy(at, m->in, m->job.len);
    m->job.in = at;
    m->job.out = random_below(2) ? at : m->text - LONGEST;
    m->job.iv = m->iv;
    m->job.iv_len = m->row->iv_len;
    m->there = 1;
    return &m->job;
}

static void finished(struct hr_job *job)
{
    struct message *m = (struct message *)((uint8_t *)job - offsetof(struct message, job));
    if (!m->there)
        complain("a job comes back twice");
    m->there = 0;
    if (job->result || memcmp(job->out, m->want, job->len))
        complain("%s: a message of %zu bytes: %s", m->row->name, job->len,
                 hr_strerror(job->result));
    if (job->out != job->in && memcmp(job->in, m->in, job->len))
        complain("%s: a message of %zu bytes has changed", m->row->name, job->len);
}

/* run submits jobs while there is room, and polls some of them, for `turns` turns and until none is
 * left. */
static void run(struct hr_queue *queue, takes_row *takes, const void *of)
{
    size_t there = 0;
    for (size_t t = 0; t < turns || there; t++) {
        const size_t most = t < turns ? random_below(CAPACITY) : 0;
        size_t n = 0;
        for (size_t i = 0; i < CAPACITY && n < most; i++)
            if (!messages[i].there)
                list[n++] = make(&messages[i], takes, of);
        if (hr_queue_submit(queue, list, n) != (int)n)
            complain("%zu jobs more than %zu are refused", n, there);
        there += n;
        const size_t max = 1 + random_below(CAPACITY);
        const int got =
            hr_queue_poll(queue, list, max, random_below(2) ? random_below((uint32_t)max) : 0);
        for (int i = 0; i < got; i++)
            finished(list[i]);
        there -= (size_t)got;
    }
}

static struct hr_queue *open_queue(void)
{
    struct hr_queue *queue = NULL;
    if (hr_queue_local(&queue, memory, memory_len, CAPACITY))
        complain("no queue");
    return queue;
}

/* key_is_left tells whether SECRET bytes of a key are left in the queue's memory. */
static int key_is_left(void)
{
    for (size_t i = 0; i + SECRET <= memory_len; i += 8)
        for (size_t k = 0; k < NUM_KEYS; k++)
            for (size_t at = 0; at + SECRET <= sizeof keys[k]; at += SECRET)
                if (!memcmp(memory + i, keys[k] + at, SECRET))
                    return 1;
    return 0;
}

static void check_kernel(const struct hr_algorithm *row, size_t i, const struct hr_kernel *kernel)
{
    const char *reason = cannot_run(kernel->needs);
    if (reason) {
        tap_skip(reason, "%s lanes %s", row->name, kernel->name);
        return;
    }
    struct hr_queue *queue = open_queue();
    if (hr_queue_local_kernel(queue, row->alg, i))
        complain("no kernel by number");
    run(queue, of_op, batch_lanes_op(row->alg));
    if (key_is_left())
        complain("a key is left in the queue after its last message");
    hr_queue_close(queue);
    if (!is_zero(memory, memory_len))
        complain("something is left in the memory");
    tap(!complaints_so_far(), "%s and its kin in lanes of %s", row->name, kernel->name);
}

static void check_kernels(void)
{
    const struct hr_algorithm *row;
    const struct lanes_op *last = NULL;
    struct hr_kernel kernel;
    for (size_t r = 0; (row = hr_algorithm_at(r)); r++) {
        const struct lanes_op *op = batch_lanes_op(row->alg);
        if (!any_wide(row, NULL) || op == last)
            continue;
        last = op;
        for (size_t i = 0; hr_kernel_at(&kernel, row->alg, HR_OP_LANES, i) == 0; i++)
            check_kernel(row, i, &kernel);
    }
}

static void check_turns(void)
{
    struct hr_queue *queue = open_queue();
    run(queue, any_wide, NULL);
    if (key_is_left())
        complain("a key is left in the queue after its last message");
    hr_queue_close(queue);
    tap(!complaints_so_far(), "rows with wide lanes take turns");
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--quick"))
        turns = 5;
    memory_len = hr_queue_local_size(CAPACITY);
    memory = calloc(1, memory_len);
    const struct guarded pages = guarded_new(2 * LONGEST * CAPACITY);
    if (!memory)
        return 1;
    for (size_t i = 0; i < CAPACITY; i++)
        messages[i].text = pages.end - (2 * i + 1) * LONGEST;
    for (size_t k = 0; k < NUM_KEYS; k++)
        random_bytes(keys[k], sizeof keys[k]);
    check_kernels();
    check_turns();
    return tap_done();
}

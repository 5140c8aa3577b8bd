/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that queue_accel does not test: memory of the window, messages longer than the window, a
 * full queue. */
#include "client.h"
#include <headrace/algorithms.h>

enum { MANY = 400, LONG = 3000000 };

static void check_many(struct hr_queue *queue)
{
    static struct task tasks[MANY];
    struct hr_job *jobs[MANY], *done[MANY];
    size_t given = 0, back = 0;
    for (unsigned i = 0; i < MANY; i++) {
        task_make(&tasks[i], i, TASK_MOST);
        jobs[i] = &tasks[i].job;
    }
    const int first = hr_queue_submit(queue, jobs, MANY);
    if (first <= 0 || first >= MANY)
        complain("%d jobs of %d were taken at once", first, MANY);
    for (given = (size_t)first; back < MANY;) {
        const int got = hr_queue_poll(queue, done, MANY, 1);
        for (int i = 0; i < got; i++)
            task_check(done[i]->user);
        back += (size_t)got;
        given += (size_t)hr_queue_submit(queue, jobs + given, MANY - given);
    }
    if (hr_queue_poll(queue, done, MANY, 1))
        complain("more come back than were given");
    tap(hr_queue_connected(queue), "%d jobs, as many at once as the queue takes", MANY);
}

/* check_sizes uses lengths that leave and fill holes in the window. */
static void check_sizes(struct hr_queue *queue)
{
    enum { AT_ONCE = 100, ROUNDS = 30 };
    static uint8_t in[AT_ONCE][60000], out[AT_ONCE][60000];
    struct hr_job jobs[AT_ONCE] = { 0 }, *done[AT_ONCE];
    unsigned idle[AT_ONCE], num_idle = 0;
    for (unsigned i = 0; i < AT_ONCE; i++)
        idle[num_idle++] = i;
    for (unsigned n = 0; n < AT_ONCE * ROUNDS || num_idle < AT_ONCE;) {
        while (num_idle && n < AT_ONCE * ROUNDS) {
            const unsigned i = idle[num_idle - 1];
            const size_t len = random_below(4) ? random_below(3000) : random_below(60000);
            struct hr_job *job = &jobs[i];
            random_bytes(in[i], len < 64 ? len : 64);
            *job = (struct hr_job){ .in = in[i], .out = out[i], .len = len };
            if (hr_queue_submit(queue, &job, 1) != 1)
                break;
            num_idle--;
            n++;
        }
        const int got = hr_queue_poll(queue, done, AT_ONCE, 1);
        for (int k = 0; k < got; k++) {
            const unsigned i = (unsigned)(done[k] - jobs);
            if (jobs[i].result || memcmp(in[i], out[i], jobs[i].len))
                complain("a copy of %zu bytes differs", jobs[i].len);
            idle[num_idle++] = i;
        }
    }
    tap(hr_queue_connected(queue), "payloads of all sizes, in a window that fills");
}

static void check_long(struct hr_queue *queue)
{
    static uint8_t text[LONG], out[LONG], want[LONG];
    const struct hr_algorithm *row;
    struct hr_job *done;
    random_bytes(text, sizeof text);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        uint8_t tag[64], wanted[64], key[32] = { 1 };
        if (row->cls != HR_CLASS_DIGEST && row->cls != HR_CLASS_MAC)
            continue;
        struct hr_job job = {
            .alg = (uint16_t)row->alg, .in = text, .len = LONG - i, .tag = wanted
        };
        job.key_form = row->cls == HR_CLASS_MAC ? HR_KEY_BYTES : HR_KEY_NONE;
        job.key = key;
        job.key_len = sizeof key;
        if (hr_job_run(&job))
            complain("%s", row->name);
        job.tag = tag;
        struct hr_job *p = &job;
        if (hr_queue_submit(queue, &p, 1) != 1 || hr_queue_poll(queue, &done, 1, 1) != 1 ||
            done != &job || job.result || memcmp(tag, wanted, row->out_len))
            complain("%s of a long message differs", row->name);
        job.op = HR_JOB_VERIFY;
        tag[0] ^= 1;
        if (row->cls == HR_CLASS_MAC &&
            (hr_queue_submit(queue, &p, 1) != 1 || hr_queue_poll(queue, &done, 1, 1) != 1 ||
             job.result != HR_EMAC))
            complain("%s of a long message: a wrong MAC is not found", row->name);
    }
    uint8_t key[16] = { 2 }, iv[16] = { 3 };
    struct hr_job job = { .alg = HR_AES_128_CBC,
                          .key_form = HR_KEY_BYTES,
                          .key = key,
                          .key_len = 16,
                          .iv = iv,
                          .iv_len = 16,
                          .in = text,
                          .out = want,
                          .len = LONG / 16 * 16 };
    struct hr_job *p = &job;
    (void)hr_job_run(&job);
    job.out = out;
    if (hr_queue_submit(queue, &p, 1) != 1 || hr_queue_poll(queue, &done, 1, 1) != 1 ||
        job.result || memcmp(out, want, job.len))
        complain("a long encryption differs");
    tap(hr_queue_connected(queue), "messages longer than the window");
}

static void run_in(struct hr_queue *queue, struct hr_job job, const uint8_t *want, const char *how)
{
    struct hr_job *p = &job, *done;
    if (hr_queue_submit(queue, &p, 1) != 1 || hr_queue_poll(queue, &done, 1, 1) != 1 || job.result)
        complain("%s: %s", how, hr_strerror(job.result));
    else if (memcmp(want, job.num_segments ? job.segments[0].out : job.out, job.len))
        complain("%s: wrong output", how);
}

static void check_memory(struct hr_queue *queue)
{
    enum { LEN = 1000 };
    uint8_t key[16] = { 7 }, iv[16] = { 8 }, text[LEN], want[LEN];
    uint8_t *in = hr_queue_memory(queue, LEN), *out = hr_queue_memory(queue, LEN + 500);
    struct hr_job job = { .alg = HR_AES_128_CTR,
                          .key_form = HR_KEY_BYTES,
                          .key = key,
                          .key_len = 16,
                          .iv = iv,
                          .iv_len = 16,
                          .len = LEN };
    random_bytes(text, LEN);
    job.in = text;
    job.out = want;
    if (hr_job_run(&job) || !in || !out || (uintptr_t)in % 64 || (uintptr_t)out % 64) {
        tap(!complain("no memory"), "memory of the window");
        return;
    }
    memcpy(in, text, LEN);
    job.in = in;
    job.out = out;
    run_in(queue, job, want, "both in the window");
    job.out = in;
    run_in(queue, job, want, "in place in the window");
    memcpy(in, text, LEN);
    uint8_t own[LEN];
    job.out = own;
    run_in(queue, job, want, "input in the window");
    struct hr_segment parts[2] = { { in, out, 333 }, { in + 333, out + 333, LEN - 333 } };
    memset(out, 0, LEN);
    job.segments = parts;
    job.num_segments = 2;
    run_in(queue, job, want, "segments in the window");
    hr_queue_memory_free(queue, in);
    hr_queue_memory_free(queue, out);
    unsigned num = 0;
    while (num < 10000 && hr_queue_memory(queue, 4000))
        num++;
    if (num != 10000)
        complain("memory ends after %u", num); /* memory of malloc's by then */
    tap(hr_queue_connected(queue), "memory of the window, and other memory when that is used up");
}

/* Jobs that differ from a valid job by a NULL pointer, by another length, or by output in place of
 * the input.  After each of them, the valid job is run again. */
static const size_t pointers[] = { offsetof(struct hr_job, key), offsetof(struct hr_job, iv),
                                   offsetof(struct hr_job, aad), offsetof(struct hr_job, in),
                                   offsetof(struct hr_job, out), offsetof(struct hr_job, tag) };
static const size_t lengths[] = { 0, 1, 15, 16, 17, 32, 33, 48, 49, 100 };
enum { NUM_POINTERS = COUNT_OF(pointers), NUM_LENGTHS = COUNT_OF(lengths), PLACES = 3 };

static struct hr_job vary(struct hr_job job, size_t how)
{
    if (how < NUM_POINTERS)
        memset((uint8_t *)&job + pointers[how], 0, sizeof(void *));
    else if (how < NUM_POINTERS + NUM_LENGTHS)
        job.len = lengths[how - NUM_POINTERS];
    else if (job.out)
        job.in = (uint8_t *)job.out + (how - NUM_POINTERS - NUM_LENGTHS);
    return job;
}

struct outputs {
    uint8_t out[128], tag[64];
};

static void check_like(struct hr_queue *queue, const struct hr_job *like, size_t how)
{
    struct outputs want, got;
    struct hr_job job = *like, *p = &job, *done;
    memset(&want, 1, sizeof want);
    memset(&got, 1, sizeof got);
    job.out = like->out ? want.out : NULL;
    job.tag = like->tag ? want.tag : NULL;
    job = vary(job, how);
    const int result = hr_job_run(&job);
    job = *like;
    job.out = like->out ? got.out : NULL;
    job.tag = like->tag ? got.tag : NULL;
    job = vary(job, how);
    if (hr_queue_submit(queue, &p, 1) != 1 || hr_queue_poll(queue, &done, 1, 1) != 1 || done != p)
        complain("variation %zu: not done", how);
    else if (job.result != result || memcmp(&want, &got, sizeof want))
        complain("%s, variation %zu: %s instead of %s", hr_algorithm((hr_alg)like->alg)->name, how,
                 hr_strerror(job.result), hr_strerror(result));
}

static void check_alike(struct hr_queue *queue)
{
    static const hr_alg algs[] = { HR_AES_128_CTR, HR_AES_256_CBC, HR_HMAC_SHA256, HR_SHA512,
                                   HR_AES_128_GCM };
    uint8_t key[32] = { 9 }, iv[16] = { 8 }, in[128] = { 7 };
    for (size_t i = 0; i < COUNT_OF(algs); i++) {
        const struct hr_algorithm *row = hr_algorithm(algs[i]);
        const int ciphers = row->cls == HR_CLASS_CIPHER || row->cls == HR_CLASS_AEAD;
        const struct hr_job like = { .alg = (uint16_t)row->alg,
                                     .key_form =
                                         row->cls == HR_CLASS_DIGEST ? HR_KEY_NONE : HR_KEY_BYTES,
                                     .key = key,
                                     .key_len = ciphers ? row->key_len : 32,
                                     .iv = iv,
                                     .iv_len = ciphers ? row->iv_len : 0,
                                     .aad = iv,
                                     .aad_len = row->cls == HR_CLASS_AEAD ? 3 : 0,
                                     .in = in,
                                     .out = ciphers ? in : NULL,
                                     .tag = row->cls == HR_CLASS_CIPHER ? NULL : in,
                                     .len = 16 };
        for (size_t how = 0; how < NUM_POINTERS + NUM_LENGTHS + PLACES; how++) {
            check_like(queue, &like, NUM_POINTERS + 3); /* the unchanged job */
            check_like(queue, &like, how);
        }
    }
    tap(hr_queue_connected(queue), "jobs beside others that are the same in their numbers");
}

void client_jobs(void)
{
    struct hr_queue *queue;
    if (hr_queue_connect(&queue, service.socket) || !hr_queue_connected(queue)) {
        tap(!complain("not connected"), "a queue");
        return;
    }
    tap(!tasks_run(queue, 1000, 40), "short jobs");
    tap(!tasks_run(queue, 1000, TASK_MOST), "longer jobs");
    check_alike(queue);
    check_many(queue);
    check_sizes(queue);
    check_long(queue);
    check_memory(queue);
    tap(!tasks_run(queue, 100, TASK_MOST), "jobs where the window is full of other memory");
    hr_queue_close(queue);
}

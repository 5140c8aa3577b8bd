/* SPDX-License-Identifier: Apache-2.0 */
/* Each kernel gets the same NUM_MESSAGES messages, of up to some thousand bytes, so that its widest
 * loop and all its ends run.  What it answers is hashed, by the portable SHA-256 that has been
 * found right before by FIPS 180-4's example, and compared. */
#define _GNU_SOURCE
#include "selftest.h"
#include <headrace/queue.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_MESSAGES = 40, MAX_LEN = 4608, NUM_OPS = 2, AAD_LEN = 20, ITERATIONS = 3 };

static const struct known {
    hr_alg alg;
    uint64_t answers[NUM_OPS];
} known[] = {
#define ANSWERS(SYM, first, second) { HR_##SYM, { first, second } },
#include "selftest.def"
};

union key {
    struct hr_hmac_key hmac;
    struct hr_cipher_key cipher;
    struct hr_aead_key aead;
    struct hr_nmac_key nmac;
    struct hr_xts_key xts;
};

struct test {
    const struct hr_algorithm *row;
    uint8_t key[64], iv[16], in[MAX_LEN];
    uint8_t back[MAX_LEN], out[NUM_MESSAGES][MAX_LEN], tag[NUM_MESSAGES][HR_DIGEST_MAX_OUT];
    struct hr_job jobs[NUM_MESSAGES];
    union key keys;
    struct hr_digest_ctx sum;
    _Alignas(64) uint8_t memory[];
};

/* ---- messages ---- */

static size_t message_len(const struct hr_algorithm *row, size_t i)
{
    const size_t len = i < 36 ? i * i : 3 * i * i;
    if (row->cls == HR_CLASS_XTS)
        return len + 16;
    return row->cls == HR_CLASS_CIPHER ? len - len % row->block_len : len;
}

/* An IV of ones: its counter carries. */
static void fill(struct test *t)
{
    for (size_t i = 0; i < sizeof t->in; i++)
        t->in[i] = (uint8_t)(i * 167 + (i >> 8) * 31 + 13);
    for (size_t i = 0; i < sizeof t->key; i++)
        t->key[i] = (uint8_t)(i * 73 + 5);
    for (size_t i = 0; i < sizeof t->iv; i++)
        t->iv[i] = i < 4 ? (uint8_t)(i + 1) : 0xff;
}

static size_t key_len(const struct hr_algorithm *row)
{
    return row->key_len ? row->key_len : row->cls == HR_CLASS_MAC ? 32 : 0;
}

static bool has_output(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_CIPHER || row->cls == HR_CLASS_AEAD || row->cls == HR_CLASS_XTS;
}

static void make_jobs(struct test *t, unsigned op, enum hr_key_form form)
{
    for (size_t i = 0; i < NUM_MESSAGES; i++)
        t->jobs[i] = (struct hr_job){
            .alg = (uint16_t)t->row->alg,
            .op = (uint8_t)op,
            .key_form = (uint8_t)(key_len(t->row) ? form : HR_KEY_NONE),
            .key = form == HR_KEY_BYTES ? (const void *)t->key : &t->keys,
            .key_len = (uint32_t)key_len(t->row),
            .iv = t->iv,
            .iv_len = t->row->iv_len,
            .aad = t->in,
            .aad_len = t->row->cls == HR_CLASS_AEAD ? AAD_LEN : 0,
            .in = t->in,
            .len = message_len(t->row, i),
            .out = has_output(t->row) ? t->out[i] : NULL,
            .tag = t->row->out_len ? t->tag[i] : NULL,
        };
}

/* ---- answers ---- */

/* By the portable kernel, the last. */
static int sum_begin(struct hr_digest_ctx *sum)
{
    struct hr_kernel kernel;
    size_t n = 0;
    while (!hr_kernel_at(&kernel, HR_SHA256, HR_OP_DIGEST, n))
        n++;
    return n ? hr_digest_init_kernel(sum, HR_SHA256, n - 1) : HR_ECPU;
}

static uint64_t sum_end(struct hr_digest_ctx *sum)
{
    uint8_t out[32];
    uint64_t first = 0;
    if (hr_digest_final(sum, out))
        return 0;
    for (size_t i = 0; i < 8; i++)
        first = first << 8 | out[i];
    return first;
}

/* FIPS 180-4's example of one block: the sum itself. */
static bool sum_is_right(struct hr_digest_ctx *sum)
{
    return !sum_begin(sum) && !hr_digest_update(sum, "abc", 3) &&
           sum_end(sum) == UINT64_C(0xba7816bf8f01cfea);
}

static const struct known *find_known(hr_alg alg)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].alg == alg)
            return &known[i];
    return NULL;
}

static bool sum_jobs(struct test *t)
{
    bool right = !sum_begin(&t->sum);
    for (size_t i = 0; i < NUM_MESSAGES && right; i++) {
        const struct hr_job *job = &t->jobs[i];
        right = !job->result && (!job->out || !hr_digest_update(&t->sum, job->out, job->len)) &&
                (!job->tag || !hr_digest_update(&t->sum, job->tag, t->row->out_len));
    }
    return right;
}

static bool is_known(struct test *t, unsigned op)
{
    const struct known *k = find_known(t->row->alg);
    return sum_jobs(t) && k && sum_end(&t->sum) == k->answers[op];
}

/* ---- one kernel: HR_ECPU, or whether it is right ---- */

static int run_digest(struct test *t, unsigned op, size_t kernel)
{
    make_jobs(t, op, HR_KEY_NONE);
    for (size_t i = 0; i < NUM_MESSAGES; i++) {
        struct hr_digest_ctx ctx;
        int error = hr_digest_init_kernel(&ctx, t->row->alg, kernel);
        if (error)
            return error;
        error = hr_digest_update(&ctx, t->in, t->jobs[i].len);
        t->jobs[i].result = error ? error : hr_digest_final(&ctx, t->tag[i]);
    }
    return is_known(t, op);
}

/* PBKDF2: passwords of i + 1 bytes, a salt of 8. */
static int run_iterate(struct test *t, size_t kernel)
{
    struct hr_pbkdf2_job jobs[NUM_MESSAGES];
    make_jobs(t, 0, HR_KEY_BYTES);
    for (size_t i = 0; i < NUM_MESSAGES; i++)
        jobs[i] = (struct hr_pbkdf2_job){ t->tag[i], t->row->out_len, t->in, i + 1, t->in, 8 };
    const int error = hr_pbkdf2_many_kernel(jobs, NUM_MESSAGES, t->row->alg, kernel, ITERATIONS);
    return error ? error : is_known(t, HR_OP_ITERATE);
}

static int init_key(struct test *t, unsigned op, size_t kernel)
{
    const hr_alg alg = t->row->alg;
    const size_t len = key_len(t->row);
    switch (t->row->cls) {
    case HR_CLASS_MAC:
        return hr_hmac_key_init_kernel(&t->keys.hmac, alg, kernel, t->key, len);
    case HR_CLASS_CIPHER:
        return hr_cipher_key_init_kernel(&t->keys.cipher, alg, (enum hr_op)op, kernel, t->key, len);
    case HR_CLASS_AEAD:
        return hr_aead_key_init_kernel(&t->keys.aead, alg, kernel, t->key, len);
    case HR_CLASS_NMAC:
        return hr_nmac_key_init_kernel(&t->keys.nmac, alg, kernel, t->key, len);
    case HR_CLASS_XTS:
        return hr_xts_key_init_kernel(&t->keys.xts, alg, (enum hr_op)op, kernel, t->key, len);
    default:
        return HR_EALG;
    }
}

/* What was encrypted comes back, and with a wrong tag does not. */
static bool opens(struct test *t)
{
    for (size_t i = 0; i < NUM_MESSAGES; i++) {
        struct hr_job job = t->jobs[i];
        job.op = HR_JOB_DECRYPT;
        job.in = job.out;
        job.out = t->back;
        if (hr_job_run(&job) || memcmp(t->back, t->in, job.len))
            return false;
        job.tag[i % 16] ^= 1;
        if (hr_job_run(&job) != HR_EMAC)
            return false;
        job.tag[i % 16] ^= 1;
    }
    return true;
}

static int run_keyed(struct test *t, unsigned op, size_t kernel)
{
    const bool aead = t->row->cls == HR_CLASS_AEAD;
    const int error = init_key(t, op, kernel);
    if (error)
        return error;
    make_jobs(t, aead ? HR_JOB_ENCRYPT : op, HR_KEY_OBJECT);
    for (size_t i = 0; i < NUM_MESSAGES; i++)
        (void)hr_job_run(&t->jobs[i]);
    return is_known(t, aead ? HR_JOB_ENCRYPT : op) && (!aead || !op || opens(t));
}

static int run_lanes(struct test *t, size_t kernel)
{
    struct hr_queue *queue;
    struct hr_job *done[NUM_MESSAGES], *jobs[NUM_MESSAGES];
    int error = hr_queue_local(&queue, t->memory, hr_queue_local_size(NUM_MESSAGES), NUM_MESSAGES);
    if (!error)
        error = hr_queue_local_kernel(queue, t->row->alg, kernel);
    if (error)
        return error;
    make_jobs(t, 0, HR_KEY_BYTES);
    for (size_t i = 0; i < NUM_MESSAGES; i++)
        jobs[i] = &t->jobs[i];
    const bool all = hr_queue_submit(queue, jobs, NUM_MESSAGES) == NUM_MESSAGES &&
                     hr_queue_poll(queue, done, NUM_MESSAGES, NUM_MESSAGES) == NUM_MESSAGES;
    hr_queue_close(queue);
    return all && is_known(t, 0);
}

static int run_kernel(struct test *t, unsigned op, size_t kernel)
{
    memset(t->out, 0, sizeof t->out);
    memset(t->tag, 0, sizeof t->tag);
    if (op == HR_OP_LANES)
        return run_lanes(t, kernel);
    if (t->row->cls == HR_CLASS_DIGEST)
        return run_digest(t, op, kernel);
    return t->row->cls == HR_CLASS_MAC && op == HR_OP_ITERATE ? run_iterate(t, kernel)
                                                              : run_keyed(t, op, kernel);
}

/* ---- all of them ---- */

static int run_op(struct test *t, unsigned op, char wrong[SELFTEST_TEXT])
{
    struct hr_kernel kernel;
    int n = 0;
    for (size_t i = 0; !hr_kernel_at(&kernel, t->row->alg, (enum hr_op)op, i); i++) {
        const int right = run_kernel(t, op, i);
        if (right == HR_ECPU)
            continue;
        if (right != 1) {
            snprintf(wrong, SELFTEST_TEXT, "%s: %s: the kernel %s computes wrong", t->row->name,
                     hr_op_name(t->row->alg, (enum hr_op)op), kernel.name);
            return -1;
        }
        n++;
    }
    return n;
}

static int run_row(struct test *t, char wrong[SELFTEST_TEXT])
{
    int n = 0;
    for (unsigned op = 0; op <= HR_OP_LANES; op++) {
        const int more = run_op(t, op, wrong);
        if (more < 0)
            return -1;
        n += more;
    }
    return n;
}

static struct test *test_new(void)
{
    const size_t len = sizeof(struct test) + hr_queue_local_size(NUM_MESSAGES);
    struct test *t = aligned_alloc(64, (len + 63) & ~(size_t)63);
    if (!t)
        return NULL;
    memset(t, 0, len);
    fill(t);
    return t;
}

/* ---- on all CPUs, for clients may be waiting already ---- */

enum { MAX_THREADS = 8 };

struct round {
    _Atomic size_t next; /* row */
    _Atomic int num;     /* kernels found right */
    _Atomic bool failed; /* somebody says `wrong` */
    char wrong[SELFTEST_TEXT];
};

static void *run_rows(void *arg)
{
    struct round *r = arg;
    struct test *t = test_new();
    char wrong[SELFTEST_TEXT] = "no memory";
    int n = t ? 0 : -1;
    while (n >= 0 && !r->failed && (t->row = hr_algorithm_at(r->next++))) {
        n = run_row(t, wrong);
        r->num += n < 0 ? 0 : n;
    }
    if (n < 0 && !atomic_exchange(&r->failed, true))
        memcpy(r->wrong, wrong, sizeof r->wrong);
    free(t);
    return NULL;
}

static size_t num_helpers(void)
{
    cpu_set_t set;
    const int cpus = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return (size_t)(cpus < MAX_THREADS ? cpus : MAX_THREADS) - 1;
}

int selftest_run(char wrong[SELFTEST_TEXT])
{
    struct round r = { 0 };
    struct hr_digest_ctx sum;
    pthread_t helpers[MAX_THREADS];
    size_t num = 0;
    if (!sum_is_right(&sum)) {
        snprintf(wrong, SELFTEST_TEXT, "SHA-256: the portable kernel computes wrong");
        return -1;
    }
    while (num < num_helpers() && !pthread_create(&helpers[num], NULL, run_rows, &r))
        num++;
    run_rows(&r);
    while (num)
        pthread_join(helpers[--num], NULL);
    memcpy(wrong, r.wrong, SELFTEST_TEXT);
    return r.failed ? -1 : r.num;
}

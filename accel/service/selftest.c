/* SPDX-License-Identifier: Apache-2.0 */
/* Each kernel gets the same NUM_MESSAGES messages: many short ones, for its ends, and a few each of
 * which is about twice as long as the one before, for loops that are up to 4096 bytes wide, with
 * and without a rest.  Its outputs are hashed and compared.  The hash is the portable SHA-256,
 * which is checked first with the example of FIPS 180-4. */
#define _GNU_SOURCE
#include "selftest.h"
#include <headrace/algorithms.h>
#include <headrace/classes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_MESSAGES = 40, MAX_LEN = 4608, AAD_LEN = 20, ITERATIONS = 3 };

#define ANSWERS(SYM, first, second) static const uint64_t answers_of_##SYM[] = { first, second };
#include "selftest.def"

/* answers[i] is for row i.  A row without answers in selftest.def does not compile; key derivation,
 * public key and key wrap have no jobs, and so NULL. */
static const uint64_t *const answers[] = {
#define HR_ROW(number, sym, SYM, ...) answers_of_##SYM,
#define HR_KDF(...) NULL,
#define HR_SIGN(...) NULL,
#define HR_AGREE(...) NULL,
#define HR_KEM(...) NULL,
#define HR_RSA(...) NULL,
#define HR_DSA(...) NULL,
#define HR_DH(...) NULL,
#define HR_XOF(...) NULL,
#define HR_WRAP(...) NULL,
#include <headrace/algorithms.def>
};

struct test {
    const struct hr_algorithm *row;
    const uint64_t *answers; /* by operation of kernels */
    uint8_t key[64], iv[16], in[MAX_LEN];
    uint8_t back[MAX_LEN], out[NUM_MESSAGES][MAX_LEN], tag[NUM_MESSAGES][HR_DIGEST_MAX_OUT];
    struct hr_job jobs[NUM_MESSAGES];
    union hr_any_key keys;
    struct hr_digest_ctx sum;
    _Alignas(64) uint8_t memory[];
};

/* ---- messages ---- */

static size_t message_len(const struct hr_algorithm *row, const struct hr_class_op *op, size_t i)
{
    const size_t k = i < 34 ? 0 : i - 33;
    const size_t len = k ? ((size_t)64 << k) + (k % 2 ? 0 : 69 * k) : i * i / 4;
    return op->in == HR_IN_UNIT     ? len + 16
           : op->in == HR_IN_BLOCKS ? len - len % row->block_len
                                    : len;
}

/* fill makes the inputs.  The IV ends with bytes 0xff, so that its counter carries. */
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
    return hr_class_of(row)->has & HR_HAS_ANY_KEY ? 32 : row->key_len;
}

static void make_jobs(struct test *t, unsigned op, enum hr_key_form form)
{
    const struct hr_class_info *info = hr_class_of(t->row);
    for (size_t i = 0; i < NUM_MESSAGES; i++)
        t->jobs[i] = (struct hr_job){
            .alg = (uint16_t)t->row->alg,
            .op = (uint8_t)op,
            .key_form = (uint8_t)(info->has & HR_HAS_KEY ? form : HR_KEY_NONE),
            .key = form == HR_KEY_BYTES ? (const void *)t->key : &t->keys,
            .key_len = (uint32_t)key_len(t->row),
            .iv = t->iv,
            .iv_len = t->row->iv_len,
            .aad = t->in,
            .aad_len = info->has & HR_HAS_AAD ? AAD_LEN : 0,
            .in = t->in,
            .len = message_len(t->row, &info->ops[op], i),
            .out = info->ops[op].out ? t->out[i] : NULL,
            .tag = info->ops[op].tag ? t->tag[i] : NULL,
        };
}

/* ---- answers ---- */

/* sum_begin begins a hash with the portable kernel, which is the last one. */
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

/* sum_is_right checks the hash with FIPS 180-4's example of one block. */
static bool sum_is_right(struct hr_digest_ctx *sum)
{
    return !sum_begin(sum) && !hr_digest_update(sum, "abc", 3) &&
           sum_end(sum) == UINT64_C(0xba7816bf8f01cfea);
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
    return sum_jobs(t) && t->answers && sum_end(&t->sum) == t->answers[op];
}

/* ---- one kernel: 1 if it is right, 0 if not, HR_ECPU if this CPU lacks it ---- */

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

/* run_iterate runs PBKDF2 with passwords of i + 1 bytes and a salt of 8. */
static int run_iterate(struct test *t, size_t kernel)
{
    struct hr_pbkdf2_job jobs[NUM_MESSAGES];
    make_jobs(t, 0, HR_KEY_BYTES);
    for (size_t i = 0; i < NUM_MESSAGES; i++)
        jobs[i] = (struct hr_pbkdf2_job){ t->tag[i], t->row->out_len, t->in, i + 1, t->in, 8 };
    const int error = hr_pbkdf2_many_kernel(jobs, NUM_MESSAGES, t->row->alg, kernel, ITERATIONS);
    return error ? error : is_known(t, HR_OP_ITERATE);
}

/* undoes checks that the operation accepts the outputs of the first one and gives back its inputs,
 * and that it refuses a wrong tag. */
static bool undoes(struct test *t, unsigned op)
{
    for (size_t i = 0; i < NUM_MESSAGES; i++) {
        struct hr_job job = t->jobs[i];
        uint8_t *const bad = &job.tag[i % t->row->out_len];
        job.op = (uint8_t)op;
        if (job.out) {
            job.in = job.out;
            job.out = t->back;
        }
        if (hr_job_run(&job) || (job.out && memcmp(t->back, t->in, job.len)))
            return false;
        *bad ^= 1;
        if (hr_job_run(&job) != HR_EMAC)
            return false;
        *bad ^= 1;
    }
    return true;
}

static int run_keyed(struct test *t, unsigned op, size_t kernel)
{
    const bool takes = hr_class_of(t->row)->ops[op].tag == HR_TAG_TAKEN;
    const unsigned first = takes ? 0 : op;
    const int error = hr_any_key_init_kernel(&t->keys, t->row->alg, (enum hr_op)op, kernel, t->key,
                                             key_len(t->row));
    if (error)
        return error;
    make_jobs(t, first, HR_KEY_OBJECT);
    for (size_t i = 0; i < NUM_MESSAGES; i++)
        (void)hr_job_run(&t->jobs[i]);
    return is_known(t, first) && (!takes || undoes(t, op));
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
    if (op == HR_OP_ITERATE && t->row->digest)
        return run_iterate(t, kernel);
    return hr_class_of(t->row)->has & HR_HAS_KEY ? run_keyed(t, op, kernel)
                                                 : run_digest(t, op, kernel);
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
            snprintf(wrong, SELFTEST_TEXT, "%s: %s: the kernel %s computed a wrong result",
                     t->row->name, hr_op_name(t->row->alg, (enum hr_op)op), kernel.name);
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

/* ---- on all CPUs, because clients may be waiting already ---- */

enum { MAX_THREADS = 8 };

struct round {
    _Atomic size_t next; /* row */
    _Atomic int num;     /* kernels found right */
    _Atomic bool failed; /* a thread has something in `wrong` */
    char wrong[SELFTEST_TEXT];
};

static void *run_rows(void *arg)
{
    struct round *r = arg;
    struct test *t = test_new();
    char wrong[SELFTEST_TEXT] = "no memory";
    int n = t ? 0 : -1;
    while (n >= 0 && !r->failed) {
        const size_t i = r->next++;
        if (!(t->row = hr_algorithm_at(i)))
            break;
        t->answers = answers[i];
        n = t->answers ? run_row(t, wrong) : 0; /* key wrap has kernels, too, and no jobs */
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
        snprintf(wrong, SELFTEST_TEXT, "SHA-256: the portable kernel computed a wrong result");
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

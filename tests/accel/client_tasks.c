/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"
#include <headrace/algorithms.h>

enum kind {
    DIGEST,
    LONG_DIGEST,
    MAC,
    VERIFY,
    CIPHER,
    IN_PLACE,
    SEAL,
    PARTS,
    THEN_MAC,
    COPY,
    NUM_KINDS
};

static void fill(uint8_t *p, size_t len, unsigned seed)
{
    uint32_t x = seed * 2654435761u + 1;
    for (size_t i = 0; i < len; i++)
        p[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
}

static void set_key(struct task *t, hr_alg alg, uint32_t key_len, uint32_t iv_len)
{
    t->job.alg = (uint16_t)alg;
    t->job.key_form = HR_KEY_BYTES;
    t->job.key = t->key;
    t->job.key_len = key_len;
    t->job.iv = iv_len ? t->iv : NULL;
    t->job.iv_len = iv_len;
}

static void set_kind(struct task *t, enum kind kind)
{
    struct hr_job *job = &t->job;
    const size_t len = job->len;
    if (kind == DIGEST || kind == LONG_DIGEST)
        job->alg = kind == DIGEST ? HR_SHA256 : HR_SHA512;
    else if (kind == MAC || kind == VERIFY)
        set_key(t, kind == MAC ? HR_HMAC_SHA256 : HR_HMAC_SHA512, 20, 0);
    else if (kind == SEAL)
        set_key(t, HR_AES_256_GCM, 32, 12);
    else if (kind != COPY)
        set_key(t, HR_AES_128_CTR, 16, 16);
    if (kind < CIPHER || kind == SEAL)
        job->tag = t->tag;
    if (kind >= CIPHER)
        job->out = kind == IN_PLACE ? t->in : t->out;
    if (kind == VERIFY)
        job->op = HR_JOB_VERIFY;
    if (kind == SEAL) {
        job->aad = t->aad;
        job->aad_len = sizeof t->aad;
    }
    if (kind == PARTS) {
        t->parts[0] = (struct hr_segment){ t->in, t->out, len / 3 };
        t->parts[1] = (struct hr_segment){ t->in + len / 3, t->out + len / 3, 0 };
        t->parts[2] = (struct hr_segment){ t->in + len / 3, t->out + len / 3, len - len / 3 };
        job->segments = t->parts;
        job->num_segments = 3;
    }
    if (kind == THEN_MAC) {
        t->then = (struct hr_job){ .alg = HR_HMAC_SHA1,
                                   .key_form = HR_KEY_BYTES,
                                   .key = t->key + 16,
                                   .key_len = 20,
                                   .in = t->out,
                                   .len = len,
                                   .tag = t->then_tag };
        job->next = &t->then;
    }
}

/* set_wanted computes the right results with direct calls, on a copy of the task. */
static void set_wanted(struct task *t)
{
    static _Thread_local struct task model;
    struct hr_job *job = &model.job;
    model = *t;
    job->in = model.in;
    job->tag = job->tag ? model.tag : NULL;
    job->out = job->out ? t->job.out == t->in ? model.in : model.out : NULL;
    job->next = NULL;
    for (size_t i = 0; i < job->num_segments; i++) {
        const size_t at = (size_t)((const uint8_t *)t->parts[i].in - t->in);
        model.parts[i].in = model.in + at;
        model.parts[i].out = model.out + at;
    }
    job->segments = model.parts;
    t->want_result = hr_job_run(job);
    memcpy(t->want, t->job.out == t->in ? model.in : model.out, sizeof t->want);
    memcpy(t->want_tag, model.tag, sizeof t->want_tag);
    if (t->job.next) {
        model.then.in = model.out;
        model.then.tag = model.then_tag;
        if (hr_job_run(&model.then))
            t->want_result = 1;
        memcpy(t->want_then_tag, model.then_tag, sizeof t->want_then_tag);
    }
}

void task_make(struct task *t, unsigned i, size_t most)
{
    const enum kind kind = i % NUM_KINDS;
    memset(t, 0, sizeof *t);
    fill(t->key, sizeof t->key, i / 64); /* so that keys are used again */
    fill(t->iv, sizeof t->iv, i);
    fill(t->in, sizeof t->in, i);
    t->job.in = t->in;
    t->job.len = (i * 7919u) % most;
    t->job.user = t;
    set_kind(t, kind);
    if (kind == VERIFY && i / NUM_KINDS % 2) { /* the right tag */
        t->job.op = HR_JOB_MAC;
        set_wanted(t);
        memcpy(t->tag, t->want_tag, sizeof t->tag);
        t->job.op = HR_JOB_VERIFY;
    }
    set_wanted(t);
}

void task_make_handle(struct task *t, uint64_t handle, const uint8_t key[32])
{
    memset(t, 0, sizeof *t);
    memcpy(t->key, key, 32);
    t->job = (struct hr_job){ .in = t->in, .len = 100, .tag = t->tag, .user = t };
    set_key(t, HR_HMAC_SHA256, 32, 0);
    set_wanted(t);
    t->job.key_form = HR_KEY_HANDLE;
    t->job.key = NULL;
    t->job.key_len = 0;
    t->job.handle = handle;
}

int task_check(const struct task *t)
{
    const uint8_t *out = t->job.out == t->in ? t->in : t->out;
    const char *what = t->job.result != t->want_result              ? hr_strerror(t->job.result)
                       : memcmp(t->tag, t->want_tag, sizeof t->tag) ? "wrong tag"
                       : t->job.out && memcmp(out, t->want, sizeof t->want) ? "wrong output"
                       : memcmp(t->then_tag, t->want_then_tag, sizeof t->then_tag)
                           ? "wrong second tag"
                           : NULL;
    return what ? complain("alg %#x, %zu bytes: %s", t->job.alg, t->job.len, what) : 0;
}

int task_run(struct task *t)
{
    if (hr_accel_run(&t->job) != t->want_result)
        complain("hr_accel_run returns another result");
    return task_check(t);
}

int tasks_run(struct hr_queue *queue, unsigned num, size_t most)
{
    enum { AT_ONCE = 16 };
    struct task *tasks = calloc(AT_ONCE, sizeof *tasks);
    struct hr_job *jobs[AT_ONCE], *done[AT_ONCE];
    int wrong = 0;
    for (unsigned at = 0; at < num; at += AT_ONCE) {
        size_t given = 0, back = 0;
        for (unsigned i = 0; i < AT_ONCE; i++) {
            task_make(&tasks[i], at + i, most);
            jobs[i] = &tasks[i].job;
        }
        while (back < AT_ONCE) {
            const int took = hr_queue_submit(queue, jobs + given, AT_ONCE - given);
            given += took > 0 ? (size_t)took : 0;
            const int got = hr_queue_poll(queue, done, AT_ONCE, 1);
            for (int i = 0; i < got; i++)
                wrong += task_check(done[i]->user);
            back += got > 0 ? (size_t)got : 0;
        }
    }
    free(tasks);
    return wrong;
}

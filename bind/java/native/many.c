/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "many.h"
#include <headrace/queue.h>
#include <pthread.h>
#include <stdatomic.h>

/* count_all makes the statistics count the messages of a row. */
static void count_all(enum row_index row, const size_t *len, int32_t num)
{
    struct served served;
    served_init(&served, row);
    for (int32_t i = 0; i < num; i++)
        served_add(&served, len[i]);
    if (served.calls)
        stats_fold(&served);
}

int32_t hrj_digest_many(int32_t alg, const void *const *in, const size_t *len, int32_t num,
                        uint8_t *out)
{
    const int rv = hr_digest_many(out, (hr_alg)alg, in, len, (size_t)num);
    if (!rv)
        count_all(index_of((hr_alg)alg), len, num);
    return rv;
}

/* ---- MACs ---- */

/* A queue and its jobs. */
struct macs {
    struct hr_queue *queue;
    struct hr_job jobs[MANY_MACS], *pointers[MANY_MACS];
    uint8_t memory[];
};
/* One that is not in use, since it takes longer to make a queue than to compute short MACs.  An
 * idle queue has nothing of its messages. */
static _Atomic(struct macs *) idle;

static struct macs *take_macs(void)
{
    const size_t size = hr_queue_local_size(MANY_MACS);
    struct macs *m = atomic_exchange(&idle, NULL);
    if (m)
        return m;
    m = memory_new(sizeof *m + size);
    if (m && hr_queue_local(&m->queue, m->memory, size, MANY_MACS)) {
        memory_free(m);
        return NULL;
    }
    return m;
}

static void give_macs_back(struct macs *m)
{
    m = atomic_exchange(&idle, m);
    if (!m)
        return;
    hr_queue_close(m->queue);
    memory_free(m);
}

static int run_macs(struct macs *m, int num)
{
    for (int i = 0; i < num; i++)
        m->pointers[i] = &m->jobs[i];
    const int taken = hr_queue_submit(m->queue, m->pointers, (size_t)num);
    if (taken != num || hr_queue_poll(m->queue, m->pointers, MANY_MACS, (size_t)num) != num)
        return HR_ESYSTEM;
    int rv = 0;
    for (int i = 0; !rv && i < num; i++)
        rv = m->jobs[i].result;
    return rv;
}

int32_t hrj_mac_many(struct object *o, const void *const *in, const size_t *len, int32_t num,
                     uint8_t *out)
{
    const struct hr_algorithm *row = hr_algorithm(o->alg);
    if (row->cls != HR_CLASS_MAC || num < 1 || num > MANY_MACS)
        return HR_EINVAL;
    struct macs *m = take_macs();
    if (!m)
        return HR_ESYSTEM;
    for (int32_t i = 0; i < num; i++)
        m->jobs[i] = (struct hr_job){ .alg = (uint16_t)o->alg,
                                      .key_form = HR_KEY_OBJECT,
                                      .key = object_key(o),
                                      .in = in[i],
                                      .len = len[i],
                                      .tag = out + (size_t)i * row->out_len };
    const int rv = run_macs(m, num);
    give_macs_back(m);
    if (!rv)
        count_all(index_of(o->alg), len, num);
    return rv;
}

/* ---- signatures ---- */

struct checks {
    struct hr_job jobs[MANY_CHECKS];
    uint8_t plain[MANY_CHECKS][MAX_ECDSA_SIGNATURE];
};

/* set_job makes a job of a check.  It has no operation, and so fails, if the signature is no DER.
 */
static void set_job(struct checks *c, size_t i, const struct many_check *check, enum pk_op op,
                    const void *options)
{
    struct hr_job *job = &c->jobs[i];
    *job = (struct hr_job){ .alg = (uint16_t)check->key->alg,
                            .op = HR_JOB_VERIFY,
                            .key_form = HR_KEY_OBJECT,
                            .key = pk_key(check->key),
                            .in = check->in,
                            .len = check->len,
                            .tag = (uint8_t *)check->signature,
                            .tag_len = (uint32_t)check->signature_len,
                            .options = options };
    if (op != PK_VERIFY_DER)
        return;
    job->tag = c->plain[i];
    job->tag_len = check->key->out_len;
    if (job->tag_len > sizeof c->plain[i] ||
        hr_ecdsa_from_der(job->tag, job->tag_len, check->signature, check->signature_len))
        job->op = HR_JOB_SIGN;
}

/* has_stack tells whether this thread has the stack that hr_verify_many needs: threads of Java may
 * have little. */
static bool has_stack(void)
{
    enum { NEEDED = 256 << 10 };
    const char here = 0;
    pthread_attr_t attr;
    void *bottom;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attr))
        return false;
    const bool is_known = !pthread_attr_getstack(&attr, &bottom, &size);
    pthread_attr_destroy(&attr);
    return is_known && (uintptr_t)&here - (uintptr_t)bottom > NEEDED;
}

static void run_checks(struct hr_job *jobs, size_t num)
{
    if (has_stack()) {
        const int first = hr_verify_many(jobs, num);
        (void)first; /* each job has its own */
        return;
    }
    for (size_t i = 0; i < num; i++)
        jobs[i].result = jobs[i].op == HR_JOB_VERIFY ? hr_job_run(&jobs[i]) : HR_EINVAL;
}

int32_t hrj_verify_many(int32_t op, int32_t padding, int32_t digest, int32_t mgf_digest,
                        int32_t salt_len, const uint8_t *label, int32_t label_len,
                        const struct many_check *checks, int32_t num, int32_t *results)
{
    const struct pk_options all = {
        padding, digest, mgf_digest, salt_len, label, (size_t)label_len
    };
    const struct hr_rsa_options rsa = pk_rsa_options(&all);
    const struct hr_sign_options sign = pk_sign_options(&all);
    if (num < 1 || num > MANY_CHECKS)
        return HR_EINVAL;
    struct checks *c = memory_new(sizeof *c);
    if (!c)
        return HR_ESYSTEM;
    for (int32_t i = 0; i < num; i++) {
        const bool is_rsa = checks[i].key->cls->cls == HR_CLASS_RSA;
        set_job(c, (size_t)i, &checks[i], (enum pk_op)op, is_rsa ? (const void *)&rsa : &sign);
    }
    run_checks(c->jobs, (size_t)num);
    for (int32_t i = 0; i < num; i++) {
        results[i] = c->jobs[i].result;
        if (!results[i])
            pk_count(checks[i].key->index, checks[i].len);
    }
    memory_free(c);
    return 0;
}

void hrj_wipe(uint8_t *at, int64_t len)
{
    wipe_bytes(at, (size_t)len);
}

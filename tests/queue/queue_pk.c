/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of public key: every row of these classes gives what direct calls give, alone and in a
 * chain, and refuses impossible jobs. */
#include "queue_chains.h"
#include <headrace/algorithms.h>

enum { MOST_OUT = 50176, MESSAGE = 77 };

static uint8_t message[MESSAGE], random_bits[HR_KEY_RANDOM];
static struct hr_sign_options options;

/* A key, the job that it is for, and the job that undoes that one, if there is one: verification of
 * the signature, decapsulation of the ciphertext. */
struct pk {
    const struct hr_algorithm *row;
    union {
        struct hr_sign_key sign;
        struct hr_agree_key agree;
        struct hr_kem_key kem;
    } key;
    struct hr_job job, back;
    uint8_t want[MOST_OUT], tag[MOST_OUT], ct[MOST_OUT], want_ct[MOST_OUT];
};

static struct hr_job new_job(struct pk *k, uint8_t op, const void *in, size_t len)
{
    return (struct hr_job){ .alg = (uint16_t)k->row->alg,
                            .op = op,
                            .key_form = HR_KEY_OBJECT,
                            .key = &k->key,
                            .in = in,
                            .len = len,
                            .tag = k->tag };
}

/* ---- what direct calls give ---- */

static int make_sign(struct pk *k)
{
    size_t len = sizeof k->want;
    options.flags = HR_SIGN_DETERMINISTIC;
    k->job = new_job(k, HR_JOB_SIGN, message, MESSAGE);
    k->back = new_job(k, HR_JOB_VERIFY, message, MESSAGE);
    k->job.options = k->back.options = &options;
    const int error = hr_sign_key_generate(&k->key.sign, k->row->alg, random_bits);
    return error ? error : hr_sign(k->want, &len, message, MESSAGE, &k->key.sign, &options);
}

static int make_agree(struct pk *k)
{
    size_t len = sizeof k->ct, want_len = sizeof k->want;
    int error = hr_agree_key_generate(&k->key.agree, k->row->alg, random_bits);
    if (!error)
        error = hr_agree_key_public(k->ct, &len, &k->key.agree);
    k->job = new_job(k, HR_JOB_DERIVE, k->ct, len);
    return error ? error : hr_agree(k->want, &want_len, k->ct, len, &k->key.agree);
}

static int make_kem(struct pk *k)
{
    const size_t len = hr_kem_ciphertext_len(k->row->alg);
    size_t ct_len = len;
    k->job = new_job(k, HR_JOB_ENCAPSULATE, NULL, len);
    k->job.out = k->ct;
    k->job.options = message; /* whose first bytes are as random as any */
    k->back = new_job(k, HR_JOB_DECAPSULATE, k->want_ct, len);
    const int error = hr_kem_key_generate(&k->key.kem, k->row->alg, random_bits);
    return error ? error : hr_kem_encapsulate(k->want_ct, &ct_len, k->want, &k->key.kem, message);
}

/* Returns 0 for rows of other classes, for those that this build has no code for, and for those
 * that sign slowly. */
static int make(struct pk *k, const struct hr_algorithm *row)
{
    memset(k, 0, sizeof *k);
    k->row = row;
    if (signs_slowly(row))
        return 0;
    const int error = row->cls == HR_CLASS_SIGN    ? make_sign(k)
                      : row->cls == HR_CLASS_AGREE ? make_agree(k)
                      : row->cls == HR_CLASS_KEM   ? make_kem(k)
                                                   : HR_ECPU;
    if (error && error != HR_ECPU)
        complain("%s: %s", row->name, hr_strerror(error));
    return !error;
}

/* ---- jobs ---- */

static void run_one(const struct way *way, struct hr_job *job, int want, const char *what)
{
    struct hr_job *jobs[] = { job };
    way->run(jobs, 1);
    if (job->result != want)
        complain("%s: %s instead of %s", what, hr_strerror(job->result), hr_strerror(want));
}

static void check_outputs(const struct pk *k, const char *what)
{
    if (memcmp(k->tag, k->want, k->row->out_len) ||
        memcmp(k->ct, k->want_ct, k->job.out ? k->job.len : 0))
        complain("%s: wrong", what);
}

static void check_right(const struct way *way, struct pk *k)
{
    struct hr_job job = k->job, back = k->back;
    run_one(way, &job, 0, "alone");
    check_outputs(k, "alone");
    memset(k->tag, 0, sizeof k->tag);
    job.next = back.key ? &back : NULL;
    run_one(way, &job, 0, "chain");
    check_outputs(k, "chain");
    if (job.next && back.result)
        complain("back: %s", hr_strerror(back.result));
}

/* A signature or ciphertext with a wrong bit. */
static void check_wrong(const struct way *way, struct pk *k)
{
    struct hr_job back = k->back;
    if (k->row->cls == HR_CLASS_SIGN) {
        memcpy(k->tag, k->want, sizeof k->tag);
        k->tag[3] ^= 1;
        run_one(way, &back, HR_EMAC, "a wrong signature");
        k->tag[3] ^= 1;
        back.tag_len = k->row->out_len - 1u;
        run_one(way, &back, HR_EMAC, "a short signature");
    } else if (k->row->cls == HR_CLASS_KEM) {
        k->want_ct[3] ^= 1;
        run_one(way, &back, 0, "a wrong ciphertext");
        k->want_ct[3] ^= 1;
        if (!memcmp(k->tag, k->want, HR_KEM_SECRET_LEN))
            complain("a wrong ciphertext gives the secret");
        back.len--;
        run_one(way, &back, HR_ELENGTH, "a short ciphertext");
    }
}

static void check_refused(const struct way *way, const struct pk *k,
                          const struct hr_algorithm *other)
{
    const struct hr_segment segment = { message, NULL, MESSAGE };
    struct hr_job job[8], after = k->job;
    for (size_t i = 0; i < COUNT_OF(job); i++)
        job[i] = k->job;
    job[0].key_form = HR_KEY_BYTES;
    job[0].key_len = k->row->key_len;
    run_one(way, &job[0], HR_EINVAL, "a key as bytes");
    job[1].key_form = HR_KEY_HANDLE;
    job[1].handle = 1;
    run_one(way, &job[1], HR_EHANDLE, "a handle");
    job[2].segments = &segment;
    job[2].num_segments = 1;
    run_one(way, &job[2], HR_EINVAL, "segments");
    job[3].state_out = job[3].tag;
    run_one(way, &job[3], HR_EINVAL, "a state");
    job[4].tag_len = k->row->out_len - 1u;
    run_one(way, &job[4], HR_ETAGLEN, "a short result");
    job[5].tag = NULL;
    job[5].next = &after;
    run_one(way, &job[5], HR_EINVAL, "no room for the result");
    if (after.result != HR_ESTATE)
        complain("a job after one that failed: %s", hr_strerror(after.result));
    job[6].op = 2;
    run_one(way, &job[6], HR_EINVAL, "an operation that the class lacks");
    job[7].alg = (uint16_t)other->alg;
    run_one(way, &job[7], HR_ESTATE, "another row's key");
}

/* Rows of all other classes take no key of this one. */
static void check_classes(const struct way *way, const struct pk *k)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        for (uint8_t op = 0; op < 2 && row->cls != k->row->cls; op++) {
            struct hr_job job = k->job;
            job.alg = (uint16_t)row->alg;
            job.op = op;
            if (hr_class_pk(hr_class_of(row), op))
                run_one(way, &job, HR_ESTATE, row->name);
        }
}

/* Returns another row of the same class. */
static const struct hr_algorithm *neighbour(const struct hr_algorithm *row)
{
    const struct hr_algorithm *other;
    for (size_t i = 0; (other = hr_algorithm_at(i)); i++)
        if (other->cls == row->cls && other != row)
            break;
    return other;
}

void check_pk(const struct way *way)
{
    const struct hr_algorithm *row;
    struct pk *const k = aligned_alloc(64, (sizeof *k + 63) & ~(size_t)63);
    random_bytes(message, sizeof message);
    random_bytes(random_bits, sizeof random_bits);
    random_bits[0] = 0; /* a curve's private key is below its order */
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        if (!make(k, row))
            continue;
        check_right(way, k);
        check_wrong(way, k);
        check_refused(way, k, neighbour(row));
        check_classes(way, k);
        tap(1, "%s: %s", row->name, way->name);
    }
    free(k);
}

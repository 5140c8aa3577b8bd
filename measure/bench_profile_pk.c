/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs under a key that this program has and lends to the service. */
#include "bench_profile.h"
#include "pk.h"
#include "speed_numbers.h"
#include "ways_state.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, TAG = 512 };

/* Jobs in one queue. */
struct jobs {
    struct hr_queue *queue;
    void *memory; /* of a local queue */
    unsigned depth;
    struct hr_job job[MOST];
    uint8_t tag[MOST][TAG];
};

struct profile_pk {
    union {
        struct hr_rsa_key rsa;
        struct hr_sign_key sign;
    } key;
    struct speed_rsa numbers;
    uint64_t handle;
    struct jobs jobs[2][2]; /* by the service or not, many or one */
};

static const uint8_t digest[PROFILE_DIGEST] = { 1, 2, 3 };

/* ---- running ---- */

static void run_some(struct jobs *j, size_t num)
{
    struct hr_job *jobs[MOST], *done[MOST];
    for (size_t i = 0; i < num; i++)
        jobs[i] = &j->job[i];
    for (size_t given = 0, got = 0; got < num;) {
        const int took = given < num ? hr_queue_submit(j->queue, jobs + given, num - given) : 0;
        const int some = hr_queue_poll(j->queue, done, MOST, 1);
        must(took >= 0 && some > 0);
        for (int i = 0; i < some; i++)
            must(done[i]->result == 0);
        given += (size_t)took;
        got += (size_t)some;
    }
}

static void run_jobs(void *ctx, uint64_t n)
{
    struct jobs *j = ctx;
    for (uint64_t some; n; n -= some) {
        some = n < j->depth ? n : j->depth;
        run_some(j, (size_t)some);
    }
}

/* ---- setting up ---- */

static bool make_rsa(struct profile_pk *pk, const struct hr_algorithm *row,
                     const struct bench_sides *sides)
{
    const struct sides stock = { .ssl = sides->ssl, .stock = sides->libctx };
    struct pk_side *side = calloc(1, sizeof *side);
    const bool made = side && pk_open(side, row, &stock, false) &&
                      !speed_rsa_numbers(&pk->numbers, side->pair) &&
                      !hr_rsa_key_init(&pk->key.rsa, &pk->numbers.parts) &&
                      !hr_accel_lend_rsa(&pk->handle, &pk->numbers.parts);
    if (side)
        pk_close(side);
    free(side);
    return made;
}

static bool make_curve(struct profile_pk *pk, const struct hr_algorithm *row)
{
    uint8_t bytes[128];
    size_t len = sizeof bytes;
    return !hr_sign_key_generate(&pk->key.sign, row->alg, NULL) &&
           !hr_sign_key_private(bytes, &len, &pk->key.sign) &&
           !hr_accel_lend(&pk->handle, row->alg, bytes, len, NULL, 0);
}

/* Makes the jobs of one queue; those that verify find a signature. */
static bool make_jobs(struct jobs *j, const struct profile_pk *pk, const struct hr_algorithm *row,
                      uint8_t op)
{
    for (size_t i = 0; i < MOST; i++) {
        j->job[i] =
            (struct hr_job){ .alg = (uint16_t)row->alg,
                             .op = HR_JOB_SIGN,
                             .key_form = HR_KEY_OBJECT,
                             .key = &pk->key,
                             .handle = pk->handle,
                             .in = digest,
                             .len = sizeof digest,
                             .tag = j->tag[i],
                             .options = row->cls == HR_CLASS_RSA ? &speed_rsa_options : NULL };
        if (i < j->depth && hr_job_run(&j->job[i]))
            return false;
        j->job[i].op = op;
    }
    return true;
}

static bool make_queue(struct jobs *j, bool service, const struct bench_sides *sides)
{
    const size_t len = (hr_queue_local_size(j->depth) + 63) / 64 * 64;
    if (service)
        return !hr_queue_connect(&j->queue, sides->service->socket) && hr_queue_connected(j->queue);
    j->memory = aligned_alloc(64, len);
    return j->memory && !hr_queue_local(&j->queue, j->memory, len, j->depth);
}

struct profile_pk *profile_pk_open(const struct hr_algorithm *row, uint8_t op, unsigned many,
                                   const struct bench_sides *sides)
{
    struct profile_pk *pk = aligned_alloc(64, (sizeof *pk + 63) / 64 * 64);
    if (!pk) {
        tool_error("out of memory");
        return NULL;
    }
    memset(pk, 0, sizeof *pk);
    bool made = row->cls == HR_CLASS_RSA ? make_rsa(pk, row, sides) : make_curve(pk, row);
    for (unsigned i = 0; made && i < 4; i++) {
        struct jobs *j = &pk->jobs[i / 2][i % 2];
        j->depth = i % 2 ? many : 1;
        made = make_queue(j, i / 2, sides) && make_jobs(j, pk, row, op);
    }
    if (made)
        return pk;
    profile_pk_close(pk);
    tool_error("accel: no jobs of %s", row->name);
    return NULL;
}

struct contender profile_pk_side(struct profile_pk *pk, bool service, bool many)
{
    return (struct contender){ run_jobs, &pk->jobs[service][many] };
}

void profile_pk_close(struct profile_pk *pk)
{
    for (unsigned i = 0; pk && i < 4; i++) {
        if (pk->jobs[i / 2][i % 2].queue)
            hr_queue_close(pk->jobs[i / 2][i % 2].queue);
        free(pk->jobs[i / 2][i % 2].memory);
    }
    if (pk && pk->handle)
        hr_accel_take_back(pk->handle);
    free(pk);
}

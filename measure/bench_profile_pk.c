/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs under a key that this program has and lends to the service. */
#include "bench_profile.h"
#include "unit/lent_key.h"
#include "ways_state.h"
#include <stdlib.h>

enum { MOST = 64 };

/* Jobs in one queue. */
struct jobs {
    struct hr_queue *queue;
    void *memory; /* of a local queue */
    unsigned depth;
    struct hr_job job[MOST];
    uint8_t tag[MOST][LENT_TAG];
};

struct profile_pk {
    struct lent_key *key;
    uint64_t handle;
    struct jobs jobs[2][2]; /* by the service or not, many or one */
};

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

/* Makes the jobs of one queue; those that verify find a signature. */
static bool make_jobs(struct jobs *j, const struct profile_pk *pk, uint8_t op)
{
    for (size_t i = 0; i < MOST; i++) {
        j->job[i] = lent_key_job(pk->key, pk->handle, j->tag[i]);
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
    struct profile_pk *pk = calloc(1, sizeof *pk);
    if (!pk) {
        tool_error("out of memory");
        return NULL;
    }
    pk->key = lent_key_make(row, sides);
    bool made = pk->key && !lent_key_lend(&pk->handle, pk->key);
    for (unsigned i = 0; made && i < 4; i++) {
        struct jobs *j = &pk->jobs[i / 2][i % 2];
        j->depth = i % 2 ? many : 1;
        made = make_queue(j, i / 2, sides) && make_jobs(j, pk, op);
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
    if (pk)
        lent_key_close(pk->key);
    free(pk);
}

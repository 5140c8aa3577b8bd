/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of DH side by side, where lanes cost about the same: p have equally many tiles of limbs, and
 * private keys lengths within a factor of two.  Each job gets what hr_dh_agree gives, errors
 * included. */
#include "../bignum/mont_lanes_words.h"
#include "../class.h"
#include "../pk/many.h"
#include "../pk/stack.h"
#include "dh.h"

enum { TILES = MONT_LANES_LIMBS / LANES_TILE_LIMBS };

unsigned dh_kind(const struct hr_job *job)
{
    const struct dh_key *const key = job->key;
    const uint32_t job_flags = dh_job_flags(job);
    if (job_flags & ~(uint32_t)HR_DH_STRICT ||
        !mont_lanes_kernel(key->num, PK_MANY, job_flags ? MONT_LANES_STRICT : 0)->steps)
        return 0;
    const unsigned tiles = (key->num + LANES_TILE_LIMBS - 1) / LANES_TILE_LIMBS;
    unsigned length = 0;
    while (key->x_bits >> length > 64)
        length++;
    return tiles + TILES * length;
}

/* The jobs that have passed their checks so far. */
struct task {
    struct hr_job *job;
    struct dh_agreement agreement;
    uint64_t z[MONT_LANES_LIMBS], power[MONT_LANES_LIMBS]; /* the agreement's; y^q */
};
/* A queue may use 128 KiB of stack, of which eight lanes take 108. */
static_assert(PK_MANY * sizeof(struct task) <= 9 << 10, "the stack of many agreements");

static size_t start(struct task *tasks, struct hr_job *const *jobs, size_t num)
{
    size_t started = 0;
    for (size_t i = 0; i < num; i++) {
        struct hr_job *const job = jobs[i];
        const size_t len = job_tag_len(job, hr_dh_size(job->key));
        tasks[started].job = job;
        tasks[started].agreement.z = tasks[started].z;
        job->result =
            dh_agree_start(&tasks[started].agreement, job->tag, len, job->in, job->len, job->key);
        started += !job->result;
    }
    return started;
}

static struct mont_lane order_lane(struct task *t)
{
    const struct dh_key *const key = t->agreement.key;
    return (struct mont_lane){ .z = t->power,
                               .x = t->agreement.z,
                               .e = key->q,
                               .e_bits = bn_bits(key->q, key->q_num),
                               .m = dh_modulus(key) };
}

static struct mont_lane secret_lane(struct task *t)
{
    const struct dh_key *const key = t->agreement.key;
    return (struct mont_lane){ .z = t->agreement.z,
                               .x = t->agreement.z,
                               .e = key->x,
                               .e_bits = key->x_bits,
                               .m = dh_modulus(key) };
}

static int has_order(const struct task *t)
{
    return t->agreement.key->order == DH_ORDER_Q;
}

static int has_no_error(const struct task *t)
{
    return !t->job->result;
}

/* Computes the powers of those tasks that want them; a lane that is refused fails its job. */
static void run_lanes(struct task *tasks, size_t num, int wanted(const struct task *t),
                      struct mont_lane lane_of(struct task *t))
{
    struct mont_lane lane[PK_MANY] = { 0 };
    struct task *of[PK_MANY];
    int failed[PK_MANY];
    size_t num_lanes = 0;
    for (size_t i = 0; i < num; i++)
        if (wanted(&tasks[i])) {
            of[num_lanes] = &tasks[i];
            lane[num_lanes] = lane_of(&tasks[i]);
            lane[num_lanes++].strict = dh_job_flags(tasks[i].job) & HR_DH_STRICT;
        }
    mont_lanes_each(mont_lanes_power, failed, lane, num_lanes);
    for (size_t i = 0; i < num_lanes; i++)
        if (failed[i])
            of[i]->job->result = HR_EKEY;
}

static void check_orders(struct task *tasks, size_t num)
{
    static const uint64_t one[MONT_LANES_LIMBS] = { 1 };
    run_lanes(tasks, num, has_order, order_lane);
    for (size_t i = 0; i < num; i++)
        if (has_order(&tasks[i]) && !bn_equal(tasks[i].power, one, tasks[i].agreement.key->num))
            tasks[i].job->result = HR_EKEY;
}

static __attribute__((noinline)) void run(struct hr_job *const *jobs, size_t num)
{
    struct task tasks[PK_MANY];
    num = start(tasks, jobs, num);
    check_orders(tasks, num);
    run_lanes(tasks, num, has_no_error, secret_lane);
    for (size_t i = 0; i < num; i++)
        if (!tasks[i].job->result)
            tasks[i].job->result = dh_agree_end(tasks[i].job->tag, &tasks[i].agreement);
    WIPE(&tasks);
}

void dh_run_many(struct hr_job *const *jobs, size_t num)
{
    run(jobs, num);
    pk_wipe_deep_stack();
}

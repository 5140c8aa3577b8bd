/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on numbers.  The private one raises to dp and dq modulo the primes (RFC 8017
 * section 5.1.2).  It is blinded: c r^e instead of c, for a random r, so that nobody chooses the
 * numbers that the primes meet; and the result is raised to e and compared, as one wrong half would
 * reveal a prime (Boneh, DeMillo, Lipton, 1997).
 *
 * Operations go side by side, under any keys: a prime of one takes a lane of mont_lanes_power, and
 * blinding and check take one of mont_lanes_power_vartime.  One alone has two lanes. */
#include "../bignum/mont_lanes.h"
#include "../pk/random.h"
#include "../pk/stack.h"
#include "rsa.h"

void rsa_multiply_add(uint64_t *z, const uint64_t *x, size_t x_num, const uint64_t *y, size_t y_num)
{
    for (size_t i = 0; i < x_num; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < y_num; j++) {
            const bn_wide sum = (bn_wide)x[i] * y[j] + z[i + j] + carry;
            z[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        z[i + y_num] = carry;
    }
}

enum { FACTOR_LIMBS = 4 };

struct task {
    struct rsa_job *job;
    uint64_t x[RSA_PRIVATE_LIMBS], z[RSA_PRIVATE_LIMBS];
    uint64_t r[RSA_PRIVATE_LIMBS], inverse[RSA_PRIVATE_LIMBS];
    uint64_t mp[RSA_HALF_LIMBS], mq[RSA_HALF_LIMBS];
    struct modulus n, p, q;
};
/* hr_sign_many may use 112 KiB of stack, of which eight lanes take 67. */
static_assert(RSA_MANY * sizeof(struct task) <= 24 << 10, "the stack of many operations");

/* ---- lanes ---- */

struct lanes {
    struct mont_lane lane[2 * RSA_MANY];
    struct task *of[2 * RSA_MANY];
    size_t num;
};

static void add_lane(struct lanes *lanes, struct task *t, struct mont_lane lane)
{
    lane.strict = t->job->strict;
    lanes->of[lanes->num] = t;
    lanes->lane[lanes->num++] = lane;
}

/* A modulus that lanes refuse is a fault of the computer: it spoils the task that has it. */
static void run_lanes(mont_lanes_power_fn *run, struct lanes *lanes)
{
    int failed[2 * RSA_MANY];
    mont_lanes_each(run, failed, lanes->lane, lanes->num);
    for (size_t i = 0; i < lanes->num; i++)
        if (failed[i])
            lanes->of[i]->job->error = HR_EFAULT;
    lanes->num = 0;
}

/* Adds the lanes of all tasks with the exponent of tasks[first], unless a task before has it. */
static void add_public(struct lanes *lanes, struct task *tasks, size_t first, size_t num,
                       struct mont_lane lane_of(struct task *t))
{
    for (size_t i = 0; i < first; i++)
        if (rsa_same_exponent(tasks[i].job->key, tasks[first].job->key))
            return;
    for (size_t i = first; i < num; i++)
        if (!tasks[i].job->error && rsa_same_exponent(tasks[i].job->key, tasks[first].job->key))
            add_lane(lanes, &tasks[i], lane_of(&tasks[i]));
}

static void public_powers(struct task *tasks, size_t num, struct mont_lane lane_of(struct task *t))
{
    struct lanes lanes = { .num = 0 };
    for (size_t first = 0; first < num; first++) {
        add_public(&lanes, tasks, first, num, lane_of);
        run_lanes(mont_lanes_power_vartime, &lanes);
    }
}

/* ---- blinding ---- */

/* z = (n u + 1) / r, a whole number of num limbs, from the lowest limb on. */
static void divide(uint64_t *z, const struct modulus *n, const uint64_t *u, const struct modulus *r)
{
    uint64_t t[RSA_PRIVATE_LIMBS + FACTOR_LIMBS] = { 1 }, top = 0;
    const uint64_t zero[RSA_PRIVATE_LIMBS] = { 0 };
    rsa_multiply_add(t, u, FACTOR_LIMBS, n->m, n->num);
    for (size_t i = 0; i < n->num; i++) {
        z[i] = t[i] * r->m0;
        uint64_t carry = 0;
        for (size_t j = 0; j < FACTOR_LIMBS; j++) {
            const bn_wide sum = (bn_wide)z[i] * r->m[j] + t[i + j] + carry;
            t[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        const bn_wide sum = (bn_wide)t[i + FACTOR_LIMBS] + carry + top;
        t[i + FACTOR_LIMBS] = (uint64_t)sum;
        top = (uint64_t)(sum >> 64);
    }
    bn_sub(z, zero, z, n->num);
    WIPE(&t);
}

/* A random r, and 1/r = (n u + 1) / r for u = -1/n mod r.  r is odd and has 256 bits, of which
 * nobody can guess r^e mod n, and u is found much faster than the inverse of a number as long as
 * n. */
static int make_blinding(struct task *t)
{
    uint64_t r2[FACTOR_LIMBS], u[FACTOR_LIMBS];
    struct modulus r;
    memset(t->r, 0, sizeof t->r);
    const int error = system_random(t->r, FACTOR_LIMBS * sizeof *t->r);
    if (error)
        return error;
    t->r[0] |= 1;
    t->r[FACTOR_LIMBS - 1] |= UINT64_C(1) << 63;
    CT_SECRET(t->r, FACTOR_LIMBS * sizeof *t->r);
    mont_init(&r, t->r, FACTOR_LIMBS, r2);
    mont_reduce(u, t->n.m, t->n.num, &r);
    uint64_t found = mont_inverse(u, u, &r);
    CT_PUBLIC(&found, sizeof found);
    bn_sub(u, r.m, u, FACTOR_LIMBS);
    divide(t->inverse, &t->n, u, &r);
    WIPE(&u);
    WIPE(&r2);
    WIPE(&r);
    return found ? 0 : HR_EFAULT;
}

/* z = r^e x */
static struct mont_lane blinded(struct task *t)
{
    const struct rsa_key *const key = t->job->key;
    return (struct mont_lane){ .z = t->z,
                               .x = t->r,
                               .e = key->e,
                               .e_bits = 64 * (size_t)key->e_num,
                               .factor = t->x,
                               .m = t->n };
}

/* z = z / r */
static struct mont_lane unblinded(struct task *t)
{
    static const uint64_t one[] = { 1 };
    return (struct mont_lane){
        .z = t->z, .x = t->z, .e = one, .e_bits = 1, .factor = t->inverse, .m = t->n
    };
}

/* r = z^e, which must be x. */
static struct mont_lane checked(struct task *t)
{
    const struct rsa_key *const key = t->job->key;
    return (struct mont_lane){
        .z = t->r, .x = t->z, .e = key->e, .e_bits = 64 * (size_t)key->e_num, .m = t->n
    };
}

/* ---- primes ---- */

static struct mont_lane half_lane(uint64_t *z, const struct task *t, const struct rsa_half *half,
                                  struct modulus *modulus)
{
    *modulus = (struct modulus){ .m = half->p, .r2 = half->r2, .m0 = half->m0, .num = half->num };
    mont_reduce(z, t->z, t->n.num, modulus);
    return (
        struct mont_lane){ .z = z, .x = z, .e = half->d, .e_bits = 64 * half->num, .m = *modulus };
}

/* z = mq + q ((mp - mq) qinv mod p) */
static void combine(struct task *t)
{
    uint64_t h[RSA_HALF_LIMBS], sum[2 * RSA_HALF_LIMBS] = { 0 };
    const struct modulus *const p = &t->p, *const q = &t->q;
    mont_reduce(h, t->mq, q->num, p);
    bn_mod_sub(h, t->mp, h, p->m, p->num);
    mont_product(h, h, t->job->key->qinv, p);
    memcpy(sum, t->mq, q->num * sizeof *sum);
    rsa_multiply_add(sum, h, p->num, q->m, q->num);
    memcpy(t->z, sum, t->n.num * sizeof *sum);
    WIPE(&h);
    WIPE(&sum);
}

static void private_powers(struct task *tasks, size_t num)
{
    struct lanes lanes = { .num = 0 };
    for (size_t i = 0; i < num; i++) {
        struct task *const t = &tasks[i];
        if (t->job->error)
            continue;
        add_lane(&lanes, t, half_lane(t->mp, t, &t->job->key->p, &t->p));
        add_lane(&lanes, t, half_lane(t->mq, t, &t->job->key->q, &t->q));
    }
    run_lanes(mont_lanes_power, &lanes);
    for (size_t i = 0; i < num; i++)
        if (!tasks[i].job->error)
            combine(&tasks[i]);
    WIPE(&lanes);
}

/* ---- whole operations ---- */

static void start(struct task *t, struct rsa_job *job)
{
    const struct rsa_key *const key = job->key;
    t->job = job;
    t->n = rsa_modulus(key);
    bn_from_bytes(t->x, key->num, job->bytes, key->bytes);
    uint64_t below = bn_less(t->x, key->n, key->num);
    CT_PUBLIC(&below, sizeof below);
    job->error = below ? make_blinding(t) : HR_ELENGTH;
}

static void finish(struct task *t)
{
    const struct rsa_key *const key = t->job->key;
    if (!t->job->error) {
        uint64_t same = bn_equal(t->r, t->x, key->num);
        CT_PUBLIC(&same, sizeof same);
        t->job->error = same ? 0 : HR_EFAULT;
    }
    if (t->job->error)
        memset(t->z, 0, sizeof t->z);
    bn_to_bytes(t->job->bytes, key->bytes, t->z);
}

static __attribute__((noinline)) void run(struct task *tasks, struct rsa_job *jobs, size_t num)
{
    for (size_t i = 0; i < num; i++)
        start(&tasks[i], &jobs[i]);
    public_powers(tasks, num, blinded);
    private_powers(tasks, num);
    public_powers(tasks, num, unblinded);
    public_powers(tasks, num, checked);
    for (size_t i = 0; i < num; i++)
        finish(&tasks[i]);
}

void rsa_private_many(struct rsa_job *jobs, size_t num)
{
    struct task tasks[RSA_MANY];
    while (num) {
        const size_t now = num < RSA_MANY ? num : RSA_MANY;
        run(tasks, jobs, now);
        jobs += now;
        num -= now;
    }
    pk_wipe_deep_stack();
    WIPE(&tasks);
}

int rsa_private(uint8_t *bytes, const struct rsa_key *key, int strict)
{
    struct rsa_job job = { .bytes = bytes, .key = key, .strict = strict };
    struct task task;
    run(&task, &job, 1);
    pk_wipe_deep_stack();
    WIPE(&task);
    return job.error;
}

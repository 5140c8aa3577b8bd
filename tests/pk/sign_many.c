/* SPDX-License-Identifier: Apache-2.0 */
/* sign_many [--quick] FILE...: hr_sign_many, hr_verify_many and local queues write what hr_job_run
 * writes: any number of jobs under unlike keys, of RSA (rsa_keys.h) and of others, right and
 * refused ones side by side; what spoils a job spoils no other. */
#include "sign_many.h"
#include "masks.h"
#include "stack_test.h"
#include <headrace/algorithms.h>

static int quick;
static struct set alone, together, queued;

/* ---- three ways ---- */

static void run_alone(struct hr_job *jobs, size_t num)
{
    for (size_t i = 0; i < num; i++)
        (void)hr_job_run(&jobs[i]);
}

static int first_error(const struct hr_job *jobs, size_t num)
{
    int error = 0;
    for (size_t i = 0; i < num && !error; i++)
        error = jobs[i].result;
    return error;
}

/* Submits some, polls without waiting, submits the rest, and polls for one or all of them. */
static void run_queued(struct hr_job *jobs, size_t num)
{
    static uint8_t memory[1 << 20];
    struct hr_job *list[MOST_JOBS], *done[MOST_JOBS];
    struct hr_queue *queue;
    const size_t first = random_below((uint32_t)num + 1);
    size_t left = num;
    for (size_t i = 0; i < num; i++)
        list[i] = &jobs[i];
    if (hr_queue_local(&queue, memory, sizeof memory, MOST_JOBS)) {
        complain("no queue");
        return;
    }
    if (hr_queue_submit(queue, list, first) != (int)first)
        complain("a queue takes too few");
    const int early = hr_queue_poll(queue, done, MOST_JOBS, 0);
    left -= early > 0 ? (size_t)early : 0;
    if (hr_queue_submit(queue, list + first, num - first) != (int)(num - first))
        complain("a queue takes too few");
    while (left) {
        const int n = hr_queue_poll(queue, done, MOST_JOBS, random_below(2) ? left : 1);
        if (n <= 0 || (size_t)n > left) {
            complain("a queue returns %d of %zu jobs", n, left);
            break;
        }
        left -= (size_t)n;
    }
    hr_queue_close(queue);
}

/* Lanes do not use each part of a key that one alone uses, so that a fault may leave the result
 * right. */
static int is_right(const struct set *set, size_t i)
{
    const struct recipe *const r = &set->recipe[i];
    if (!recipe_is_fault(r) || set->job[i].result)
        return 0;
    const struct rsa_key *const whole = inner(&keys[r->key]), *const key = set->job[i].key;
    return !memcmp(set->room[i].tag, right_signature(r), whole->bytes) &&
           (!r->verify || !memcmp(key->n, whole->n, sizeof key->n));
}

static void compare(const struct set *set, size_t num, const char *way)
{
    for (size_t i = 0; i < num; i++) {
        const int got = set->job[i].result, want = alone.job[i].result;
        const struct recipe *const r = &set->recipe[i];
        CT_PUBLIC(set->room[i].tag, sizeof set->room[i].tag);
        CT_PUBLIC(alone.room[i].tag, sizeof alone.room[i].tag);
        if (is_right(set, i))
            continue;
        if (got != want)
            complain("%s, %zu of %zu, %s: %s instead of %s", way, i, num, recipe_name(r),
                     hr_strerror(got), hr_strerror(want));
        if (memcmp(set->room[i].tag, alone.room[i].tag, sizeof alone.room[i].tag))
            complain("%s, %zu of %zu, %s: another result", way, i, num, recipe_name(r));
        if (recipe_is_fault(r) && !r->verify && !got)
            complain("%s, %s: a wrong signature leaves", way, recipe_name(r));
        if (!r->defect && got)
            complain("%s, %zu of %zu: %s", way, i, num, hr_strerror(got));
    }
}

static void check_set(const struct recipe *recipes, size_t num)
{
    make_set(&alone, recipes, num);
    make_set(&together, recipes, num);
    make_set(&queued, recipes, num);
    run_alone(alone.job, num);
    const int got = (recipes->verify ? hr_verify_many : hr_sign_many)(together.job, num);
    if (got != first_error(together.job, num))
        complain("%zu jobs: %s", num, hr_strerror(got));
    compare(&together, num, "together");
    run_queued(queued.job, num);
    compare(&queued, num, "queued");
}

/* ---- jobs ---- */

/* Long keys are rare, as they take long. */
static uint8_t any_key(void)
{
    const uint32_t i = random_below((uint32_t)num_keys + NUM_OTHERS);
    return (uint8_t)(i < num_keys && inner(&keys[i])->num > 32 && random_below(4) ? 0 : i);
}

static struct recipe any_recipe(int verify)
{
    return (struct recipe){ .key = any_key(),
                            .verify = (uint8_t)verify,
                            .padding = (uint8_t)random_below(NUM_PADDINGS),
                            .defect = (uint8_t)(random_below(4) ? 0 : random_below(num_defects)) };
}

static void check_fills(int verify)
{
    struct recipe recipes[MOST_JOBS];
    const size_t most = IS_MEMCHECK ? 3 : MOST_JOBS;
    for (size_t num = 1; num <= most; num += quick && num > 3 ? 4 : 1) {
        for (size_t i = 0; i < num; i++)
            recipes[i] =
                IS_MEMCHECK ? (struct recipe){ .verify = (uint8_t)verify } : any_recipe(verify);
        check_set(recipes, num);
    }
}

/* Each defect among jobs of one size, which share lanes: in every place, or in one. */
static void check_places(int verify, size_t places, int every)
{
    struct recipe recipes[RSA_MANY];
    for (size_t defect = 1; defect < num_defects; defect++)
        for (size_t at = 0; at < places && !complaints_suffice(); at++) {
            if (!every && at != defect % places)
                continue;
            for (size_t i = 0; i < RSA_MANY; i++)
                recipes[i] = (struct recipe){ .verify = (uint8_t)verify,
                                              .padding = (uint8_t)(i % NUM_PADDINGS) };
            recipes[at].defect = (uint8_t)defect;
            check_set(recipes, RSA_MANY);
        }
}

static void check_operations(const struct mont_lanes_kernel *kernel, int first)
{
    for (int verify = 0; verify < 2; verify++) {
        check_fills(verify);
        check_places(verify, IS_MEMCHECK ? 0 : kernel->lanes, first && !quick);
    }
}

static void check_kernels(uint64_t features, const char *name)
{
    check_masked(features, name, 8, 2 * RSA_MANY, check_operations);
}

/* Doubles have wrong results under memcheck, which does not round as it is told, so that each job
 * that computed with them would fail its check. */
static void check_strict(void)
{
    const uint64_t have = hr_cpu_features();
    cpu_override(have & ~CPU(AVX512IFMA));
    struct recipe recipes[4];
    for (int verify = 0; verify < 2; verify++) {
        for (size_t i = 0; i < COUNT_OF(recipes); i++)
            recipes[i] = (struct recipe){ .key = LONG_KEY, .verify = (uint8_t)verify, .strict = 1 };
        check_set(recipes, COUNT_OF(recipes));
    }
    cpu_override(have);
    tap(1, "strict");
}

/* ---- calls ---- */

static void check_calls(void)
{
    struct recipe recipes[2] = { { .key = 0 }, { .key = 0 } };
    if (hr_sign_many(NULL, 0) || hr_verify_many(NULL, 0) || hr_sign_many(NULL, 1) != HR_EINVAL ||
        hr_verify_many(NULL, 1) != HR_EINVAL)
        complain("no jobs");
    make_set(&together, recipes, 2);
    together.job[0].op = HR_JOB_VERIFY;
    if (hr_sign_many(together.job, 2) != HR_EINVAL || together.job[1].result)
        complain("verification is signed");
    if (hr_verify_many(together.job, 2) != HR_EMAC || together.job[1].result != HR_EINVAL)
        complain("a signature is verified");
    struct hr_job strangers[] = { { .alg = HR_ALG_NONE }, { .alg = HR_SHA256 }, { .alg = 0xffff } };
    if (hr_sign_many(strangers, 3) != HR_EALG || strangers[1].result != HR_EINVAL ||
        strangers[2].result != HR_EALG)
        complain("other classes are signed");
    together.job[0].op = HR_JOB_SIGN;
    const size_t lanes = hr_job_lanes(&together.job[0]);
    if (lanes != (pk_kind(&together.job[0]) ? PK_MANY : 1) || hr_job_lanes(NULL) != 1 ||
        hr_job_lanes(&strangers[0]) != 1 || hr_job_lanes(&strangers[1]) != 1 ||
        hr_job_lanes(&strangers[2]) != 1)
        complain("lanes");
    tap(1, "what is no signature");
}

/* ---- memory ---- */

static struct hr_job *list;
static size_t num_listed;

static void *sign_on_stack(void *unused)
{
    if (hr_sign_many(list, num_listed))
        complain("a signature");
    return unused;
}

static void *verify_on_stack(void *unused)
{
    if (hr_verify_many(list, num_listed))
        complain("a verification");
    return unused;
}

static void *queue_on_stack(void *unused)
{
    run_queued(list, num_listed);
    return unused;
}

static void check_stack(void *(*operations)(void *), const char *what)
{
    enum { MOST = 128 << 10 };
    const struct rsa_key *const key = inner(&keys[together.recipe[0].key]);
    on_stack(operations, NULL);
    if (!HAS_REDZONES && stack_use() > MOST)
        complain("%zu bytes of stack", stack_use());
    if (!HAS_WINDOWS) {
        look_for(key->p.p, key->p.num, "p");
        look_for(key->q.p, key->q.num, "q");
        look_for(key->p.d, key->p.num, "dp");
        look_for(key->qinv, key->p.num, "qinv");
    }
    tap(1, "%s: the stack", what);
}

static void check_stacks(void)
{
    struct recipe recipes[MOST_JOBS];
    for (size_t i = 0; i < MOST_JOBS; i++)
        recipes[i] = (struct recipe){ .key = LONG_KEY };
    make_set(&together, recipes, MOST_JOBS);
    list = together.job;
    num_listed = MOST_JOBS;
    check_stack(sign_on_stack, "signatures");
    make_set(&together, recipes, MOST_JOBS);
    check_stack(queue_on_stack, "a queue's signatures");
    for (size_t i = 0; i < MOST_JOBS; i++)
        recipes[i].verify = 1;
    make_set(&together, recipes, MOST_JOBS);
    check_stack(verify_on_stack, "verifications");
}

/* A job's verdict does not depend on how many there are, nor does the memory. */
static void check_many(void)
{
    const size_t num = quick ? 2000 : 20000, wrong = num / 3;
    const struct recipe recipe = { .verify = 1 };
    make_set(&together, &recipe, 1);
    list = malloc(num * sizeof *list);
    num_listed = num;
    for (size_t i = 0; i < num; i++)
        list[i] = together.job[0];
    check_stack(verify_on_stack, "thousands of verifications");
    list[wrong].tag = together.room[0].in;
    const int error = hr_verify_many(list, num);
    for (size_t i = 0; i < num; i++)
        if (list[i].result != (i == wrong ? HR_EMAC : 0))
            complain("job %zu: %d", i, list[i].result);
    free(list);
    tap(error == HR_EMAC, "one of %zu is wrong", num);
}

int main(int argc, char **argv)
{
    quick = argc > 1 && !strcmp(argv[1], "--quick");
    read_keys(argv + 1 + quick);
    tap(num_keys > LONG_KEY && !make_signatures(), "keys of %zu lengths", num_keys);
    if (!num_keys)
        return tap_done();
    if (IS_MEMCHECK) {
        check_strict();
    } else {
        check_kernels(UINT64_MAX, "the best lanes");
        check_kernels(~IFMA, "without IFMA");
        check_kernels(~(IFMA | CPU(AVX512F)), "without AVX-512");
    }
    check_kernels(~(IFMA | CPU(AVX512F) | CPU(FMA)), "one after the other");
    check_calls();
    if (!IS_MEMCHECK) {
        check_stacks();
        check_many();
    }
    return tap_done();
}

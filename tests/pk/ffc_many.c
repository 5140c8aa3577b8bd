/* SPDX-License-Identifier: Apache-2.0 */
/* ffc_many [--quick] FILE: jobs of DSA and DH side by side, under the keys of dsa.txt and keys of
 * named groups: hr_sign_many, hr_verify_many and local queues write what hr_job_run writes, for any
 * number of jobs, right and refused ones; what spoils a job spoils no other. */
#define _GNU_SOURCE
#include "class.h"
#include "dh/dh.h"
#include "dsa/dsa.h"
#include "jobs.h"
#include "lines.h"
#include "masks.h"
#include "pk/many.h"
#include "stack_test.h"
#include "test.h"

enum { MOST_JOBS = 2 * PK_MANY + 1, MOST_KEYS = IS_MEMCHECK ? 2 : 12, MOST_TAG = 600, DIGEST = 32 };

static int quick;

/* ---- keys ---- */

static struct hr_dsa_key dsa_keys[MOST_KEYS], dsa_public[MOST_KEYS];
static struct hr_dh_key dh_keys[MOST_KEYS], peers[MOST_KEYS];
static size_t num_dsa, num_dh;

static const char *const parts_names[] = { "p", "q", "g", "y", "x" };
enum { PARTS = 5 };
static struct bytes part[PARTS];

static void read_word(void *unused, const char *name, const char *value)
{
    read_part(part, parts_names, PARTS, name, value);
}

static void add_dh(const struct hr_dh_params *params)
{
    if (num_dh == MOST_KEYS)
        return;
    if (hr_dh_key_generate(&dh_keys[num_dh], params) || hr_dh_key_generate(&peers[num_dh], params))
        complain("a key of DH");
    num_dh++;
}

/* Takes a key unless one has its p: for DSA, and its group for DH, with and without q. */
static int take_key(const char *op, char *rest)
{
    memset(part, 0, sizeof part);
    if (strcmp(op, "key") || num_dsa == MOST_KEYS)
        return 0;
    for_words(rest, read_word, NULL);
    const struct hr_dsa_parts parts = { number_of(&part[0]), number_of(&part[1]),
                                        number_of(&part[2]), number_of(&part[3]),
                                        number_of(&part[4]) };
    if (!part[4].given || hr_dsa_key_init(&dsa_keys[num_dsa], &parts) ||
        hr_dsa_key_init_public(&dsa_public[num_dsa], &parts))
        return 0;
    for (size_t i = 0; i < num_dsa; i++)
        if (!memcmp(((struct dsa_key *)&dsa_keys[i])->p, ((struct dsa_key *)&dsa_keys[num_dsa])->p,
                    sizeof(uint64_t[DSA_LIMBS])))
            return 0;
    add_dh(&(struct hr_dh_params){ .p = parts.p, .q = parts.q, .g = parts.g });
    if (!num_dsa)
        add_dh(&(struct hr_dh_params){ .p = parts.p, .g = parts.g, .private_bits = 200 });
    num_dsa++;
    return 1;
}

static void add_groups(void)
{
    static const enum hr_dh_group groups[] = { HR_DH_FFDHE2048, HR_DH_MODP2048, HR_DH_FFDHE3072,
                                               HR_DH_FFDHE4096, HR_DH_FFDHE6144 };
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        add_dh(&(struct hr_dh_params){ .group = groups[i] });
}

/* ---- jobs ---- */

enum kind { SIGN, VERIFY, DERIVE, NUM_KINDS };
static const char *const kind_names[] = { "sign", "verify", "derive" };

/* The memory of a job. */
struct room {
    uint8_t in[MOST_TAG], tag[MOST_TAG];
    struct hr_dsa_key dsa;
    struct hr_dh_key dh;
};
struct set {
    struct hr_job job[MOST_JOBS];
    struct room room[MOST_JOBS];
};
static struct set alone, together;

static const uint8_t fresh[NONCE_FRESH] = { 3, 1, 4 };
/* Of the keys by turns, strict or not; verifications look at that alone. */
static const struct hr_sign_options options[] = { { .flags = HR_SIGN_DETERMINISTIC },
                                                  { .random = fresh },
                                                  { .flags =
                                                        HR_SIGN_DETERMINISTIC | HR_SIGN_STRICT },
                                                  { .flags = HR_SIGN_STRICT, .random = fresh } };
static const struct hr_dh_options dh_options[] = { { 0 }, { HR_DH_STRICT } };
enum { LENIENT, STRICT };
static uint8_t signatures[MOST_KEYS][64], publics[MOST_KEYS][MOST_TAG];

static void make_job(struct hr_job *job, struct room *room, enum kind kind, size_t key, int strict)
{
    memset(room->tag, 0xa5, sizeof room->tag);
    memset(room->in, 0x31, sizeof room->in);
    *job = (struct hr_job){ .op = kind == VERIFY ? HR_JOB_VERIFY : HR_JOB_SIGN,
                            .key_form = HR_KEY_OBJECT,
                            .in = room->in,
                            .len = DIGEST,
                            .tag = room->tag,
                            .result = 1 };
    if (kind == DERIVE) {
        memcpy(room->in, publics[key], sizeof room->in);
        job->len = hr_dh_size(&dh_keys[key]);
        job->key = memcpy(&room->dh, &dh_keys[key], sizeof room->dh);
        job->alg = (uint16_t)dh_class.key_alg(job->key);
        job->options = &dh_options[strict];
        return;
    }
    if (kind == VERIFY)
        memcpy(room->tag, signatures[key], sizeof signatures[key]);
    job->key = memcpy(&room->dsa, (kind == SIGN ? dsa_keys : dsa_public) + key, sizeof room->dsa);
    job->alg = (uint16_t)dsa_class.key_alg(job->key);
    job->options = &options[2 * strict + (int)(key % 2)];
}

static void make_signatures(void)
{
    for (size_t i = 0; i < num_dsa; i++) {
        struct hr_job job;
        make_job(&job, &alone.room[0], SIGN, i, LENIENT);
        if (hr_job_run(&job))
            complain("signature %zu", i);
        memcpy(signatures[i], job.tag, sizeof signatures[i]);
    }
    for (size_t i = 0; i < num_dh; i++) {
        size_t len = sizeof publics[i];
        if (hr_dh_public(publics[i], &len, &peers[i]))
            complain("public key %zu", i);
    }
}

/* ---- defects ---- */

static void no_output(struct hr_job *job, struct room *room)
{
    job->tag = NULL;
}
static void short_output(struct hr_job *job, struct room *room)
{
    job->tag_len = 17;
}
static void no_input(struct hr_job *job, struct room *room)
{
    job->in = NULL;
}
static void no_key(struct hr_job *job, struct room *room)
{
    job->key = NULL;
}
static void public_key(struct hr_job *job, struct room *room)
{
    if (job->key == &room->dsa)
        ((struct dsa_key *)&room->dsa)->kind = DSA_PUBLIC;
}
static void empty_key(struct hr_job *job, struct room *room)
{
    memset(&room->dsa, 0, sizeof room->dsa);
    memset(&room->dh, 0, sizeof room->dh);
}
static void changed_output(struct hr_job *job, struct room *room)
{
    room->tag[5] ^= 8;
}
static void zero_input(struct hr_job *job, struct room *room)
{
    memset(room->in, 0, sizeof room->in);
}
static void large_input(struct hr_job *job, struct room *room)
{
    memset(room->in, 0xff, sizeof room->in);
}
/* A public key of DH: of another order, in half of the cases. */
static void changed_input(struct hr_job *job, struct room *room)
{
    room->in[20] ^= 2;
}
static void in_place(struct hr_job *job, struct room *room)
{
    memcpy(room->tag, room->in, job->len);
    job->in = room->tag;
}
static void wrong_options(struct hr_job *job, struct room *room)
{
    static const struct hr_sign_options wrong = { .flags = HR_SIGN_PREHASH };
    static const struct hr_dh_options wrong_dh = { HR_DH_STRICT | HR_DH_UNPADDED };
    job->options = job->key == &room->dh ? (const void *)&wrong_dh : &wrong;
}
/* Faults: the modulus becomes even, or 1. */
static uint64_t *modulus(struct hr_job *job, struct room *room)
{
    return job->key == &room->dsa ? ((struct dsa_key *)&room->dsa)->p
                                  : ((struct dh_key *)&room->dh)->p;
}
static void even_modulus(struct hr_job *job, struct room *room)
{
    modulus(job, room)[0] ^= 1;
}
static void other_modulus(struct hr_job *job, struct room *room)
{
    modulus(job, room)[1] ^= 64;
}

static const struct {
    const char *name;
    void (*spoil)(struct hr_job *job, struct room *room);
    int is_fault;
} defects[] = {
    { "right", NULL, 0 },
    { "no output", no_output, 0 },
    { "a short output", short_output, 0 },
    { "no input", no_input, 0 },
    { "no key", no_key, 0 },
    { "a public key", public_key, 0 },
    { "an empty key", empty_key, 0 },
    { "a changed output", changed_output, 0 },
    { "input 0", zero_input, 0 },
    { "a large input", large_input, 0 },
    { "a changed input", changed_input, 0 },
    { "input in place", in_place, 0 },
    { "wrong options", wrong_options, 0 },
    { "an even modulus", even_modulus, 1 },
    { "another modulus", other_modulus, 1 },
};

/* ---- ways ---- */

static void run_together(struct hr_job *jobs, size_t num, enum kind kind)
{
    if (kind == DERIVE || random_below(2))
        run_queued(jobs, num);
    else if ((kind == SIGN ? hr_sign_many : hr_verify_many)(jobs, num) && num == 1 && !jobs->result)
        complain("one job fails");
}

struct recipe {
    size_t key[MOST_JOBS], defect[MOST_JOBS];
    int strict[MOST_JOBS];
};

static void make_set(struct set *set, const struct recipe *recipe, size_t num, enum kind kind)
{
    for (size_t i = 0; i < num; i++) {
        make_job(&set->job[i], &set->room[i], kind, recipe->key[i], recipe->strict[i]);
        if (recipe->defect[i])
            defects[recipe->defect[i]].spoil(&set->job[i], &set->room[i]);
    }
}

/* A fault leaves no right result, and of signatures that are checked none. */
static int is_good_fault(const struct recipe *recipe, size_t i, enum kind kind)
{
    const int checked = kind == VERIFY || (kind == SIGN && recipe->key[i] % 2 == 0);
    return defects[recipe->defect[i]].is_fault && (!checked || together.job[i].result);
}

static void compare(const struct recipe *recipe, size_t num, enum kind kind)
{
    for (size_t i = 0; i < num; i++) {
        const char *const defect = defects[recipe->defect[i]].name;
        const int got = together.job[i].result, want = alone.job[i].result;
        CT_PUBLIC(together.room[i].tag, MOST_TAG);
        CT_PUBLIC(alone.room[i].tag, MOST_TAG);
        if (IS_MEMCHECK || is_good_fault(recipe, i, kind))
            continue;
        if (got != want || (!recipe->defect[i] && got))
            complain("%s, key %zu, %zu of %zu, %s: %s instead of %s", kind_names[kind],
                     recipe->key[i], i, num, defect, hr_strerror(got), hr_strerror(want));
        else if (memcmp(together.room[i].tag, alone.room[i].tag, MOST_TAG))
            complain("%s, key %zu, %zu of %zu, %s: another result", kind_names[kind],
                     recipe->key[i], i, num, defect);
    }
}

static void check_set(const struct recipe *recipe, size_t num, enum kind kind)
{
    make_set(&alone, recipe, num, kind);
    make_set(&together, recipe, num, kind);
    for (size_t i = 0; i < num; i++)
        (void)hr_job_run(&alone.job[i]);
    run_together(together.job, num, kind);
    compare(recipe, num, kind);
}

/* ---- checks ---- */

/* Any keys, and now and then a defect; half of the sets are of one key, whose lanes are full. */
static void check_fills(enum kind kind)
{
    const size_t num_keys = kind == DERIVE ? num_dh : num_dsa, most = IS_MEMCHECK ? 3 : MOST_JOBS;
    for (size_t num = IS_MEMCHECK ? 3 : 1; num <= most; num += quick && num > 3 ? 6 : 1) {
        const size_t one = random_below((uint32_t)num_keys), mixed = random_below(2);
        struct recipe recipe = { 0 };
        for (size_t i = 0; i < num; i++) {
            recipe.key[i] = mixed && !IS_MEMCHECK ? random_below((uint32_t)num_keys) : one;
            recipe.defect[i] = random_below(5) ? 0 : random_below(COUNT_OF(defects));
            recipe.strict[i] = (int)random_below(2);
        }
        check_set(&recipe, num, kind);
    }
}

static void check_places(enum kind kind)
{
    for (size_t defect = 1; defect < COUNT_OF(defects) && !complaints_suffice(); defect++)
        for (size_t at = 0; at < PK_MANY; at++) {
            struct recipe recipe = { .key = { 0 } };
            recipe.defect[at] = defect;
            if (!quick || at == defect % PK_MANY)
                check_set(&recipe, PK_MANY, kind);
        }
}

/* Where lanes are of doubles, strict jobs share none; else they do as others. */
static void check_strict(enum kind kind)
{
    unsigned kinds[2];
    for (int strict = 0; strict < 2; strict++) {
        const struct hr_job *const job = &alone.job[0];
        make_job(&alone.job[0], &alone.room[0], kind, 0, strict);
        kinds[strict] = kind == DERIVE ? dh_kind(job) : dsa_kind(job);
    }
    const int doubles =
        mont_lanes_kernel(((struct dsa_key *)&dsa_keys[0])->num, PK_MANY, 0)->doubles;
    if (kinds[STRICT] != (doubles ? 0 : kinds[LENIENT]) || (doubles && !kinds[LENIENT]))
        complain("%s: kinds %u and %u", kind_names[kind], kinds[LENIENT], kinds[STRICT]);
}

static void check_kinds(const struct mont_lanes_kernel *kernel, int first)
{
    (void)kernel;
    (void)first;
    for (enum kind kind = 0; kind < NUM_KINDS; kind++) {
        check_strict(kind);
        check_fills(kind);
        if (!IS_MEMCHECK)
            check_places(kind);
    }
}

static void check_kernels(uint64_t features, const char *name)
{
    check_masked(features, name, 16, PK_MANY, check_kinds);
}

/* ---- memory ---- */

static size_t stack_jobs;

static void *run_on_stack(void *kind)
{
    run_queued(together.job, stack_jobs);
    return kind;
}

static void check_stack(enum kind kind, size_t key)
{
    enum { MOST = 128 << 10 };
    struct recipe recipe = { .key = { 0 } };
    stack_jobs = MOST_JOBS;
    for (size_t i = 0; i < MOST_JOBS; i++)
        recipe.key[i] = key;
    make_set(&together, &recipe, MOST_JOBS, kind);
    on_stack(run_on_stack, NULL);
    if (!HAS_REDZONES && stack_use() > MOST)
        complain("%zu bytes of stack", stack_use());
    if (!HAS_WINDOWS && kind == SIGN)
        look_for(((struct dsa_key *)&dsa_keys[key])->x, 2, "x");
    if (!HAS_WINDOWS && kind == DERIVE) {
        look_for(((struct dh_key *)&dh_keys[key])->x, 2, "x");
        look_for((uint64_t *)together.room[1].tag, 8, "a secret");
    }
    tap(1, "%s: the stack", kind_names[kind]);
}

int main(int argc, char **argv)
{
    quick = argc > 1 && !strcmp(argv[1], "--quick");
    if (argc < 2 || run_file(argv[1 + quick], take_key))
        return 1;
    add_groups();
    tap(num_dsa > 3 || (IS_MEMCHECK && num_dsa), "%zu keys of DSA, %zu of DH", num_dsa, num_dh);
    make_signatures();
    if (!IS_MEMCHECK) {
        check_kernels(UINT64_MAX, "the best lanes");
        check_kernels(~IFMA, "without IFMA");
    }
    check_kernels(~(IFMA | CPU(AVX512F)), "without AVX-512");
    check_kernels(~(IFMA | CPU(AVX512F) | CPU(FMA)), "one after the other");
    if (!IS_MEMCHECK) {
        check_stack(SIGN, 0);
        check_stack(VERIFY, 0);
        check_stack(DERIVE, num_dh - 2);
    }
    return tap_done();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel bench --profile: what units of three generations would have brought a program.  A
 * profile is a crossover table, by which this process's jobs go to a service or stay here. */
#define _GNU_SOURCE
#include "bench_profile.h"
#include <headrace/algorithms.h>
#include <headrace/classes.h>
#include <stdlib.h>
#include <string.h>

enum { T1 = 1, T2 = 2, RF = 4, NEAR = 64, MANY = 16, WHOLE = 16384 };
enum { SERVICE, PROGRAM, SERVICE_MANY, PROGRAM_MANY, NUM_SIDES };

/* `least`: bytes of the shortest message for which the way through the kernel was worth it. */
static const struct profile {
    const char *name;
    unsigned bit;
    size_t least;
    const char *title;
} profiles[] = {
    { "t1", T1, 0, "RSA, by a driver of the kernel, as in UltraSPARC T1" },
    { "t2", T2, 1024, "RSA, curves, AES, hashes, by a driver, as in UltraSPARC T2" },
    { "rf", RF, 0, "those and SHA-512, without system calls, as in Rainbow Falls" },
};

static const struct operation {
    hr_alg alg;
    uint8_t op;
    unsigned units; /* the profiles whose unit computes it */
    size_t sizes[3];
} operations[] = {
    { HR_RSA1024, HR_JOB_SIGN, T1 | T2 | RF, { PROFILE_DIGEST } },
    { HR_RSA2048, HR_JOB_SIGN, T1 | T2 | RF, { PROFILE_DIGEST } },
    { HR_RSA2048, HR_JOB_VERIFY, T1 | T2 | RF, { PROFILE_DIGEST } },
    { HR_ECDSA_P256, HR_JOB_SIGN, T2 | RF, { PROFILE_DIGEST } },
    { HR_ECDSA_P256, HR_JOB_VERIFY, T2 | RF, { PROFILE_DIGEST } },
    { HR_ECDSA_P384, HR_JOB_SIGN, T2 | RF, { PROFILE_DIGEST } },
    { HR_AES_128_CBC, HR_JOB_ENCRYPT, T2 | RF, { 64, 1024, WHOLE } },
    { HR_AES_128_CTR, HR_JOB_ENCRYPT, T2 | RF, { 64, 1024, WHOLE } },
    { HR_HMAC_MD5, HR_JOB_MAC, T2 | RF, { 64, 1024, WHOLE } },
    { HR_HMAC_SHA1, HR_JOB_MAC, T2 | RF, { 64, 1024, WHOLE } },
    { HR_HMAC_SHA256, HR_JOB_MAC, T2 | RF, { 64, 1024, WHOLE } },
    { HR_HMAC_SHA512, HR_JOB_MAC, RF, { 64, 1024, WHOLE } },
};

static bool is_public_key(const struct operation *o)
{
    return hr_class_pk(hr_class_of(hr_algorithm(o->alg)), o->op) != NULL;
}

static const char *word_of(const struct operation *o)
{
    const struct hr_class_info *info = hr_class_of(hr_algorithm(o->alg));
    return hr_class_op_word(is_public_key(o) ? hr_class_pk(info, o->op) : hr_class_op(info, o->op));
}

/* ---- the table ---- */

/* Jobs for which there is no rule stay in the program, but those of public key go to the service:
 * a rule for a load that is never reached keeps them. */
static void write_rules(FILE *out, const struct profile *p)
{
    enum { NEVER = 255 };
    fputs("# headrace accel crossover 1\n", out);
    for (size_t i = 0; i < COUNT(operations); i++) {
        const struct operation *o = &operations[i];
        const bool has = o->units & p->bit, pk = is_public_key(o);
        if (has || pk)
            tool_print(out, NULL, "%s %s %d %zu %d\n", hr_algorithm(o->alg)->name, word_of(o),
                       has ? 1 : NEVER, pk ? 0 : p->least, WHOLE);
    }
}

/* ---- one operation ---- */

struct sides_of {
    struct contender who[NUM_SIDES];
    struct bench_side *side[NUM_SIDES]; /* of others than public key */
    struct profile_pk *pk;
};

static int open_sides(struct sides_of *s, const struct operation *o, size_t size,
                      const struct bench_sides *sides)
{
    memset(s, 0, sizeof *s);
    if (is_public_key(o)) {
        s->pk = profile_pk_open(hr_algorithm(o->alg), o->op, MANY, sides);
        for (unsigned i = 0; s->pk && i < NUM_SIDES; i++)
            s->who[i] = profile_pk_side(s->pk, i % 2 == SERVICE, i >= SERVICE_MANY);
        return s->pk ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    for (unsigned i = 0; i < NUM_SIDES; i++) {
        const struct bench_work work = { hr_algorithm(o->alg), o->op, size, NEAR,
                                         i >= SERVICE_MANY ? MANY : 1 };
        s->side[i] =
            bench_open(&s->who[i], i % 2 == SERVICE ? BENCH_RING_64 : BENCH_LOCAL_64, &work, sides);
        if (!s->side[i])
            return EXIT_FAILURE;
    }
    for (unsigned i = 1; i < NUM_SIDES; i++)
        bench_share(s->side[i], s->side[0]);
    return EXIT_SUCCESS;
}

static void close_sides(struct sides_of *s)
{
    for (unsigned i = NUM_SIDES; i--;)
        bench_close(s->side[i]);
    profile_pk_close(s->pk);
}

/* Lets both sides of a ratio have the same jobs in a turn, and whole bunches of them. */
static void same_calls(struct race *race)
{
    for (unsigned i = 0; i < NUM_SIDES; i += 2) {
        const uint64_t bunch = i == SERVICE_MANY ? MANY : 1;
        const uint64_t a = race->calls[i], b = race->calls[i + 1], least = a < b ? a : b;
        race->calls[i] = race->calls[i + 1] = (least + bunch - 1) / bunch * bunch;
    }
}

/* Runs jobs that do not count for the time, and asks the service how many it had. */
static int count_served(struct profile_line *line, struct sides_of *s,
                        const struct bench_sides *sides)
{
    uint64_t before, after;
    if (profile_requests(&before, sides->service))
        return EXIT_FAILURE;
    for (unsigned i = 0; i < NUM_SIDES; i += 2)
        s->who[i].run(s->who[i].ctx, MANY);
    if (profile_requests(&after, sides->service))
        return EXIT_FAILURE;
    line->jobs = MANY * NUM_SIDES / 2;
    line->served = after - before;
    return EXIT_SUCCESS;
}

static int measure(struct profile_line *line, const struct operation *o, size_t size,
                   const struct bench_sides *sides, bool quick)
{
    static struct race race;
    struct sides_of s;
    int code = open_sides(&s, o, size, sides);
    *line = (struct profile_line){ hr_algorithm(o->alg), word_of(o), size, .many = MANY };
    if (!code)
        code = count_served(line, &s, sides);
    if (!code) {
        race_begin(&race, s.who, NUM_SIDES, quick ? 2e4 : 1e6);
        same_calls(&race);
        race_run(&race, s.who, quick ? 3 : 41);
    }
    for (unsigned i = 0; !code && i < 2; i++) {
        struct profile_ratio *r = &line->ratio[i];
        r->service = race_ns(&race, 2 * i + SERVICE);
        r->program = race_ns(&race, 2 * i + PROGRAM);
        r->low = race_ratio_quantile(&race, 2 * i + SERVICE, 2 * i + PROGRAM, 0.25);
        r->median = race_ratio_quantile(&race, 2 * i + SERVICE, 2 * i + PROGRAM, 0.5);
        r->high = race_ratio_quantile(&race, 2 * i + SERVICE, 2 * i + PROGRAM, 0.75);
    }
    close_sides(&s);
    return code;
}

/* ---- all ---- */

static int measure_all(struct profile_report *report, bool quick)
{
    int code = EXIT_SUCCESS;
    for (size_t i = 0; i < COUNT(operations); i++)
        for (size_t k = 0; k < COUNT(operations[i].sizes) && operations[i].sizes[k] && !code; k++)
            code = measure(&report->lines[report->num++], &operations[i], operations[i].sizes[k],
                           report->sides, quick);
    return code;
}

static int run(struct profile_report *report, const struct profile *p, const char *libcrypto,
               bool quick)
{
    struct private_service service = { 0 };
    struct bench_sides sides = { 0 };
    struct hr_queue *queue = NULL; /* keeps the connection, on which keys are lent */
    char *rules = NULL;
    size_t len;
    FILE *out = open_memstream(&rules, &len);
    if (!out)
        return tool_error("out of memory");
    write_rules(out, p);
    int code = fclose(out) ? tool_error("out of memory") : bench_private_rules(&service, rules);
    report->sides = &sides;
    if (!code)
        code = bench_sides_open(&sides, libcrypto, &service);
    if (!code && hr_queue_connect(&queue, service.socket))
        code = tool_error("accel: cannot connect to the service");
    if (!code)
        code = measure_all(report, quick);
    if (!code)
        code = profile_print(report);
    if (queue)
        hr_queue_close(queue);
    bench_sides_close(&sides);
    bench_private_stop(&service);
    free(rules);
    return code;
}

int bench_profile(const char *name, const char *libcrypto, bool quick, bool json)
{
    static struct profile_report report;
    for (size_t i = 0; i < COUNT(profiles); i++)
        if (!strcmp(name, profiles[i].name)) {
            report.name = profiles[i].name;
            report.title = profiles[i].title;
            report.json = json;
            return run(&report, &profiles[i], libcrypto, quick);
        }
    return tool_usage("accel bench: --profile takes t1, t2 or rf, not %s", name);
}

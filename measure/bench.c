/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel bench: measures the accelerator and the alternatives, in turns. */
#define _GNU_SOURCE
#include "bench.h"
#include <headrace/algorithms.h>
#include <headrace/classes.h>
#include <stdlib.h>
#include <string.h>

struct plan {
    unsigned slices;
    double slice_ns;
    unsigned rounds, round_ms; /* of crowds */
    size_t far;                /* bytes that no cache can hold */
};
static const struct plan careful = { 41, 1e6, 15, 60, 512 << 20 },
                         rough = { 3, 2e4, 2, 5, 8 << 20 };

enum { NEAR = 64 }; /* number of messages that stay in the caches */

/* ---- lines ---- */

static struct bench_line *add_line(struct bench_report *report, const struct bench_line *line)
{
    if (report->num == BENCH_MAX_LINES)
        abort();
    report->lines[report->num] = *line;
    return &report->lines[report->num++];
}

/* Sets the ratio from those of the turns; above 1 ours is better. */
static void set_ratio(struct bench_line *line, const double *ratios, unsigned num)
{
    line->ratio = race_quantile(ratios, num, 0.5);
    line->low = race_quantile(ratios, num, 0.25);
    line->high = race_quantile(ratios, num, 0.75);
}

/* Sets the times of two contenders, and the ratio of the times multiplied by `scale`. */
static void set_race(struct bench_line *line, const struct race *race, unsigned ours,
                     unsigned theirs, double scale)
{
    double ratios[RACE_SLICES];
    for (unsigned i = 0; i < race->slices; i++)
        ratios[i] = race->ns[theirs][i] / race->ns[ours][i] * scale;
    set_ratio(line, ratios, race->slices);
    line->ours = race_ns(race, ours);
    line->theirs = race_ns(race, theirs);
}

/* ---- pairs of ways, with one message at a time or 64 in flight ---- */

struct bar {
    enum hr_word word; /* of the row's first operation */
    size_t max_size;
    double bar;
};
static const struct pair {
    const char *group;
    enum bench_way ours, theirs;
    struct bar bars[3];
} pairs[] = {
    { "round trip: ring against a seqpacket service",
      BENCH_RING,
      BENCH_SEQ,
      { { HR_WORD_ENCRYPT, 64, 30 }, { HR_WORD_MAC, 64, 10 } } },
    { "throughput, 64 in flight: ring against a seqpacket service",
      BENCH_RING_64,
      BENCH_SEQ_64,
      { { HR_WORD_ENCRYPT, 256, 30 }, { HR_WORD_MAC, 64, 15 } } },
    { "throughput, 64 in flight: ring against OpenSSL's EVP in this process",
      BENCH_RING_64,
      BENCH_EVP,
      { { HR_WORD_ENCRYPT, 64, 4 }, { HR_WORD_MAC, 64, 6 } } },
    { "one job alone in the local queue against the direct call",
      BENCH_LOCAL,
      BENCH_DIRECT,
      { { HR_WORD_ENCRYPT, SIZE_MAX, 0.8 },
        { HR_WORD_MAC, SIZE_MAX, 0.8 },
        { HR_WORD_DIGEST, SIZE_MAX, 0.8 } } },
};

/* Lines without a required minimum, losses included. */
static const struct {
    const char *heading;
    enum bench_way ours, theirs;
} columns[] = {
    { "floor", BENCH_RING, BENCH_FLOOR },
    { "polling", BENCH_RING, BENCH_SEQ_SPIN },
    { "EVP", BENCH_RING, BENCH_EVP },
    { "direct", BENCH_RING, BENCH_DIRECT },
    { "floor", BENCH_RING_64, BENCH_FLOOR },
    { "EVP", BENCH_RING_64, BENCH_EVP },
    { "EVP+key", BENCH_RING_64, BENCH_EVP_KEY },
    { "direct", BENCH_RING_64, BENCH_DIRECT },
    { "local", BENCH_RING_64, BENCH_LOCAL_64 },
};

static const struct {
    hr_alg alg;
    uint8_t op;
    size_t sizes[5];
} rows[] = {
    { HR_AES_128_CTR, HR_JOB_ENCRYPT, { 16, 64 } },
    { HR_AES_128_CBC, HR_JOB_ENCRYPT, { 16, 64, 256, 1024 } },
    { HR_AES_128_CBC, HR_JOB_DECRYPT, { 64 } },
    { HR_HMAC_SHA256, HR_JOB_MAC, { 16, 64, 256, 1024, 4096 } },
    { HR_HMAC_SHA1, HR_JOB_MAC, { 64, 1024 } },
    { HR_HMAC_SHA512, HR_JOB_MAC, { 64, 1024 } },
    { HR_HMAC_MD5, HR_JOB_MAC, { 64, 1024 } },
    { HR_SHA256, HR_JOB_DIGEST, { 64, 1024 } },
};

static double bar_of(const struct pair *pair, const struct bench_work *work)
{
    for (size_t i = 0; i < COUNT(pair->bars); i++)
        if (pair->bars[i].word == hr_class_of(work->row)->ops[0].word &&
            work->size <= pair->bars[i].max_size)
            return pair->bars[i].bar;
    return 0;
}

static int same_outputs(struct bench_side *sides[], const struct contender *who, unsigned num)
{
    uint8_t first[64], other[64];
    for (unsigned i = 0; i < num; i++) {
        who[i].run(who[i].ctx, 1);
        bench_output(sides[i], i ? other : first);
        if (i && memcmp(first, other, sizeof first))
            return tool_error("accel: %s and %s differ", bench_way_titles[0], bench_way_titles[i]);
    }
    return EXIT_SUCCESS;
}

/* Measures all ways of one cell in one race, from which every pair takes its line. */
static int race_cell(struct race *race, const struct bench_work *work, const struct plan *plan,
                     const struct bench_sides *sides)
{
    struct bench_side *side[NUM_BENCH_WAYS] = { 0 };
    struct contender who[NUM_BENCH_WAYS];
    int code = EXIT_SUCCESS;
    for (unsigned way = 0; way < NUM_BENCH_WAYS && !code; way++)
        if (!(side[way] = bench_open(&who[way], way, work, sides)))
            code = EXIT_FAILURE;
    if (!code)
        code = same_outputs(side, who, NUM_BENCH_WAYS);
    if (!code) {
        race_begin(race, who, NUM_BENCH_WAYS, plan->slice_ns);
        race_run(race, who, plan->slices);
    }
    for (unsigned way = 0; way < NUM_BENCH_WAYS; way++)
        bench_close(side[way]);
    return code;
}

/* Makes the line for two ways of one cell. */
static void pair_line(struct bench_report *report, struct bench_line line, const struct race *race,
                      enum bench_way ours, enum bench_way theirs)
{
    line.unit = "ns";
    line.ours_name = bench_way_titles[ours];
    line.theirs_name = bench_way_titles[theirs];
    line.bar_is = line.bar > 0 ? BAR_LEAST : BAR_NONE;
    set_race(add_line(report, &line), race, ours, theirs, 1);
}

static void cell_lines(struct bench_report *report, const struct bench_work *work,
                       const struct race *race)
{
    for (size_t p = 0; p < COUNT(pairs); p++)
        if (bar_of(&pairs[p], work) > 0)
            pair_line(report,
                      (struct bench_line){ .part = PART_PAIRS,
                                           .group = pairs[p].group,
                                           .work = *work,
                                           .bar = bar_of(&pairs[p], work) },
                      race, pairs[p].ours, pairs[p].theirs);
    for (size_t i = 0; i < COUNT(columns); i++)
        pair_line(
            report,
            (struct bench_line){ .part = PART_MATRIX, .group = columns[i].heading, .work = *work },
            race, columns[i].ours, columns[i].theirs);
}

static int measure_pairs(struct bench_report *report, const struct plan *plan)
{
    static struct race race;
    for (size_t r = 0; r < COUNT(rows); r++)
        for (size_t i = 0; i < COUNT(rows[r].sizes) && rows[r].sizes[i]; i++) {
            const struct bench_work work = { hr_algorithm(rows[r].alg), rows[r].op,
                                             rows[r].sizes[i], NEAR, 0 };
            const int code = race_cell(&race, &work, plan, report->sides);
            if (code)
                return code;
            if (!r && !i)
                add_line(report, &(struct bench_line){ .part = PART_PAIRS,
                                                       .group = "round trip: ring, both spinning",
                                                       .work = work,
                                                       .unit = "ns",
                                                       .ours_name = bench_way_titles[BENCH_RING],
                                                       .ours = race_ns(&race, BENCH_RING),
                                                       .bar_is = BAR_MOST,
                                                       .bar = 350 });
            cell_lines(report, &work, &race);
        }
    return EXIT_SUCCESS;
}

/* ---- the peak rate of a kernel: messages of 16 KiB in the lanes of this thread's queue ---- */

enum { PEAK_SIZE = 16 << 10, PEAK_OBJECT = 1 << 10 };

static const struct {
    hr_alg alg;
    double bar;
} peaks[] = {
    { HR_HMAC_SHA256, 0.60 }, { HR_HMAC_SHA1, 0.60 },   { HR_HMAC_SHA512, 0.60 },
    { HR_HMAC_MD5, 0.60 },    { HR_AES_128_CBC, 0.45 }, { HR_AES_256_CBC, 0.45 },
};

static int measure_peak(struct bench_report *report, const struct plan *plan, size_t row)
{
    static struct race race;
    static const struct {
        enum bench_way way;
        const char *note;
    } shares[] = { { BENCH_RING_64, "in cache" },
                   { BENCH_RING_64, "in DRAM" },
                   { BENCH_LOCAL_64, "in cache" },
                   { BENCH_LOCAL_64, "in DRAM" } };
    enum { PEAK = COUNT(shares), NUM };
    const struct hr_algorithm *alg = hr_algorithm(peaks[row].alg);
    struct bench_side *side[NUM] = { 0 };
    struct contender who[NUM];
    int code = EXIT_SUCCESS;
    for (unsigned i = 0; i < NUM && !code; i++) {
        const struct bench_work work = { alg, HR_JOB_MAC, i == PEAK ? PEAK_SIZE : PEAK_OBJECT,
                                         i == PEAK ? 16
                                         : i & 1   ? plan->far / PEAK_OBJECT
                                                   : NEAR,
                                         0 };
        side[i] =
            bench_open(&who[i], i == PEAK ? BENCH_LOCAL_64 : shares[i].way, &work, report->sides);
        code = side[i] ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (!code) {
        /* A turn fits hundreds of the large messages. */
        race_begin(&race, who, NUM, 4 * plan->slice_ns);
        race_run(&race, who, plan->slices);
    }
    for (unsigned i = 0; i < NUM && !code; i++) {
        if (i == PEAK)
            continue;
        struct bench_line line = {
            .part = PART_PEAK,
            .group = shares[i].way == BENCH_RING_64
                         ? "share of the kernel's peak speed: messages of 1 KiB, 64 in flight"
                         : "the same in the local queue",
            .work = { alg, HR_JOB_MAC, PEAK_OBJECT, NEAR, 0 },
            .note = shares[i].note,
            .unit = "ns",
            .ours_name = bench_way_titles[shares[i].way],
            .theirs_name = "peak, of 16 KiB",
            .bar = shares[i].way == BENCH_RING_64 ? peaks[row].bar : 0
        };
        line.bar_is = line.bar > 0 ? BAR_LEAST : BAR_NONE;
        set_race(add_line(report, &line), &race, i, PEAK, (double)PEAK_OBJECT / (double)PEAK_SIZE);
    }
    for (unsigned i = 0; i < NUM; i++)
        bench_close(side[i]);
    return code;
}

/* ---- many processes ---- */

struct crowd_lines {
    const char *group;
    hr_alg alg;
    size_t size;
    struct crowd_plan ours, theirs; /* num_cpus is set later */
    bool cpu;                       /* compare CPU time of the clients, else requests per second */
    double bar;
};

static const char processes[] = "16 processes, one request at a time: their CPU time for each";
static const char together[] = "16 processes, one request at a time: what they get done";
static const char machine[] = "whole machine: N-1 cores of clients and an accelerator against EVP "
                              "on all cores";
static const struct crowd_lines crowds[] = {
    { processes, HR_HMAC_SHA256, 1024, { BENCH_RING, 16, 0 }, { BENCH_EVP, 16, 0 }, true, 1.5 },
    { processes, HR_HMAC_SHA256, 4096, { BENCH_RING, 16, 0 }, { BENCH_EVP, 16, 0 }, true, 2 },
    { processes, HR_HMAC_SHA512, 1024, { BENCH_RING, 16, 0 }, { BENCH_EVP, 16, 0 }, true, 1.5 },
    { processes, HR_HMAC_SHA512, 4096, { BENCH_RING, 16, 0 }, { BENCH_EVP, 16, 0 }, true, 2 },
    { machine, HR_HMAC_SHA256, 64, { BENCH_RING_64, 0, 0 }, { BENCH_EVP, 0, 0 }, false, 1.5 },
    { machine, HR_HMAC_SHA256, 1024, { BENCH_RING_64, 0, 0 }, { BENCH_EVP, 0, 0 }, false, 1.5 },
    { machine, HR_HMAC_SHA512, 1024, { BENCH_RING_64, 0, 0 }, { BENCH_EVP, 0, 0 }, false, 1.5 },
    { machine, HR_SHA256, 64, { BENCH_RING_64, 0, 0 }, { BENCH_EVP, 0, 0 }, false, 1.5 },
    { machine, HR_SHA256, 1024, { BENCH_RING_64, 0, 0 }, { BENCH_EVP, 0, 0 }, false, 1.5 },
    { machine, HR_AES_128_CBC, 64, { BENCH_RING_64, 0, 0 }, { BENCH_EVP, 0, 0 }, false, 0 },
    { machine, HR_AES_128_CBC, 1024, { BENCH_RING_64, 0, 0 }, { BENCH_EVP, 0, 0 }, false, 0 },
};

static void crowd_line(struct bench_report *report, const struct crowd_lines *c,
                       const struct crowd_result results[2], unsigned rounds, bool cpu)
{
    double ratios[BENCH_ROUNDS];
    struct bench_line line = { .part = !c->cpu ? PART_MACHINE
                                       : cpu   ? PART_PROCESSES
                                               : PART_TOGETHER,
                               .group = c->cpu && !cpu ? together : c->group,
                               .work = { hr_algorithm(c->alg), 0, c->size, NEAR, 0 },
                               .unit = cpu ? "ns" : "requests/s",
                               .ours_name = bench_way_titles[c->ours.way],
                               .theirs_name = bench_way_titles[c->theirs.way],
                               .bar = c->cpu == cpu ? c->bar : 0 };
    line.bar_is = line.bar > 0 ? BAR_LEAST : BAR_NONE;
    for (unsigned i = 0; i < rounds; i++)
        ratios[i] = cpu ? results[1].cpu_ns[i] / results[0].cpu_ns[i]
                        : results[0].rate[i] / results[1].rate[i];
    set_ratio(&line, ratios, rounds);
    line.ours = race_quantile(cpu ? results[0].cpu_ns : results[0].rate, rounds, 0.5);
    line.theirs = race_quantile(cpu ? results[1].cpu_ns : results[1].rate, rounds, 0.5);
    add_line(report, &line);
}

static int measure_crowd(struct bench_report *report, const struct plan *plan,
                         const struct crowd_lines *c, bool cpu)
{
    static struct crowd_result results[2];
    const int num_cpus = report->sides->service->num_cpus;
    const struct bench_work work = { hr_algorithm(c->alg), 0, c->size, NEAR, 0 };
    struct crowd_plan plans[2] = { c->ours, c->theirs };
    plans[0].num_cpus = num_cpus > 1 ? num_cpus - 1 : 1;
    plans[1].num_cpus = num_cpus;
    for (int side = 0; side < 2; side++)
        if (!plans[side].processes)
            plans[side].processes = (unsigned)plans[side].num_cpus;
    const int code =
        bench_crowd_race(results, plans, &work, report->sides, plan->rounds, plan->round_ms);
    if (code)
        return code;
    crowd_line(report, c, results, plan->rounds, cpu);
    if (c->cpu)
        crowd_line(report, c, results, plan->rounds, false);
    return code;
}

/* ---- the command ---- */

static bool json, quick;
static const char *only, *libcrypto, *socket_path, *profile;

static int measure_crowds(struct bench_report *report, const struct plan *plan, bool cpu)
{
    int code = EXIT_SUCCESS;
    for (size_t i = 0; i < COUNT(crowds) && !code; i++)
        if (crowds[i].cpu == cpu)
            code = measure_crowd(report, plan, &crowds[i], cpu);
    return code;
}

static int measure_processes(struct bench_report *report, const struct plan *plan)
{
    return measure_crowds(report, plan, true);
}

static int measure_machine(struct bench_report *report, const struct plan *plan)
{
    return measure_crowds(report, plan, false);
}

static int measure_peaks(struct bench_report *report, const struct plan *plan)
{
    int code = EXIT_SUCCESS;
    for (size_t i = 0; i < COUNT(peaks) && !code; i++)
        code = measure_peak(report, plan, i);
    return code;
}

/* Crowds are measured first, because this process connects to the service later. */
static const struct {
    const char *name;
    int (*measure)(struct bench_report *report, const struct plan *plan);
} parts[] = {
    { "processes", measure_processes },
    { "machine", measure_machine },
    { "pairs", measure_pairs },
    { "peak", measure_peaks },
};

static int check_only(void)
{
    for (size_t i = 0; i < COUNT(parts); i++)
        if (!only || !strcmp(only, parts[i].name))
            return EXIT_SUCCESS;
    return tool_usage("accel bench: --only takes processes, machine, pairs or peak, not %s", only);
}

static int bench_all(void)
{
    static struct bench_report report;
    struct private_service service = { 0 };
    struct bench_sides sides = { 0 };
    const struct plan *plan = quick ? &rough : &careful;
    report.sides = &sides;
    int code = check_only();
    if (!code)
        code = bench_private_start(&service, socket_path, NULL);
    if (!code)
        code = bench_sides_open(&sides, libcrypto, &service);
    for (size_t i = 0; i < COUNT(parts) && !code; i++)
        if (!only || !strcmp(only, parts[i].name))
            code = parts[i].measure(&report, plan);
    if (!code && json)
        code = bench_print_json(&report);
    else if (!code)
        bench_print(&report);
    bench_sides_close(&sides);
    bench_private_stop(&service);
    return code;
}

static int bench_main(int argc, char **argv)
{
    int code;
    if (profile && (only || socket_path))
        code = tool_usage("accel bench: --profile has parts and a service of its own");
    else
        code = profile ? bench_profile(profile, libcrypto, quick, json) : bench_all();
    return tool_finish(code);
}

static const struct tool_option options[] = {
    { "json", 'j', NULL, "machine-readable output", &json, NULL },
    { "quick", 'q', NULL, "measure for seconds only: figures are rough", &quick, NULL },
    { "only", 'o', "PART", "measure only processes, machine, pairs or peak", NULL, &only },
    { "profile", 'p', "NAME", "what a unit as in t1, t2 or rf would bring", NULL, &profile },
    { "socket", 's', "PATH", "use this service instead of starting one", NULL, &socket_path },
    { "libcrypto", 'l', "FILE", "use this libcrypto instead of the system's", NULL, &libcrypto },
    { .name = NULL },
};

const struct command accel_bench_command = {
    .name = "accel bench",
    .summary = "compare the accelerator with sockets, OpenSSL and direct calls",
    .options = options,
    .main = bench_main,
    .no_operands = true,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel calibrate: from which size and depth on the accelerator beats this thread's own
 * queue, by row and operation; and with --check, that clients which go by the table in force are
 * nowhere slower than without a service. */
#define _GNU_SOURCE
#include "../accel/crossover.h"
#include "accel.h"
#include "accel_bench.h"
#include "algorithm.h"
#include "file.h"
#include "speed.h"
#include <stdlib.h>
#include <string.h>

static const size_t sizes[] = { 16, 64, 256, 1024, 4096, 16384 };
static const uint8_t depths[] = { 1, 4, 16, 64 };
enum { NUM_CELL_SIZES = COUNT(sizes), NUM_DEPTHS = COUNT(depths), NEAR = 64 };

struct plan {
    unsigned first, more, rounds; /* turns: to begin with, and while a cell is in doubt */
    unsigned passes;              /* over all cells whose verdict matters */
    double slice_ns;
};
enum { PASSES = 5 };
static const struct plan careful = { 15, 16, 4, PASSES, 3e5 }, rough = { 3, 2, 1, 1, 2e4 };

/* How figures become a verdict.  Other work comes and goes while this measures, and the ring, which
 * wants two CPUs, suffers more. */
struct judge {
    double line;                /* at which a verdict changes */
    double of_turns, of_passes; /* the quantiles that count */
    double price_ns;            /* of a job, that does not count */
    bool above;                 /* what is looked at again */
    bool together;              /* and by all turns' time: one in which the accelerator lost its
                                   CPU costs what many others gain */
};

/* What the ring has to gain (a tie today is a loss under another load), and that by three of four
 * turns of each pass, with all other cells between two passes. */
static const struct judge writer = {
    .line = 1.1, .of_turns = 0.25, .of_passes = 0, .above = true, .together = true
};

/* "Never slower than local by more than 5 %": lost is what loses in four of five passes, each by
 * most of its turns.  To find out that a job runs here takes a client's queue some 10 ns, which is
 * more of the shortest. */
static const struct judge checker = {
    .line = 0.95, .of_turns = 0.5, .of_passes = 0.75, .price_ns = 15
};

/* ---- one row, operation and size: the ring and the local queue at every depth ---- */

struct cell_race {
    struct bench_side *side[2 * NUM_DEPTHS];
    struct contender who[2 * NUM_DEPTHS];
    struct race race;
    double ratio[NUM_DEPTHS]; /* above 1: the ring is faster */
};

/* By turns: the accelerator has slept before each turn of the ring, as it has under a table that
 * leaves other depths here. */
static unsigned ring_at(unsigned depth)
{
    return 2 * depth;
}
static unsigned local_at(unsigned depth)
{
    return 2 * depth + 1;
}

static int open_cell(struct cell_race *c, struct bench_work work, const struct bench_sides *sides)
{
    memset(c, 0, sizeof *c);
    for (unsigned d = 0; d < NUM_DEPTHS; d++) {
        work.depth = depths[d];
        c->side[ring_at(d)] = bench_open(&c->who[ring_at(d)], BENCH_RING_64, &work, sides);
        c->side[local_at(d)] = bench_open(&c->who[local_at(d)], BENCH_LOCAL_64, &work, sides);
        if (!c->side[ring_at(d)] || !c->side[local_at(d)])
            return EXIT_FAILURE;
    }
    /* where messages lie in the caches is the same for all */
    for (unsigned i = 1; i < 2 * NUM_DEPTHS; i++)
        bench_share(c->side[i], c->side[0]);
    return EXIT_SUCCESS;
}

static double ratio_of(const struct race *race, unsigned ours, unsigned theirs,
                       const struct judge *judge)
{
    double ratios[RACE_SLICES], all_mine = 0, all_other = 0;
    for (unsigned i = 0; i < race->slices; i++) {
        const double mine = race->ns[ours][i], other = race->ns[theirs][i];
        const double priced = mine - other < judge->price_ns ? other : mine - judge->price_ns;
        ratios[i] = other / (mine < other ? mine : priced);
        all_mine += mine;
        all_other += other;
    }
    const double most = race_quantile(ratios, race->slices, judge->of_turns);
    return judge->together && all_other < most * all_mine ? all_other / all_mine : most;
}

/* Both sides of a ratio have their lanes as full as each other. */
static void same_calls(struct race *race)
{
    for (unsigned d = 0; d < NUM_DEPTHS; d++) {
        uint64_t *ring = &race->calls[ring_at(d)], *local = &race->calls[local_at(d)];
        *ring = *local = *ring < *local ? *ring : *local;
    }
}

/* Turns until each ratio is away from where a verdict would change. */
static void race_cell(struct cell_race *c, const struct plan *plan, const struct judge *judge)
{
    const double line = judge->line;
    race_begin(&c->race, c->who, 2 * NUM_DEPTHS, plan->slice_ns);
    same_calls(&c->race);
    race_run(&c->race, c->who, plan->first);
    for (unsigned round = 0;; round++) {
        bool doubt = false;
        for (unsigned d = 0; d < NUM_DEPTHS; d++) {
            c->ratio[d] = ratio_of(&c->race, ring_at(d), local_at(d), judge);
            doubt = doubt || (c->ratio[d] > line * 0.93 && c->ratio[d] < line * 1.03);
        }
        if (!doubt || round == plan->rounds)
            break;
        race_run(&c->race, c->who, plan->more);
    }
}

static int measure_cell(double ratio[NUM_DEPTHS], const struct bench_work *work,
                        const struct plan *plan, const struct judge *judge,
                        const struct bench_sides *sides)
{
    static struct cell_race c;
    const int code = open_cell(&c, *work, sides);
    if (!code)
        race_cell(&c, plan, judge);
    memcpy(ratio, c.ratio, sizeof c.ratio);
    for (unsigned i = 2 * NUM_DEPTHS; i--;)
        bench_close(c.side[i]);
    return code;
}

/* ---- all of them ---- */

struct measured {
    struct bench_work work;
    double ratio[NUM_DEPTHS]; /* of all passes */
    double pass[NUM_DEPTHS][PASSES];
    unsigned passes;
};
struct measurement {
    size_t num;
    struct measured cells[2 * 64 * NUM_CELL_SIZES];
};

/* Digests, MACs and ciphers; what finds accidents only is done before it is told. */
static bool measures(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_MAC || row->cls == HR_CLASS_CIPHER ||
           (row->cls == HR_CLASS_DIGEST && !(row->flags & HR_CHECKSUM_ONLY));
}

static void list_cells(struct measurement *m, const struct hr_algorithm *only)
{
    const struct hr_algorithm *row;
    m->num = 0;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        for (uint8_t op = 0; measures(row) && op < (row->cls == HR_CLASS_CIPHER ? 2 : 1); op++)
            for (size_t s = 0; s < NUM_CELL_SIZES && m->num < COUNT(m->cells); s++)
                if (!only || row == only)
                    m->cells[m->num++] =
                        (struct measured){ .work = { row, op, sizes[s], NEAR, 0 } };
}

static void add_pass(struct measured *cell, const double ratio[NUM_DEPTHS],
                     const struct judge *judge)
{
    for (unsigned d = 0; d < NUM_DEPTHS; d++) {
        cell->pass[d][cell->passes] = ratio[d];
        cell->ratio[d] = race_quantile(cell->pass[d], cell->passes + 1, judge->of_passes);
    }
    cell->passes++;
}

static bool in_question(const struct measured *cell, const struct judge *judge)
{
    for (unsigned d = 0; d < NUM_DEPTHS; d++)
        if (!cell->passes || (cell->ratio[d] >= judge->line) == judge->above)
            return true;
    return false;
}

static int measure_all(struct measurement *m, const struct plan *plan, const struct judge *judge,
                       const struct bench_sides *sides)
{
    int code = EXIT_SUCCESS;
    for (size_t n = 0; n < plan->passes * m->num && !code; n++) {
        struct measured *at = &m->cells[n % m->num];
        const struct cell cell = { at->work.row, (enum hr_op)at->work.op, at->work.size };
        double ratio[NUM_DEPTHS];
        if (!in_question(at, judge))
            continue;
        speed_progress(&cell, n, plan->passes * m->num);
        code = measure_cell(ratio, &at->work, plan, judge, sides);
        add_pass(at, ratio, judge);
    }
    speed_progress(NULL, 0, 0);
    return code;
}

/* ---- the table ---- */

/* A rule holds for greater depths too: it must win at each. */
static bool wins(const struct measured *cell, unsigned depth)
{
    for (unsigned d = depth; d < NUM_DEPTHS; d++)
        if (cell->ratio[d] < writer.line)
            return false;
    return true;
}

static const char *op_word(const struct bench_work *work)
{
    return work->row->cls == HR_CLASS_CIPHER ? work->op ? "decrypt" : "encrypt"
           : work->row->cls == HR_CLASS_MAC  ? "mac"
                                             : "hash";
}

/* Whether a lesser depth has told it already. */
static bool told(const struct measured *cells, unsigned depth, size_t first, size_t last)
{
    for (size_t s = first; depth && s <= last; s++)
        if (!wins(&cells[s], depth - 1))
            return false;
    return depth > 0;
}

/* Sizes next to each other at which the ring wins make a rule; cells are one row's and operation's.
 */
static void write_rules(FILE *out, const struct measured *cells, unsigned depth, const char *word)
{
    for (size_t s = 0; s < NUM_CELL_SIZES; s++) {
        const size_t first = s;
        if (!wins(&cells[s], depth))
            continue;
        while (s + 1 < NUM_CELL_SIZES && wins(&cells[s + 1], depth))
            s++;
        if (!told(cells, depth, first, s))
            fprintf(out, "%s %s %u %zu %zu\n", cells->work.row->name, word, depths[depth],
                    sizes[first], sizes[s]);
    }
}

static void write_table(FILE *out, const struct measurement *m)
{
    fputs("# headrace accel crossover 1\n"
          "# row, operation, jobs in the queue at least, bytes of a job from and to\n",
          out);
    for (size_t i = 0; i < m->num; i += NUM_CELL_SIZES) {
        const struct bench_work *work = &m->cells[i].work;
        for (unsigned d = 0; d < NUM_DEPTHS; d++)
            write_rules(out, &m->cells[i], d, op_word(work));
        for (unsigned d = 0; d < NUM_DEPTHS && work->row->cls == HR_CLASS_MAC; d++)
            write_rules(out, &m->cells[i], d, "verify");
    }
}

/* ---- the command ---- */

static bool check, json, quick;
static const char *output, *table = "/var/lib/headrace/accel-crossover", *only;

static int give_table(const struct measurement *m)
{
    static struct crossover read_back;
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    if (!out)
        return tool_error("out of memory");
    write_table(out, m);
    int code = fclose(out) ? tool_error("out of memory") : EXIT_SUCCESS;
    if (!code && crossover_parse(&read_back, text, len))
        code = tool_error("accel calibrate: line %zu of the table is wrong",
                          crossover_parse(&read_back, text, len));
    if (!code && output)
        code = file_replace(output, text, len, NULL);
    else if (!code)
        fputs(text, stdout);
    free(text);
    return code;
}

static int give_worst(const struct measurement *m)
{
    const struct measured *worst = NULL;
    unsigned worst_depth = 0;
    for (size_t i = 0; i < m->num; i++)
        for (unsigned d = 0; d < NUM_DEPTHS; d++)
            if (!worst || m->cells[i].ratio[d] < worst->ratio[worst_depth]) {
                worst = &m->cells[i];
                worst_depth = d;
            }
    if (!worst)
        return tool_error("accel calibrate: nothing was measured");
    if (!json)
        printf("worst of %zu cells: %s %s, %zu bytes, %u in the queue: %.2f times as fast as local "
               "(at least %.2f is wanted), but for %.0f ns a job that the choice costs\n",
               m->num * NUM_DEPTHS, worst->work.row->name, op_word(&worst->work), worst->work.size,
               depths[worst_depth], worst->ratio[worst_depth], checker.line, checker.price_ns);
    return worst->ratio[worst_depth] < checker.line ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int give_json(const struct measurement *m)
{
    json_t *root = json_object(), *cells = json_array();
    speed_add_facts(root);
    for (size_t i = 0; i < m->num; i++)
        for (unsigned d = 0; d < NUM_DEPTHS; d++)
            json_array_append_new(cells, json_pack("{s:s, s:s, s:I, s:i, s:f}", "algorithm",
                                                   m->cells[i].work.row->name, "operation",
                                                   op_word(&m->cells[i].work), "size",
                                                   (json_int_t)m->cells[i].work.size, "depth",
                                                   (int)depths[d], "ratio", m->cells[i].ratio[d]));
    json_object_set_new(root, "cells", cells);
    const int code = speed_print_json(root);
    json_decref(root);
    return code;
}

/* The service that is measured would take a table that is not there for none, and end over a wrong
 * one. */
static int check_table(void)
{
    static struct crossover parsed;
    size_t len;
    char *text = file_read(table, &len);
    if (!text)
        return EXIT_FAILURE;
    const size_t wrong = crossover_parse(&parsed, text, len);
    free(text);
    return wrong ? tool_error("%s: line %zu is no rule of headrace accel calibrate", table, wrong)
                 : EXIT_SUCCESS;
}

static int prepare(const struct hr_algorithm **row)
{
    if (check && output)
        return tool_usage("accel calibrate: --check writes no table");
    *row = only ? tool_algorithm(only) : NULL;
    if (only && (!*row || !measures(*row)))
        return *row ? tool_usage("accel calibrate: %s always runs here", only) : EXIT_USAGE;
    if (check)
        return check_table();
    return output ? file_may_replace(output, false) : EXIT_SUCCESS;
}

static int calibrate_main(int argc, char **argv)
{
    static struct measurement m;
    const struct plan *plan = quick ? &rough : &careful;
    const struct hr_algorithm *row = NULL;
    struct private_service service = { 0 };
    struct bench_sides sides = { .service = &service };
    int code = prepare(&row);
    if (!code)
        code = private_service_start(&service, NULL, check ? table : NULL);
    if (!code) {
        list_cells(&m, row);
        race_heed(private_service_delay, &service);
        code = measure_all(&m, plan, check ? &checker : &writer, &sides);
    }
    private_service_stop(&service);
    if (!code && json)
        code = give_json(&m);
    if (!code && check)
        code = give_worst(&m);
    if (!code && !check && (output || !json))
        code = give_table(&m);
    return tool_finish(code);
}

static const struct tool_option options[] = {
    { "check", 'c', NULL, "with a table in force: fail where clients lose", &check, NULL },
    { "table", 't', "FILE", "that table, instead of the service's", NULL, &table },
    { "output", 'o', "FILE", "write the table to FILE", NULL, &output },
    { "row", 'r', "ALGORITHM", "this row alone", NULL, &only },
    { "quick", 'q', NULL, "a rough look: verdicts may be wrong", &quick, NULL },
    { "json", 'j', NULL, "what was measured, machine-readable", &json, NULL },
    { .name = NULL },
};

const struct command accel_calibrate_command = {
    .name = "accel calibrate",
    .summary = "measure where the accelerator beats local calls, for its clients",
    .options = options,
    .main = calibrate_main,
    .no_operands = true,
};

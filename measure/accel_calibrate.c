/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel calibrate: finds the sizes and depths from which on the accelerator is faster
 * than this thread's own queue, for each row and operation, and the loads from which on it is for
 * public key (unit/calibrate_unit.h). With --check it verifies that clients that use the current
 * table are nowhere more than 5 % slower than without a service. */
#define _GNU_SOURCE
#include "../accel/crossover.h"
#include "../cli/algorithm.h"
#include "../cli/file.h"
#include "bench.h"
#include "speed.h"
#include "unit/calibrate_unit.h"
#include <stdlib.h>
#include <string.h>

static const size_t sizes[] = { 16, 64, 256, 1024, 4096, 16384 };
static const uint8_t depths[] = { 1, 4, 16, 64 };
enum { NUM_CELL_SIZES = COUNT(sizes), NUM_DEPTHS = COUNT(depths), NEAR = 64 };

struct plan {
    unsigned first, more, rounds; /* turns: at first, and while a cell is in doubt */
    unsigned passes;              /* passes over all cells whose verdict matters */
    double slice_ns;
};
enum { PASSES = 5 };
static const struct plan careful = { 15, 16, 4, PASSES, 3e5 }, rough = { 3, 2, 1, 1, 2e4 };

/* The rule by which measurements become a verdict. The load of a machine changes while this
 * measures, and the ring suffers more from it, because it needs two CPUs. */
struct judge {
    double line;                /* ratio at which the verdict changes */
    double of_turns, of_passes; /* quantiles of turns and of passes that are compared with it */
    double price_ns;            /* time of a job that does not count */
    bool above;                 /* cells above the line are measured again */
    bool together; /* also compare total times: one turn in which the accelerator lost its CPU can
                      cost the gains of many others */
};

/* The rule for writing the table: the ring must win by 10 % (a tie today is a loss under another
 * load), in three of four turns of each pass; between two passes all other cells are measured. */
static const struct judge writer = {
    .line = 1.1, .of_turns = 0.25, .of_passes = 0, .above = true, .together = true
};

/* The rule of --check, "never slower than local by more than 5 %": a cell loses if it loses most
 * turns in four of five passes. A client's queue needs some 10 ns to find out that a job is to
 * be computed locally, which is a larger part of the shortest jobs. */
static const struct judge checker = {
    .line = 0.95, .of_turns = 0.5, .of_passes = 0.75, .price_ns = 15
};

/* ---- one row, operation and size: the ring and the local queue at every depth ---- */

struct cell_race {
    struct bench_side *side[2 * NUM_DEPTHS];
    struct contender who[2 * NUM_DEPTHS];
    struct race race;
    double ratio[NUM_DEPTHS]; /* above 1 the ring is faster */
};

/* The order of turns: the accelerator has slept before each turn of the ring, as it has if the
 * table keeps the other depths local. */
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
    /* the messages lie at the same place in the caches for all sides */
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

/* Gives both sides of a ratio the same number of calls, so that their lanes are equally full. */
static void same_calls(struct race *race)
{
    for (unsigned d = 0; d < NUM_DEPTHS; d++) {
        uint64_t *ring = &race->calls[ring_at(d)], *local = &race->calls[local_at(d)];
        *ring = *local = *ring < *local ? *ring : *local;
    }
}

/* Measures turns until each ratio is away from the line at which the verdict changes, or
 * plan->rounds is reached. */
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

/* ---- all cells ---- */

struct measured {
    struct bench_work work;
    double ratio[NUM_DEPTHS]; /* combined from all passes */
    double pass[NUM_DEPTHS][PASSES];
    unsigned passes;
};
struct measurement {
    struct unit_figures unit;
    size_t num;
    struct measured cells[2 * 64 * NUM_CELL_SIZES];
};

/* Whether a row is measured: digests, MACs and ciphers. Checksums take less time than sending
 * them. */
static bool measures(const struct hr_algorithm *row)
{
    const struct hr_class_info *info = hr_class_of(row);
    return (info->has & HR_HAS_STATES || info->ops[0].in == HR_IN_BLOCKS) &&
           !(row->flags & HR_CHECKSUM_ONLY);
}

/* Returns the number of operations to measure, which leaves out MACs' verification, because it
 * takes as long as making a MAC. */
static uint8_t num_ops(const struct hr_algorithm *row)
{
    const struct hr_class_op *ops = hr_class_of(row)->ops;
    uint8_t n = 0;
    while (ops[n].word && (ops[n].out || ops[n].tag != HR_TAG_TAKEN))
        n++;
    return n;
}

static void list_cells(struct measurement *m, const struct hr_algorithm *only)
{
    const struct hr_algorithm *row;
    m->num = 0;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        for (uint8_t op = 0; measures(row) && op < num_ops(row); op++)
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
        const struct cell cell = { .row = at->work.row,
                                   .op = (enum hr_op)at->work.op,
                                   .size = at->work.size };
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

/* ---- writing the table ---- */

/* Whether the ring wins at this depth and at all greater ones, because a rule holds for these
 * too. */
static bool wins(const struct measured *cell, unsigned depth)
{
    for (unsigned d = depth; d < NUM_DEPTHS; d++)
        if (cell->ratio[d] < writer.line)
            return false;
    return true;
}

static const char *op_word(const struct bench_work *work)
{
    return hr_class_op_word(hr_class_op(hr_class_of(work->row), work->op));
}

/* Whether a rule for a smaller depth covers these cells already. */
static bool told(const struct measured *cells, unsigned depth, size_t first, size_t last)
{
    for (size_t s = first; depth && s <= last; s++)
        if (!wins(&cells[s], depth - 1))
            return false;
    return depth > 0;
}

/* Writes a rule for each range of adjacent sizes at which the ring wins. The cells are those of
 * one row and operation. */
static void write_rules(FILE *out, const struct measured *cells, unsigned depth, const char *word)
{
    for (size_t s = 0; s < NUM_CELL_SIZES; s++) {
        const size_t first = s;
        if (!wins(&cells[s], depth))
            continue;
        while (s + 1 < NUM_CELL_SIZES && wins(&cells[s + 1], depth))
            s++;
        if (!told(cells, depth, first, s))
            tool_print(out, NULL, "%s %s %u %zu %zu\n", cells->work.row->name, word, depths[depth],
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
        for (unsigned d = 0; d < NUM_DEPTHS && tool_is_mac(work->row); d++)
            write_rules(out, &m->cells[i], d, "verify");
    }
    calibrate_unit_write(out, &m->unit);
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
        code = tool_error("accel calibrate: line %zu of the table has an error",
                          crossover_parse(&read_back, text, len));
    if (!code && output)
        code = file_replace(output, text, len, NULL);
    else if (!code)
        tool_lines(stdout, text);
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
        tool_say("worst of %zu measurements: %s %s, %zu bytes, %u in the queue: %.2f times as fast "
                 "as the local queue (required: %.2f, after %.0f ns that looking up the table may "
                 "cost each job)\n",
                 m->num * NUM_DEPTHS, worst->work.row->name, op_word(&worst->work),
                 worst->work.size, depths[worst_depth], worst->ratio[worst_depth], checker.line,
                 checker.price_ns);
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
    json_object_set_new(root, "public_key", calibrate_unit_json(&m->unit));
    const int code = speed_print_json(root);
    json_decref(root);
    return code;
}

/* Checks the table before the service is started, which takes a missing table for none, and
 * exits if the table is wrong. */
static int check_table(void)
{
    static struct crossover parsed;
    size_t len;
    char *text = file_read(table, &len);
    if (!text)
        return EXIT_FAILURE;
    const size_t wrong = crossover_parse(&parsed, text, len);
    free(text);
    return wrong ? tool_error("%s: line %zu was not written by headrace accel calibrate", table,
                              wrong)
                 : EXIT_SUCCESS;
}

static int prepare(const struct hr_algorithm **row)
{
    if (check && output)
        return tool_usage("accel calibrate: --check writes no table");
    *row = only ? algorithm_named(only) : NULL;
    if (only && !*row)
        return EXIT_USAGE;
    if (only && !measures(*row) && !calibrate_unit_has(*row))
        return tool_usage("accel calibrate: %s never goes to the accelerator", only);
    if (check && only && !measures(*row))
        return tool_usage("accel calibrate: --check leaves public key out");
    if (check)
        return check_table();
    return output ? file_may_replace(output, false) : EXIT_SUCCESS;
}

/* Measures all that is no public key, with a service of its own. */
static int measure_queues(struct measurement *m, const struct hr_algorithm *row)
{
    struct private_service service = { 0 };
    struct bench_sides sides = { .service = &service };
    list_cells(m, row);
    int code = m->num ? bench_private_start(&service, NULL, check ? table : NULL) : EXIT_SUCCESS;
    if (!code && m->num) {
        race_heed(bench_private_delay, &service);
        code = measure_all(m, quick ? &rough : &careful, check ? &checker : &writer, &sides);
    }
    bench_private_stop(&service);
    return code;
}

static int calibrate_main(int argc, char **argv)
{
    static struct measurement m;
    const struct hr_algorithm *row = NULL;
    int code = prepare(&row);
    if (!code && !check && (!row || calibrate_unit_has(row)))
        code = calibrate_unit(&m.unit, row, quick);
    if (!code)
        code = measure_queues(&m, row);
    if (!code && json)
        code = give_json(&m);
    if (!code && check)
        code = give_worst(&m);
    if (!code && !check && (output || !json))
        code = give_table(&m);
    return tool_finish(code);
}

static const struct tool_option options[] = {
    { "check", 'c', NULL, "check a table: fail if it makes a client slower", &check, NULL },
    { "table", 't', "FILE", "use this table instead of the service's", NULL, &table },
    { "output", 'o', "FILE", "write the table to FILE", NULL, &output },
    { "row", 'r', "ALGORITHM", "measure only this algorithm", NULL, &only },
    { "quick", 'q', NULL, "measure for a short time: results may be wrong", &quick, NULL },
    { "json", 'j', NULL, "print the measurements as JSON", &json, NULL },
    { .name = NULL },
};

const struct command accel_calibrate_command = {
    .name = "accel calibrate",
    .summary = "measure where the accelerator is faster, in 5 to 10 minutes",
    .options = options,
    .main = calibrate_main,
    .no_operands = true,
};

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
    double slice_ns;
};
static const struct plan careful = { 15, 16, 4, 3e5 }, rough = { 3, 2, 1, 2e4 };

/* What is allowed to be lost: "never slower than local by more than 5 %". */
static const double tolerated = 0.95;
/* What the ring has to gain: a tie today is a loss under another load. */
static const double wanted = 1.1;

/* ---- one row, operation and size: the ring and the local queue at every depth ---- */

struct cell_race {
    struct bench_side *side[2 * NUM_DEPTHS];
    struct contender who[2 * NUM_DEPTHS];
    struct race race;
    double ratio[NUM_DEPTHS]; /* above 1: the ring is faster */
};

static unsigned ring_at(unsigned depth)
{
    return depth;
}
static unsigned local_at(unsigned depth)
{
    return NUM_DEPTHS + depth;
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
    return EXIT_SUCCESS;
}

/* Turns until each ratio is away from `line`, where a verdict would change. */
static void race_cell(struct cell_race *c, const struct plan *plan, double line)
{
    race_begin(&c->race, c->who, 2 * NUM_DEPTHS, plan->slice_ns);
    race_run(&c->race, c->who, plan->first);
    for (unsigned round = 0;; round++) {
        bool doubt = false;
        for (unsigned d = 0; d < NUM_DEPTHS; d++) {
            c->ratio[d] = race_ratio(&c->race, ring_at(d), local_at(d));
            doubt = doubt || (c->ratio[d] > line * 0.93 && c->ratio[d] < line * 1.03);
        }
        if (!doubt || round == plan->rounds)
            break;
        race_run(&c->race, c->who, plan->more);
    }
}

static int measure_cell(double ratio[NUM_DEPTHS], const struct bench_work *work,
                        const struct plan *plan, double line, const struct bench_sides *sides)
{
    static struct cell_race c;
    const int code = open_cell(&c, *work, sides);
    if (!code)
        race_cell(&c, plan, line);
    memcpy(ratio, c.ratio, sizeof c.ratio);
    for (unsigned i = 0; i < 2 * NUM_DEPTHS; i++)
        bench_close(c.side[i]);
    return code;
}

/* ---- all of them ---- */

struct measured {
    struct bench_work work;
    double ratio[NUM_DEPTHS];
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
                    m->cells[m->num++].work = (struct bench_work){ row, op, sizes[s], NEAR, 0 };
}

static int measure_all(struct measurement *m, const struct plan *plan, double line,
                       const struct bench_sides *sides)
{
    int code = EXIT_SUCCESS;
    for (size_t i = 0; i < m->num && !code; i++) {
        const struct bench_work *work = &m->cells[i].work;
        const struct cell cell = { work->row, (enum hr_op)work->op, work->size };
        speed_progress(&cell, i, m->num);
        code = measure_cell(m->cells[i].ratio, work, plan, line, sides);
    }
    speed_progress(NULL, 0, 0);
    return code;
}

/* ---- the table ---- */

/* A rule holds for greater depths too: it must win at each. */
static bool wins(const struct measured *cell, unsigned depth)
{
    for (unsigned d = depth; d < NUM_DEPTHS; d++)
        if (cell->ratio[d] < wanted)
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
    printf("worst of %zu cells: %s %s, %zu bytes, %u in the queue: %.2f times as fast as local "
           "(at least %.2f is wanted)\n",
           m->num * NUM_DEPTHS, worst->work.row->name, op_word(&worst->work), worst->work.size,
           depths[worst_depth], worst->ratio[worst_depth], tolerated);
    return worst->ratio[worst_depth] < tolerated ? EXIT_FAILURE : EXIT_SUCCESS;
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
        code = measure_all(&m, plan, check ? tolerated : wanted, &sides);
    }
    private_service_stop(&service);
    if (!code && json)
        code = give_json(&m);
    if (!code && check && !json)
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

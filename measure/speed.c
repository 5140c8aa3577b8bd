/* SPDX-License-Identifier: Apache-2.0 */
/* headrace speed: measures Headrace and OpenSSL in one process, in turns. */
#include "speed.h"
#include "../cli/algorithm.h"
#include "../cli/file.h"
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static bool cycles, json, kernels, lanes, mask, quick;
static const char *libcrypto, *modules, *slices_arg, *html, *from, *pkcs11;

void speed_progress(const struct cell *cell, size_t i, size_t num)
{
    if (!tool_progress())
        return;
    fputs("\r\033[K", stderr);
    static time_t began;
    if (!i)
        began = time(NULL);
    if (num)
        tool_print(stderr, NULL, "%s %s (%zu of %zu)", cell->row->name, ways_cell_direction(cell),
                   i + 1, num);
    if (num && i)
        fprintf(stderr, ", some %.0f s left",
                difftime(time(NULL), began) / (double)i * (double)(num - i));
    fflush(stderr);
}

const char *speed_kernel(const struct cell *cell)
{
    struct hr_kernel kernel;
    const int i = hr_kernel_chosen(cell->row->alg, cell->op);
    return i >= 0 && !hr_kernel_at(&kernel, cell->row->alg, cell->op, (size_t)i) ? kernel.name : "";
}

/* ---- measuring ---- */

/* Opens the first *num ways of a cell; leaves out the last one if that is a peer that is wrong. */
static int open_calls(struct call calls[NUM_WAYS], struct contender who[NUM_WAYS], enum way *num,
                      const struct cell *cell, const struct sides *sides)
{
    for (enum way way = 0; way < *num; way++) {
        int code = ways_call_open(&calls[way], cell, way, sides);
        if (code < 0)
            *num = way;
        if (code)
            return code < 0 ? EXIT_SUCCESS : code;
        if (memcmp(calls[way].out, calls[0].out, calls[0].out_len))
            return tool_error("%s %s, %zu %s: %s and %s differ", cell->row->name,
                              ways_cell_direction(cell), cell->size, ways_cell_unit(cell)->name,
                              ways_name(cell, way), ways_name(cell, 0));
        who[way] = calls[way].contender;
    }
    return EXIT_SUCCESS;
}

static void keep_quartiles(struct speed_result *result, const struct race *race, enum way way)
{
    for (int i = 0; i < 2; i++) {
        const double part = i ? 0.75 : 0.25;
        result->ns_quartiles[way][i] = race_ns_quantile(race, way, part);
        if (result->ratio[way] > 0)
            result->ratio_quartiles[way][i] = race_ratio_quantile(race, way, WAY_OPENSSL, part);
    }
}

static int measure_cell(struct speed_result *result, const struct speed_plan *plan,
                        const struct sides *sides)
{
    static struct race race;
    enum way num = ways_cell_num_ways(&result->cell, sides);
    struct call calls[NUM_WAYS] = { 0 };
    struct contender who[NUM_WAYS];
    int code = open_calls(calls, who, &num, &result->cell, sides);
    result->num_ways = num;
    if (!code) {
        result->kernel = speed_kernel(&result->cell);
        race_begin(&race, who, num, plan->slice_ns);
        race_run(&race, who, plan->slices);
        for (enum way way = 0; way < num; way++) {
            result->ns[way] = race_ns(&race, way);
            result->ticks[way] = race_ticks(&race, way);
            result->ratio[way] = num > WAY_OPENSSL ? race_ratio(&race, way, WAY_OPENSSL) : 0;
            keep_quartiles(result, &race, way);
        }
    }
    for (enum way way = 0; way < NUM_WAYS; way++)
        ways_call_close(&calls[way]);
    return code;
}

/* Lists the cells of the rows. */
static int list_cells(struct speed_results *results, const struct speed_rows *rows, bool at_once)
{
    *results = (struct speed_results){ 0, calloc(rows->num * MAX_DIRECTIONS * NUM_SIZES,
                                                 sizeof *results->at) };
    if (!results->at)
        return tool_error("out of memory");
    for (size_t r = 0; r < rows->num; r++)
        for (unsigned op = 0; op < ways_num_directions(rows->rows[r]); op++) {
            struct cell cell = { rows->rows[r], (enum hr_op)op, 0, at_once };
            if (at_once && !ways_cell_has_lanes(&cell))
                continue;
            for (size_t s = 0; s < ways_cell_num_sizes(&cell); s++) {
                cell.size = ways_cell_unit(&cell)->sizes[s];
                results->at[results->num++].cell = cell;
            }
        }
    return EXIT_SUCCESS;
}

int speed_measure(struct speed_results *results, const struct speed_rows *rows,
                  const struct speed_plan *plan, const struct sides *sides)
{
    int code = list_cells(results, rows, plan->lanes);
    for (size_t i = 0; !code && i < results->num; i++) {
        speed_progress(&results->at[i].cell, i, results->num);
        code = measure_cell(&results->at[i], plan, sides);
    }
    speed_progress(NULL, 0, 0);
    return code;
}

/* ---- the command ---- */

static int add_row(struct speed_rows *rows, const struct hr_algorithm *row)
{
    if (tool_is_xof(row))
        return tool_usage("speed: it cannot measure %s", row->name);
    if (rows->num == COUNT(rows->rows))
        return tool_usage("speed: too many algorithms");
    rows->rows[rows->num++] = row;
    if (!pkcs11 && tool_is_public_key(row) != tool_is_public_key(rows->rows[0]))
        return tool_usage("speed: %s and %s cannot be measured together", rows->rows[0]->name,
                          row->name);
    return EXIT_SUCCESS;
}

/* Adds what is done with a curve, for its name alone: ecdsa_p384 and ecdh_p384 for "p384".  Returns
 * a code, or -1 if it is no curve's name. */
static int add_curve(struct speed_rows *rows, const char *name)
{
    const struct hr_algorithm *row;
    int code = -1;
    for (size_t i = 0; code <= 0 && (row = hr_algorithm_at(i)); i++) {
        const char *end = strchr(row->symbol, '_');
        if (tool_is_public_key(row) && end && !strcasecmp(end + 1, name))
            code = add_row(rows, row);
    }
    return code;
}

static int read_rows(struct speed_rows *rows, int argc, char **argv)
{
    const struct hr_algorithm *row;
    rows->num = 0;
    for (int i = 0; i < argc; i++) {
        int code = add_curve(rows, argv[i]);
        if (code < 0)
            code = (row = algorithm_named(argv[i])) ? add_row(rows, row) : EXIT_USAGE;
        if (code)
            return code;
    }
    for (size_t i = 0;
         argc == 0 && !pkcs11 && (row = hr_algorithm_at(i)) && rows->num < COUNT(rows->rows); i++)
        if (!tool_is_public_key(row) && !tool_is_xof(row))
            rows->rows[rows->num++] = row;
    return EXIT_SUCCESS;
}

static int read_plan(struct speed_plan *plan)
{
    *plan = (struct speed_plan){ quick ? 3 : 15, quick ? 5e3 : 2e5, lanes };
    if (!slices_arg)
        return EXIT_SUCCESS;
    char *end;
    const unsigned long n = strtoul(slices_arg, &end, 10);
    if (*end || n < 1 || n > RACE_SLICES)
        return tool_usage("speed: --slices takes a number from 1 to %d, not %s", RACE_SLICES,
                          slices_arg);
    plan->slices = (unsigned)n;
    return EXIT_SUCCESS;
}

static int print(const struct speed_report *report)
{
    int code = EXIT_SUCCESS;
    json_t *root = json || html ? speed_json(report) : NULL;
    if (html)
        code = speed_html(html, root, json);
    if (json && !code)
        code = speed_print_json(root);
    if (!root)
        speed_print(report);
    json_decref(root);
    return code;
}

static int compare(const struct speed_rows *rows, const struct speed_plan *plan)
{
    struct speed_report report = { .plan = *plan };
    struct sides sides = { 0 };
    int code = EXIT_SUCCESS;
    const struct speed_times before = speed_times();
    if (mask || (html && !lanes))
        code = speed_measure_masked(&report.masked, rows, plan, libcrypto, modules);
    if (!code)
        code = sides_open(&sides, libcrypto, modules);
    if (!code)
        code = speed_measure(&report.plain, rows, plan, &sides);
    if (!code) {
        const struct speed_times after = speed_times();
        report.cpu_share = speed_cpu_share(&before, &after);
        report.openssl_version = sides.ssl->OpenSSL_version(OPENSSL_VERSION);
        report.libcrypto = sides.ssl->path;
        code = print(&report);
    }
    free(report.plain.at);
    free(report.masked.at);
    sides_close(&sides);
    return code;
}

/* Checks for options that exclude each other, and for errors that would otherwise occur only
 * after a long measurement. */
static int contradict(int argc)
{
    if (from && !html)
        return tool_usage("speed: --from needs --html");
    if (html && kernels)
        return tool_usage("speed: --html cannot draw a comparison of kernels");
    if (from && argc)
        return tool_usage("speed: --from draws all that is in its file: no operand is allowed");
    if (cycles && (html || kernels || mask))
        return tool_usage("speed: --cycles cannot be used with --html, --kernels or --mask");
    if (lanes && (kernels || cycles || from))
        return tool_usage("speed: --lanes cannot be used with --cycles, --from or --kernels");
    if (pkcs11 && (kernels || lanes || mask || cycles || from))
        return tool_usage("speed: --pkcs11 cannot be used with --cycles, --from, --kernels, "
                          "--lanes or --mask");
    return html ? file_may_replace(html, false) : EXIT_SUCCESS;
}

static int cycles_of(const struct speed_rows *rows, const struct speed_plan *plan)
{
    for (size_t i = 0; i < rows->num; i++)
        if (rows->rows[i]->alg != HR_POLY1305_AES || i)
            return tool_usage("speed: --cycles works for poly1305-aes only");
    return speed_cycles(plan, json);
}

static int speed_main(int argc, char **argv)
{
    struct speed_rows rows;
    struct speed_plan plan;
    int code = contradict(argc);
    if (!code && from)
        return speed_html_from(html, from);
    if (!code)
        code = read_plan(&plan);
    if (!code)
        code = read_rows(&rows, argc, argv);
    if (!code && pkcs11)
        return tool_finish(speed_pkcs11(&(struct speed_pkcs11_options){
            &rows, &plan, pkcs11, libcrypto, modules, html, json }));
    if (!code && cycles)
        return tool_finish(cycles_of(&rows, &plan));
    if (!code && kernels && tool_is_public_key(rows.rows[0]))
        return tool_usage("speed: --kernels cannot be used with %s", rows.rows[0]->name);
    if (!code && lanes && (!rows.num || !tool_is_public_key(rows.rows[0])))
        return tool_usage("speed: --lanes is for algorithms of public key");
    if (!code)
        code = kernels ? speed_kernels(&rows, &plan, json) : compare(&rows, &plan);
    return tool_finish(code);
}

static const struct tool_option options[] = {
    { "kernels", 'k', NULL, "compare kernels; fail if a table is not best first", &kernels, NULL },
    { "lanes", 0, NULL, "measure 1 to 16 operations of public key at once", &lanes, NULL },
    { "mask", 'm', NULL, "measure also without crypto instructions", &mask, NULL },
    { "cycles", 'c', NULL, "print the cycles of poly1305-aes by message length", &cycles, NULL },
    { "pkcs11", 0, "[=MODULE]", "measure PKCS#11, beside another module", NULL, &pkcs11 },
    { "json", 'j', NULL, "print JSON", &json, NULL },
    { "html", 0, "FILE", "write a page with charts, with and without hardware", NULL, &html },
    { "from", 0, "FILE", "with --html: draw a file of --json, measure nothing", NULL, &from },
    { "quick", 'q', NULL, "3 short turns instead of 15: figures are rough", &quick, NULL },
    { "slices", 's', "N", "number of turns", NULL, &slices_arg },
    { "libcrypto", 'l', "FILE", "use this libcrypto instead of the system's", NULL, &libcrypto },
    { "modules", 0, "DIR", "folder of headrace.so", NULL, &modules },
    { .name = NULL },
};

const struct command speed_command = {
    .name = "speed",
    .operands = "[ALGORITHM]...",
    .summary = "compare the speed of Headrace and OpenSSL, in one process",
    .options = options,
    .main = speed_main,
};

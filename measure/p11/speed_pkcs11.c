/* SPDX-License-Identifier: Apache-2.0 */
/* headrace speed --pkcs11: messages through PKCS#11, beside direct calls and EVP, in turns. */
#include "../../cli/algorithm.h"
#include "../../cli/module.h"
#include "message.h"
#include "pair.h"
#include "report.h"
#include <stdlib.h>
#include <string.h>

enum { WAYS = NUM_TOKENS + WAY_OPENSSL + 1, SHORT = 16, LONG_TURN = 25 };

/* The calls of a cell: the first ways of enum way, then those of the tokens. */
struct calls {
    struct call evp[WAY_OPENSSL + 1];
    struct p11_message tokens[NUM_TOKENS];
    struct contender who[WAYS];
    enum way ways[WAYS];
    unsigned num;
};

static void add(struct calls *calls, enum way way, struct contender who)
{
    calls->ways[calls->num] = way;
    calls->who[calls->num++] = who;
}

/* Opens what a cell is measured with; a token that lacks the row is left out. */
static int open_calls(struct calls *calls, const struct cell *cell, const struct p11_report *report,
                      const struct sides *sides)
{
    const enum way most = ways_cell_num_ways(cell, sides);
    for (enum way way = 0; way <= WAY_OPENSSL && way < most; way++) {
        const int code = ways_call_open(&calls->evp[way], cell, way, sides);
        if (code)
            return code < 0 ? EXIT_FAILURE : code;
        add(calls, way, calls->evp[way].contender);
    }
    for (unsigned i = 0; i < NUM_TOKENS; i++) {
        const int code =
            p11_message_open(&calls->tokens[i], &report->tokens[i], cell, &calls->evp[0]);
        if (code > 0)
            return code;
        if (!code)
            add(calls, WAY_PKCS11 + i, calls->tokens[i].contender);
    }
    return EXIT_SUCCESS;
}

static void close_calls(struct calls *calls)
{
    for (unsigned i = 0; i < NUM_TOKENS; i++)
        p11_message_close(&calls->tokens[i]);
    for (enum way way = 0; way <= WAY_OPENSSL; way++)
        ways_call_close(&calls->evp[way]);
}

static void keep(struct speed_result *result, const struct race *race, const struct calls *calls)
{
    unsigned theirs = 0;
    while (theirs < calls->num && calls->ways[theirs] != WAY_OPENSSL)
        theirs++;
    for (unsigned i = 0; i < calls->num; i++) {
        const enum way way = calls->ways[i];
        result->ns[way] = race_ns(race, i);
        result->ticks[way] = race_ticks(race, i);
        result->ratio[way] = theirs < calls->num ? race_ratio(race, i, theirs) : 0;
        for (int j = 0; j < 2; j++) {
            const double part = j ? 0.75 : 0.25;
            result->ns_quartiles[way][j] = race_ns_quantile(race, i, part);
            if (theirs < calls->num)
                result->ratio_quartiles[way][j] = race_ratio_quantile(race, i, theirs, part);
        }
    }
}

static int measure_cell(struct speed_result *result, const struct p11_report *report,
                        const struct sides *sides)
{
    static struct race race;
    struct calls calls = { 0 };
    const int code = open_calls(&calls, &result->cell, report, sides);
    if (!code) {
        result->kernel = speed_kernel(&result->cell);
        result->num_ways = ALL_WAYS;
        race_begin(&race, calls.who, calls.num, report->speed.plan.slice_ns);
        race_run(&race, calls.who, report->speed.plan.slices);
        keep(result, &race, &calls);
    }
    close_calls(&calls);
    return code;
}

/* ---- two threads ---- */

static double scale_of(const struct contender *first, const struct contender *second,
                       const struct speed_plan *plan)
{
    static struct race race;
    struct pair pair;
    if (!pair_open(&pair, first, second))
        return 0;
    const struct contender who[] = { *first, { pair_run, &pair } };
    race_heed(pair_delay, &pair);
    race_begin(&race, who, COUNT(who), plan->slice_ns * LONG_TURN);
    race.calls[1] = race.calls[0]; /* few calls would measure how the second thread wakes up */
    race_run(&race, who, plan->slices);
    race_heed(NULL, NULL);
    pair_close(&pair);
    return 2 * race_ratio(&race, 1, 0);
}

static int scale_token(double *scale, const struct token *token, const struct cell *cell,
                       const struct call *direct, const struct speed_plan *plan)
{
    struct p11_message first = { 0 }, second = { 0 };
    int code = p11_message_open(&first, token, cell, direct);
    if (!code)
        code = p11_message_again(&second, &first);
    if (!code)
        *scale = scale_of(&first.contender, &second.contender, plan);
    p11_message_close(&second);
    p11_message_close(&first);
    return code < 0 ? EXIT_SUCCESS : code;
}

static int measure_scale(struct p11_scale *scale, const struct p11_report *report,
                         const struct sides *sides)
{
    struct call calls[2] = { 0 };
    int code = EXIT_SUCCESS;
    for (size_t i = 0; !code && i < COUNT(calls); i++)
        code = ways_call_open(&calls[i], &scale->cell, WAY_DIRECT, sides);
    if (!code)
        scale->direct = scale_of(&calls[0].contender, &calls[1].contender, &report->speed.plan);
    for (unsigned i = 0; !code && i < NUM_TOKENS; i++)
        code = scale_token(&scale->tokens[i], &report->tokens[i], &scale->cell, &calls[0],
                           &report->speed.plan);
    for (size_t i = 0; i < COUNT(calls); i++)
        ways_call_close(&calls[i]);
    return code;
}

static int measure_scales(struct p11_report *report, const struct sides *sides)
{
    const struct speed_results *cells = &report->speed.plain;
    int code = EXIT_SUCCESS;
    report->scales = calloc(cells->num, sizeof *report->scales);
    if (!report->scales)
        return tool_error("out of memory");
    for (size_t i = 0; !code && i < cells->num; i++) {
        const struct cell *cell = &cells->at[i].cell;
        if (cell->size > SHORT)
            continue;
        struct p11_scale *scale = &report->scales[report->num_scales++];
        scale->cell = *cell;
        speed_progress(cell, i, cells->num);
        code = measure_scale(scale, report, sides);
    }
    return code;
}

/* ---- other calls ---- */

static int measure_others(struct p11_report *report)
{
    static struct race race;
    struct contender who[NUM_TOKENS];
    const unsigned num = report->tokens[OTHER_TOKEN].p11 ? 2 : 1; /* the service makes no objects */
    bool made = false;
    for (size_t i = 0; i < NUM_OTHERS; i++) {
        for (unsigned t = 0; t < num; t++) {
            const int code = p11_others[i].needs_objects && !made
                                 ? p11_objects_make(&report->tokens[t])
                                 : EXIT_SUCCESS;
            if (code)
                return code;
            who[t] = (struct contender){ p11_others[i].run, &report->tokens[t] };
        }
        made |= p11_others[i].needs_objects;
        race_begin(&race, who, num, report->speed.plan.slice_ns);
        race_run(&race, who, report->speed.plan.slices);
        for (unsigned t = 0; t < num; t++)
            report->others[i][t] = race_ns(&race, t);
        if (num > OTHER_TOKEN)
            report->others_ratio[i] = race_ratio(&race, OUR_TOKEN, OTHER_TOKEN);
    }
    return EXIT_SUCCESS;
}

/* ---- the command ---- */

/* The operation of a row that PKCS#11 is measured with; of public key "sign". */
static enum hr_op operation(const struct hr_algorithm *row)
{
    struct cell cell = { .row = row };
    while (tool_is_public_key(row) && strcmp(ways_cell_direction(&cell), "sign"))
        cell.op++;
    return cell.op;
}

static int list_cells(struct speed_results *results, const struct speed_rows *rows)
{
    results->at = calloc(rows->num * NUM_SIZES, sizeof *results->at);
    if (!results->at)
        return tool_error("out of memory");
    for (size_t i = 0; i < rows->num; i++) {
        if (!p11_row_of(rows->rows[i]))
            return tool_usage("speed: --pkcs11 does not measure %s", rows->rows[i]->name);
        struct cell cell = { .row = rows->rows[i], .op = operation(rows->rows[i]) };
        for (size_t s = 0; s < ways_cell_num_sizes(&cell); s++) {
            cell.size = ways_cell_unit(&cell)->sizes[s];
            results->at[results->num++].cell = cell;
        }
    }
    return EXIT_SUCCESS;
}

static void usual_rows(struct speed_rows *rows)
{
    const struct p11_row *row;
    for (size_t i = 0; (row = p11_row(i)); i++)
        if (row->is_usual)
            rows->rows[rows->num++] = hr_algorithm_by_name(row->symbol);
}

static int open_tokens(struct p11_report *report, const char *other)
{
    static char ours[PATH_MAX];
    if (!module_find_pkcs11(ours))
        return tool_error("no %s: install the package headrace-pkcs11", ours);
    int code = token_open(&report->tokens[OUR_TOKEN], ours);
    if (!code)
        token_open_service(&report->tokens[SERVICE_TOKEN], &report->tokens[OUR_TOKEN]);
    if (!code && *other)
        code = token_open(&report->tokens[OTHER_TOKEN], other);
    return code;
}

static int measure(struct p11_report *report, const struct speed_rows *rows,
                   const struct sides *sides)
{
    struct speed_results *cells = &report->speed.plain;
    const struct speed_times before = speed_times();
    int code = EXIT_SUCCESS;
    for (size_t i = 0; !code && i < cells->num; i++) {
        speed_progress(&cells->at[i].cell, i, cells->num);
        code = measure_cell(&cells->at[i], report, sides);
    }
    const struct speed_times after = speed_times();
    report->speed.cpu_share = speed_cpu_share(&before, &after);
    if (!code)
        code = measure_scales(report, sides);
    if (!code)
        code = measure_others(report);
    speed_progress(NULL, 0, 0);
    if (!code)
        openssl_speed_run(&report->openssl, rows, sides, report->tokens[OUR_TOKEN].path);
    return code;
}

static int print(const struct p11_report *report, const char *html, bool json)
{
    int code = EXIT_SUCCESS;
    json_t *root = json || html ? p11_json(report) : NULL;
    if (html)
        code = speed_html(html, root, json);
    if (json && !code)
        code = speed_print_json(root);
    if (!root)
        p11_print(report);
    json_decref(root);
    return code;
}

int speed_pkcs11(const struct speed_pkcs11_options *options)
{
    struct p11_report report = { .speed.plan = *options->plan };
    struct speed_rows rows = *options->rows;
    struct sides sides = { 0 };
    if (!rows.num)
        usual_rows(&rows);
    int code = list_cells(&report.speed.plain, &rows);
    if (!code)
        code = sides_open(&sides, options->libcrypto, options->modules);
    if (!code)
        code = open_tokens(&report, options->module);
    if (!code)
        code = measure(&report, &rows, &sides);
    if (!code) {
        report.speed.openssl_version = sides.ssl->OpenSSL_version(OPENSSL_VERSION);
        report.speed.libcrypto = sides.ssl->path;
        code = print(&report, options->html, options->json);
    }
    for (unsigned i = NUM_TOKENS; i-- > 0;)
        token_close(&report.tokens[i]);
    sides_close(&sides);
    free(report.speed.plain.at);
    free(report.scales);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* headrace calibrate: measures which algorithms are faster than OpenSSL's on this machine. */
#define _GNU_SOURCE
#include "../cli/algorithm.h"
#include "../cli/file.h"
#include "java/calibrate_java.h"
#include "speed.h"
#include "winmap.h"
#include <headrace/headrace.h>
#include <stdlib.h>
#include <string.h>

enum { OURS, THEIRS, NUM_SIDES };

static const struct win_plan careful = { 31, 11, 40, 4, 2e5 }, rough = { 5, 3, 0, 0, 1e4 };

/* ---- one cell, which stays open until the verdict on its row is final ---- */

struct measured {
    struct cell cell;
    struct call calls[NUM_SIDES];
    struct contender who[NUM_SIDES];
    struct race race;
};

static int begin_cell(struct measured *m, const struct win_plan *plan, const struct sides *sides)
{
    static const enum way ways[NUM_SIDES] = { WAY_OURS, WAY_OPENSSL };
    for (int i = 0; i < NUM_SIDES; i++) {
        int code = ways_call_open(&m->calls[i], &m->cell, ways[i], sides);
        if (code)
            return code;
        m->who[i] = m->calls[i].contender;
    }
    if (memcmp(m->calls[OURS].out, m->calls[THEIRS].out, m->calls[OURS].out_len))
        return tool_error("%s %s, %zu %s: the providers computed different results",
                          m->cell.row->name, ways_cell_direction(&m->cell), m->cell.size,
                          ways_cell_unit(&m->cell)->name);
    race_begin(&m->race, m->who, NUM_SIDES, plan->slice_ns);
    /* one slow call fills many turns: portable code on big messages is no close race */
    const bool slow = m->race.calls[OURS] == 1;
    race_run(&m->race, m->who, slow ? plan->few : plan->first);
    return EXIT_SUCCESS;
}

/* ---- one row: all its cells, with more turns while the verdict is in doubt ---- */

static void read_ratios(struct win_row *row, const struct measured *cells, size_t num)
{
    for (size_t i = 0; i < num; i++)
        row->ratio[cells[i].cell.op][i % NUM_SIZES] = race_ratio(&cells[i].race, OURS, THEIRS);
}

static int measure_row(struct win_row *row, struct measured cells[MAX_DIRECTIONS * NUM_SIZES],
                       const struct win_plan *plan, const struct sides *sides)
{
    const size_t num = cell_directions(row->row) * NUM_SIZES;
    int code = EXIT_SUCCESS;
    for (size_t i = 0; i < num; i++) {
        struct cell cell = { .row = row->row, .op = (enum hr_op)(i / NUM_SIZES) };
        cell.size = ways_cell_unit(&cell)->sizes[i % NUM_SIZES];
        cells[i] = (struct measured){ .cell = cell };
        if (!code)
            code = begin_cell(&cells[i], plan, sides);
    }
    if (!code)
        read_ratios(row, cells, num);
    for (unsigned round = 0; !code && round < plan->rounds; round++) {
        if (!winrule_in_doubt(row->ratio[0], num))
            break;
        for (size_t i = 0; i < num; i++)
            race_run(&cells[i].race, cells[i].who, plan->more);
        read_ratios(row, cells, num);
    }
    for (size_t i = 0; i < num; i++)
        for (int side = 0; side < NUM_SIDES; side++)
            ways_call_close(&cells[i].calls[side]);
    return code;
}

static int measure_rows(struct win_map *map, const struct win_plan *plan, const struct sides *sides)
{
    const struct hr_algorithm *row;
    struct measured *cells = calloc(MAX_DIRECTIONS * NUM_SIZES, sizeof *cells);
    int code = cells ? EXIT_SUCCESS : tool_error("out of memory");
    size_t total = 0;
    while (hr_algorithm_at(total))
        total++;
    for (size_t i = 0; !code && (row = hr_algorithm_at(i)) && map->num < COUNT(map->rows); i++) {
        const struct cell cell = { .row = row, .op = HR_OP_ENCRYPT };
        if (!algorithm_in_provider(row) || !sides_compare(sides, row))
            continue;
        speed_progress(&cell, i, total);
        map->rows[map->num] = (struct win_row){ .row = row };
        code = measure_row(&map->rows[map->num++], cells, plan, sides);
    }
    speed_progress(NULL, 0, 0);
    free(cells);
    return code;
}

int calibrate_measure(struct win_map *map, const char *libcrypto, const char *modules, bool quick)
{
    const struct win_plan *plan = quick ? &rough : &careful;
    struct sides sides;
    map->num = map->num_pk = 0;
    int code = sides_open(&sides, libcrypto, modules);
    if (code)
        return code;
    map->openssl_version = sides.ssl->OpenSSL_version(OPENSSL_VERSION);
    code = measure_rows(map, plan, &sides);
    if (!code)
        code = calibrate_pk(map, plan, &sides);
    sides_close(&sides);
    return code;
}

/* ---- the command ---- */

static bool json, quick;
static const char *output, *libcrypto, *modules, *java, *jar;

static int write_file(const struct win_map *map)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    const bool written = out && winmap_write_json(map, out) == 0;
    const bool closed = out && fclose(out) == 0;
    const int code = written && closed ? file_replace(output, text, len, NULL)
                                       : tool_error("cannot write %s: out of memory", output);
    free(text);
    return code;
}

static int calibrate_main(int argc, char **argv)
{
    static struct win_map map;
    char parameter[WIN_MAX_PARAMETER];
    if ((java || jar) && (libcrypto || modules))
        return tool_usage("calibrate: --libcrypto and --modules are not for --java");
    if (java || jar)
        return tool_finish(calibrate_java(&(struct java_options){
            .java = java, .jar = jar, .output = output, .quick = quick, .json = json }));
    int code = output ? file_may_replace(output, false) : EXIT_SUCCESS;
    if (!code)
        code = calibrate_measure(&map, libcrypto, modules, quick);
    if (!code && output)
        code = write_file(&map);
    if (!code && json && winmap_write_json(&map, stdout))
        code = tool_error("cannot write the JSON text");
    if (!code && !json) {
        winmap_print(&map, stdout);
        winrule_parameter(&map, parameter, sizeof parameter);
        tool_wrap(stdout, parameter, (size_t)printf("win = "));
    }
    return tool_finish(code);
}

static const struct tool_option options[] = {
    { "json", 'j', NULL, "machine-readable output", &json, NULL },
    { "output", 'o', "FILE", "write the JSON text, with --java the map, to FILE", NULL, &output },
    { "quick", 'q', NULL, "measure for seconds only: results may be wrong", &quick, NULL },
    { "libcrypto", 'l', "FILE", "use this libcrypto instead of the system's", NULL, &libcrypto },
    { "modules", 0, "DIR", "folder of headrace.so", NULL, &modules },
    { "java", 0, "[=JAVA]", "measure the provider for Java, and write its map", NULL, &java },
    { "jar", 0, "FILE", "with --java: the provider's jar", NULL, &jar },
    { .name = NULL },
};

const struct command calibrate_command = {
    .name = "calibrate",
    .summary = "measure which algorithms are faster than OpenSSL's on this machine",
    .options = options,
    .main = calibrate_main,
    .no_operands = true,
};

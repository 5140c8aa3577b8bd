/* SPDX-License-Identifier: Apache-2.0 */
/* `headrace speed --json`. */
#include "../cli/quote_json.h"
#include "crypto_mb.h"
#include "speed.h"
#include <headrace/headrace.h>
#include <stdlib.h>

static void set_pair(json_t *object, const char *name, const double pair[2])
{
    json_t *array = json_array();
    for (int i = 0; i < 2; i++)
        json_array_append_new(array, json_real(pair[i]));
    json_object_set_new(object, name, array);
}

static json_t *way_object(const struct speed_result *r, enum way way)
{
    const struct ways_cell_unit *unit = ways_cell_unit(&r->cell);
    json_t *object = json_object();
    json_object_set_new(object, "ns", json_real(r->ns[way]));
    json_object_set_new(object, unit->json_rate, json_real(speed_rate(&r->cell, r->ns[way])));
    if (r->ticks[way] > 0)
        json_object_set_new(object, unit->json_ticks,
                            json_real(r->ticks[way] / (double)r->cell.size));
    set_pair(object, "ns_quartiles", r->ns_quartiles[way]);
    if (r->ratio[way] > 0) {
        json_object_set_new(object, "ratio", json_real(r->ratio[way]));
        set_pair(object, "ratio_quartiles", r->ratio_quartiles[way]);
    }
    if (speed_unclear(r, way))
        json_object_set_new(object, "unclear", json_true());
    return object;
}

static void add_cells(json_t *cells, const struct speed_results *results, bool hardware)
{
    for (size_t i = 0; i < results->num; i++) {
        const struct speed_result *r = &results->at[i];
        json_t *object = json_object();
        json_object_set_new(object, "algorithm", json_string(r->cell.row->name));
        json_object_set_new(object, "direction", json_string(ways_cell_direction(&r->cell)));
        json_object_set_new(object, "size", json_integer((json_int_t)r->cell.size));
        json_object_set_new(object, "unit", json_string(ways_cell_unit(&r->cell)->name));
        json_object_set_new(object, "hardware", json_boolean(hardware));
        if (*r->kernel)
            json_object_set_new(object, "kernel", json_string(r->kernel));
        for (enum way way = 0; way < r->num_ways; way++)
            if (r->ns[way] > 0)
                json_object_set_new(object, ways_name(&r->cell, way), way_object(r, way));
        json_array_append_new(cells, object);
    }
}

static json_t *peer_version(void)
{
    const char *reason, *const version = crypto_mb_version(&reason);
    return version ? json_string(version) : json_null();
}

json_t *speed_json(const struct speed_report *report)
{
    json_t *root = json_object(), *cells = json_array();
    char busy[SPEED_BUSY_MAX];
    speed_add_facts(root);
    json_object_set_new(root, "openssl", quote_json(report->openssl_version));
    json_object_set_new(root, "turns", json_integer(report->plan.slices));
    if (report->plan.lanes)
        json_object_set_new(root, "crypto_mb", peer_version());
    if (report->cpu_share > 0)
        json_object_set_new(root, "cpu_share", json_real(report->cpu_share));
    if (speed_busy(busy, sizeof busy, report))
        json_object_set_new(root, "busy", json_string(busy));
    if (report->masked.num)
        json_object_set_new(root, "masks", speed_masks(report->masked.at[0].cell.row));
    add_cells(cells, &report->plain, true);
    add_cells(cells, &report->masked, false);
    json_object_set_new(root, "cells", cells);
    return root;
}

int speed_print_json(const json_t *root)
{
    const int failed =
        json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6) | QUOTE_JSON);
    putchar('\n');
    return failed ? tool_error("cannot write the JSON text") : EXIT_SUCCESS;
}

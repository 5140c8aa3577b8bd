/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what `headrace accel bench --profile` has measured: a table for people, or JSON; and asks
 * the service what it has computed. */
#include "bench_profile.h"
#include "speed.h"
#include "unit/bench_status.h"

/* ---- what the service says ---- */

static void add_requests(void *arg, const struct control_status *one)
{
    uint64_t *const sum = arg;
    *sum += one->kind == STATUS_ACCELERATOR ? one->u.accelerator.requests
            : one->kind == STATUS_UNIT      ? one->u.unit.requests
                                            : 0;
}

int profile_requests(uint64_t *out, const struct private_service *service)
{
    *out = 0;
    return bench_status(service, add_requests, out);
}

/* ---- JSON ---- */

static json_t *ratio_object(const struct profile_ratio *r, unsigned jobs)
{
    return json_pack("{s:i, s:f, s:f, s:f, s:f, s:f}", "at_once", (int)jobs, "service_ns",
                     r->service, "program_ns", r->program, "ratio", r->median, "low", r->low,
                     "high", r->high);
}

static int print_json(const struct profile_report *report)
{
    json_t *root = bench_facts(report->sides), *lines = json_array();
    json_object_set_new(root, "profile", json_string(report->name));
    for (size_t i = 0; i < report->num; i++) {
        const struct profile_line *line = &report->lines[i];
        json_array_append_new(
            lines,
            json_pack("{s:s, s:s, s:I, s:I, s:I, s:[o, o]}", "algorithm", line->row->name,
                      "operation", line->word, "size", (json_int_t)line->size, "jobs",
                      (json_int_t)line->jobs, "served", (json_int_t)line->served, "ratios",
                      ratio_object(&line->ratio[0], 1), ratio_object(&line->ratio[1], line->many)));
    }
    json_object_set_new(root, "lines", lines);
    const int code = speed_print_json(root);
    json_decref(root);
    return code;
}

/* ---- text ---- */

static void print_ratio(const struct profile_ratio *r, int width)
{
    char quartiles[32];
    snprintf(quartiles, sizeof quartiles, "%.*f-%.*f", bench_decimals(r->low), r->low,
             bench_decimals(r->high), r->high);
    tool_say(" %5.*f %-*s", bench_decimals(r->median), r->median, width, quartiles);
}

static void print_line(const struct profile_line *line)
{
    char name[64], time[32];
    snprintf(name, sizeof name, "%s %s", line->row->name, line->word);
    tool_say("  %-19s %5zu %-7s %7s", name, line->size, line->served ? "service" : "program",
             bench_value(line->ratio[0].program, "ns", time));
    print_ratio(&line->ratio[0], 11);
    print_ratio(&line->ratio[1], 0);
    putchar('\n');
}

int profile_print(const struct profile_report *report)
{
    char many[32];
    if (report->json)
        return print_json(report);
    bench_print_facts(report->sides);
    putchar('\n');
    tool_print(stdout, "1", "%s: %s\n", report->name, report->title);
    snprintf(many, sizeof many, "%u at once", report->lines[0].many);
    tool_say("  %-42s one at a time     %s\n", "", many);
    tool_say("  %-19s %5s %-7s %7s %5s %-11s %5s %s\n", "", "bytes", "where", "program", "ratio",
             "quartiles", "ratio", "quartiles");
    for (size_t i = 0; i < report->num; i++)
        print_line(&report->lines[i]);
    return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the results of `headrace accel bench`: a table for people, or JSON. */
#include "../cli/quote_json.h"
#include "bench.h"
#include "speed.h"
#include <headrace/classes.h>
#include <stdlib.h>
#include <string.h>

static bool meets(const struct bench_line *line)
{
    const double value = line->theirs_name ? line->ratio : line->ours;
    return line->bar_is == BAR_LEAST ? value >= line->bar : value <= line->bar;
}

static const char *direction(const struct bench_line *line)
{
    const int encrypts = line->work.op == HR_JOB_ENCRYPT;
    const struct cell cell = { .row = line->work.row,
                               .op = encrypts ? HR_OP_ENCRYPT : HR_OP_DECRYPT,
                               .size = line->work.size };
    return ways_cell_direction(&cell);
}

/* ---- JSON ---- */

static json_t *line_object(const struct bench_line *line)
{
    json_t *object = json_object();
    json_object_set_new(object, "what", json_string(line->group));
    json_object_set_new(object, "algorithm", json_string(line->work.row->name));
    json_object_set_new(object, "direction", json_string(direction(line)));
    json_object_set_new(object, "size", json_integer((json_int_t)line->work.size));
    if (line->note)
        json_object_set_new(object, "note", json_string(line->note));
    json_object_set_new(object, "unit", json_string(line->unit));
    json_object_set_new(object, "ours", json_string(line->ours_name));
    json_object_set_new(object, "ours_value", json_real(line->ours));
    if (line->theirs_name) {
        json_object_set_new(object, "theirs", json_string(line->theirs_name));
        json_object_set_new(object, "theirs_value", json_real(line->theirs));
        json_object_set_new(object, "ratio", json_real(line->ratio));
        json_object_set_new(object, "low", json_real(line->low));
        json_object_set_new(object, "high", json_real(line->high));
    }
    if (line->bar_is != BAR_NONE) {
        json_object_set_new(object, line->bar_is == BAR_LEAST ? "at_least" : "at_most",
                            json_real(line->bar));
        json_object_set_new(object, "met", json_boolean(meets(line)));
    }
    return object;
}

json_t *bench_facts(const struct bench_sides *sides)
{
    json_t *root = json_object();
    speed_add_facts(root);
    json_object_set_new(root, "openssl", quote_json(sides->ssl->OpenSSL_version(OPENSSL_VERSION)));
    json_object_set_new(root, "cpus", json_integer(sides->service->num_cpus));
    if (sides->service->pid)
        json_object_set_new(root, "accelerator_cpu", json_integer(sides->service->cpu));
    return root;
}

int bench_print_json(const struct bench_report *report)
{
    json_t *root = bench_facts(report->sides), *lines = json_array();
    for (size_t i = 0; i < report->num; i++)
        json_array_append_new(lines, line_object(&report->lines[i]));
    json_object_set_new(root, "lines", lines);
    const int code = speed_print_json(root);
    json_decref(root);
    return code;
}

/* ---- text ---- */

void bench_print_facts(const struct bench_sides *sides)
{
    json_t *root = bench_facts(sides), *word;
    size_t i;
    char command[256] = "";
    json_array_foreach(json_object_get(root, "command"), i, word)
    {
        const size_t len = strlen(command);
        snprintf(command + len, sizeof command - len, "%s%s", i ? " " : "",
                 json_string_value(word));
    }
    tool_say("%s, %d CPUs, %s, %s\n%s\n", json_string_value(json_object_get(root, "cpu")),
             sides->service->num_cpus, json_string_value(json_object_get(root, "openssl")),
             json_string_value(json_object_get(root, "date")), command);
    json_decref(root);
}

const char *bench_value(double x, const char *unit, char out[32])
{
    if (!strcmp(unit, "requests/s"))
        snprintf(out, 32, "%.3gM/s", x / 1e6);
    else if (x >= 1e4)
        snprintf(out, 32, "%.3g %s", x / (x < 1e6 ? 1e3 : 1e6), x < 1e6 ? "us" : "ms");
    else
        snprintf(out, 32, "%.*f ns", x < 100 ? 1 : 0, x);
    return out;
}

int bench_decimals(double ratio)
{
    return ratio < 0.1 ? 3 : ratio < 10 ? 2 : ratio < 100;
}

static const char *work_name(const struct bench_line *line, char out[64])
{
    const bool both = hr_class_of(line->work.row)->ops[0].out && !line->note;
    snprintf(out, 64, "%s%s%s", line->work.row->name, line->note || both ? " " : "",
             line->note ? line->note
             : both     ? direction(line)
                        : "");
    return out;
}

static void print_line(const struct bench_line *line)
{
    char ours[32], theirs[32], name[64], quartiles[32];
    tool_say("  %-21s %5zu %9s", work_name(line, name), line->work.size,
             bench_value(line->ours, line->unit, ours));
    snprintf(quartiles, sizeof quartiles, "%.*f-%.*f", bench_decimals(line->low), line->low,
             bench_decimals(line->high), line->high);
    if (line->theirs_name)
        tool_say(" %9s %6.*f %-*s", bench_value(line->theirs, line->unit, theirs),
                 bench_decimals(line->ratio), line->ratio, line->bar_is != BAR_NONE ? 11 : 0,
                 quartiles);
    else
        tool_say("%29s", "");
    if (line->bar_is != BAR_NONE) {
        tool_say(" %s%-4g", line->bar_is == BAR_LEAST ? ">=" : "<=", line->bar);
        tool_print(stdout, meets(line) ? "32" : "31", " %s", meets(line) ? "yes" : "no");
    }
    putchar('\n');
}

static void print_lines(const struct bench_report *report, enum bench_part part)
{
    const char *group = "";
    for (size_t i = 0; i < report->num; i++) {
        const struct bench_line *line = &report->lines[i];
        if (line->part != part)
            continue;
        if (strcmp(group, line->group)) {
            printf("\n");
            tool_print(stdout, "1", "%s\n", line->group);
            tool_say("  %-21s %5s %9s %9s %6s %-11s %s\n", "", "bytes", "ours",
                     line->theirs_name ? "theirs" : "", line->theirs_name ? "ratio" : "",
                     line->theirs_name ? "quartiles" : "",
                     line->bar_is != BAR_NONE ? "bar    met" : "");
        }
        group = line->group;
        print_line(line);
    }
}

/* Prints the lines group by group; each measurement gave a line for every group. */
static void print_groups(const struct bench_report *report, enum bench_part part)
{
    static struct bench_report some;
    const char *done[16];
    size_t num = 0, d;
    for (size_t i = 0; i < report->num; i++) {
        const struct bench_line *line = &report->lines[i];
        for (d = 0; d < num && strcmp(done[d], line->group); d++)
            ;
        if (line->part != part || d < num || num == COUNT(done))
            continue;
        done[num++] = line->group;
        some.num = 0;
        for (size_t k = i; k < report->num; k++)
            if (report->lines[k].part == part && !strcmp(report->lines[k].group, line->group))
                some.lines[some.num++] = report->lines[k];
        print_lines(&some, part);
    }
}

static bool same_work(const struct bench_work *a, const struct bench_work *b)
{
    return a->row == b->row && a->op == b->op && a->size == b->size;
}

/* Prints a row for each piece of work, with columns for the ratios of one way of ours to the
 * others. */
static void print_matrix(const struct bench_report *report, enum bench_way ours,
                         const char *heading)
{
    const char *const ours_name = bench_way_titles[ours];
    const struct bench_line *first = NULL, *last = NULL;
    char text[32], name[64];
    for (size_t i = 0; i < report->num; i++) {
        const struct bench_line *line = &report->lines[i];
        if (line->part != PART_MATRIX || strcmp(line->ours_name, ours_name) != 0)
            continue;
        if (!first) {
            first = line;
            putchar('\n');
            tool_print(stdout, "1", "%s: times by which it is faster, below 1 slower\n", heading);
            tool_say("  %-21s %5s %9s", "", "bytes", "ours");
            for (size_t k = i; k < report->num && same_work(&report->lines[k].work, &first->work);
                 k++)
                if (!strcmp(report->lines[k].ours_name, ours_name))
                    tool_say(" %7s", report->lines[k].group);
        }
        if (!last || !same_work(&last->work, &line->work))
            tool_say("\n  %-21s %5zu %9s", work_name(line, name), line->work.size,
                     bench_value(line->ours, line->unit, text));
        printf(" %7.*f", bench_decimals(line->ratio), line->ratio);
        last = line;
    }
    if (last)
        putchar('\n');
}

void bench_print(const struct bench_report *report)
{
    bench_print_facts(report->sides);
    for (enum bench_part part = PART_PAIRS; part < PART_MATRIX; part++)
        print_groups(report, part);
    print_matrix(report, BENCH_RING, "round trip of the ring");
    print_matrix(report, BENCH_RING_64, "ring, 64 in flight");
}

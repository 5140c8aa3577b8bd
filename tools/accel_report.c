/* SPDX-License-Identifier: Apache-2.0 */
/* What `headrace accel bench` tells: a table for people, or JSON. */
#include "accel_bench.h"
#include "speed.h"
#include <stdlib.h>
#include <string.h>

static bool meets(const struct bench_line *line)
{
    const double value = line->theirs_name ? line->ratio : line->ours;
    return line->bar_is == BAR_LEAST ? value >= line->bar : value <= line->bar;
}

static const char *direction(const struct bench_line *line)
{
    const struct cell cell = { line->work.row,
                               line->work.op == HR_JOB_ENCRYPT ? HR_OP_ENCRYPT : HR_OP_DECRYPT,
                               line->work.size };
    return cell_direction(&cell);
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

static json_t *facts(const struct bench_report *report)
{
    json_t *root = json_object();
    const struct bench_sides *sides = report->sides;
    speed_add_facts(root);
    json_object_set_new(root, "openssl", json_string(sides->ssl->OpenSSL_version(OPENSSL_VERSION)));
    json_object_set_new(root, "cpus", json_integer(sides->service->num_cpus));
    if (sides->service->pid)
        json_object_set_new(root, "accelerator_cpu", json_integer(sides->service->cpu));
    return root;
}

int bench_print_json(const struct bench_report *report)
{
    json_t *root = facts(report), *lines = json_array();
    for (size_t i = 0; i < report->num; i++)
        json_array_append_new(lines, line_object(&report->lines[i]));
    json_object_set_new(root, "lines", lines);
    const int code = speed_print_json(root);
    json_decref(root);
    return code;
}

/* ---- text ---- */

static void print_facts(const struct bench_report *report)
{
    json_t *root = facts(report), *word;
    size_t i;
    char command[256] = "";
    json_array_foreach(json_object_get(root, "command"), i, word)
    {
        const size_t len = strlen(command);
        snprintf(command + len, sizeof command - len, "%s%s", i ? " " : "",
                 json_string_value(word));
    }
    printf("%s, %d CPUs, %s, %s\n%s\n", json_string_value(json_object_get(root, "cpu")),
           report->sides->service->num_cpus, json_string_value(json_object_get(root, "openssl")),
           json_string_value(json_object_get(root, "date")), command);
    json_decref(root);
}

/* Three digits, whatever the size. */
static const char *value(double x, const char *unit, char out[32])
{
    if (!strcmp(unit, "requests/s"))
        snprintf(out, 32, "%.3g M/s", x / 1e6);
    else if (x >= 1e4)
        snprintf(out, 32, "%.3g us", x / 1e3);
    else
        snprintf(out, 32, "%.*f ns", x < 100 ? 1 : 0, x);
    return out;
}

static void print_line(const struct bench_line *line)
{
    char ours[32], theirs[32], name[64];
    snprintf(name, sizeof name, "%s %s", line->work.row->name,
             line->work.row->cls == HR_CLASS_CIPHER ? direction(line) : "");
    printf("  %-20s %5zu %-9s %9s", name, line->work.size, line->note ? line->note : "",
           value(line->ours, line->unit, ours));
    if (line->theirs_name)
        printf(" %9s  %6.2f  %6.2f-%-6.2f", value(line->theirs, line->unit, theirs), line->ratio,
               line->low, line->high);
    else
        printf("%33s", "");
    if (line->bar_is != BAR_NONE)
        tool_print(stdout, meets(line) ? "32" : "31", "  %s %g%s",
                   line->bar_is == BAR_LEAST ? ">=" : "<=", line->bar,
                   meets(line) ? "" : " missed");
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
            printf("  %-20s %5s %-9s %9s %9s  %6s  %-13s  bar\n", "", "bytes", "", "ours",
                   line->theirs_name ? "theirs" : "", line->theirs_name ? "ratio" : "",
                   line->theirs_name ? "quartiles" : "");
        }
        group = line->group;
        print_line(line);
    }
}

/* A group of pairs at a time: cells give a line to each. */
static void print_pairs(const struct bench_report *report)
{
    static struct bench_report some;
    const char *done[16];
    size_t num = 0, d;
    for (size_t i = 0; i < report->num; i++) {
        const struct bench_line *line = &report->lines[i];
        for (d = 0; d < num && strcmp(done[d], line->group); d++)
            ;
        if (line->part != PART_PAIRS || d < num || num == COUNT(done))
            continue;
        done[num++] = line->group;
        some.num = 0;
        for (size_t k = i; k < report->num; k++)
            if (report->lines[k].part == PART_PAIRS && !strcmp(report->lines[k].group, line->group))
                some.lines[some.num++] = report->lines[k];
        print_lines(&some, PART_PAIRS);
    }
}

static bool same_work(const struct bench_work *a, const struct bench_work *b)
{
    return a->row == b->row && a->op == b->op && a->size == b->size;
}

/* A row for each cell; its columns are the ratios of two ways, by what is ours. */
static void print_matrix(const struct bench_report *report)
{
    const struct bench_line *last = NULL;
    char text[32], name[64];
    for (size_t i = 0; i < report->num; i++) {
        const struct bench_line *line = &report->lines[i];
        if (line->part != PART_MATRIX)
            continue;
        if (!last) {
            putchar('\n');
            tool_print(stdout, "1",
                       "times by which the ring is faster, below 1 where it is slower");
            printf("\n  %-25s", "");
            for (size_t k = i; k < report->num && (report->lines[k].part != PART_MATRIX ||
                                                   same_work(&report->lines[k].work, &line->work));
                 k++)
                if (report->lines[k].part == PART_MATRIX)
                    printf("%s %8s",
                           k == i || report->lines[k].ours_name != report->lines[k - 1].ours_name
                               ? k == i ? " round trip" : "  64 in flight"
                               : "",
                           report->lines[k].group);
        }
        if (!last || !same_work(&last->work, &line->work)) {
            snprintf(name, sizeof name, "%s %s", line->work.row->name,
                     line->work.row->cls == HR_CLASS_CIPHER ? direction(line) : "");
            printf("\n  %-20s %4zu", name, line->work.size);
        }
        if (!last || last->ours_name != line->ours_name)
            printf(" %*s", !last || !same_work(&last->work, &line->work) ? 11 : 13,
                   value(line->ours, line->unit, text));
        printf(" %8.3g", line->ratio);
        last = line;
    }
    if (last)
        putchar('\n');
}

void bench_print(const struct bench_report *report)
{
    print_facts(report);
    print_pairs(report);
    for (enum bench_part part = PART_PROCESSES; part < PART_MATRIX; part++)
        print_lines(report, part);
    print_matrix(report);
}

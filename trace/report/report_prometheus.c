/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a file for the node exporter's textfile collector, in Prometheus's text format 0.0.4. Rows
 * with the same labels form one series. Only the largest series keep all labels, so that the
 * database of many machines does not grow with the number of program names.
 */
#define _GNU_SOURCE
#include "../escape.h"
#include "beside.h"
#include "report.h"
#include "shares.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SERIES = 200 };

struct series {
    const char *process, *container, *algorithm, *how, *library;
    uint64_t samples;
};

/* ---- labels ---- */

static const struct report_process *process_of(const struct report_row *row, const struct report *r)
{
    if (r->mode && !strcmp(r->mode, "system"))
        return row->process < r->num_processes ? &r->processes[row->process] : NULL;
    for (size_t i = 0; i < r->num_processes; i++)
        if (r->processes[i].pid == r->pid)
            return &r->processes[i];
    return r->num_processes ? &r->processes[0] : NULL;
}

static struct series series_of(const struct report_row *row, const struct report *r)
{
    const struct report_process *p = process_of(row, r);
    return (struct series){ .process = p ? p->name : "",
                            .container = p ? p->cgroup : "",
                            .algorithm = family_info(row->finding.family)->name,
                            .how = family_how_name(row->finding.how),
                            .library = row->library,
                            .samples = row->samples };
}

static int by_labels(const void *left, const void *right)
{
    const struct series *x = left, *y = right;
    const int orders[] = { strcmp(x->process, y->process), strcmp(x->container, y->container),
                           strcmp(x->algorithm, y->algorithm), strcmp(x->how, y->how),
                           strcmp(x->library, y->library) };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (orders[i])
            return orders[i];
    return 0;
}

static int by_samples(const void *left, const void *right)
{
    const struct series *x = left, *y = right;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    return by_labels(left, right);
}

static size_t merged(struct series *all, size_t num)
{
    size_t kept = 0;
    if (num)
        qsort(all, num, sizeof *all, by_labels);
    for (size_t i = 0; i < num; i++) {
        if (kept && !by_labels(&all[kept - 1], &all[i]))
            all[kept - 1].samples += all[i].samples;
        else
            all[kept++] = all[i];
    }
    return kept;
}

/* Takes process, container and library out of the labels of the smaller series. */
static size_t bounded(struct series *all, size_t num)
{
    if (num <= MAX_SERIES)
        return num;
    qsort(all, num, sizeof *all, by_samples);
    for (size_t i = MAX_SERIES; i < num; i++)
        all[i].process = all[i].container = all[i].library = "other";
    return merged(all, num);
}

/* ---- lines ---- */

static void print_head(FILE *f, const char *name, const char *help)
{
    fprintf(f, "# HELP headrace_trace_%s %s\n# TYPE headrace_trace_%s gauge\n", name, help, name);
}

static void print_label(FILE *f, const char *name, const char *value, char before)
{
    fprintf(f, "%c%s=\"", before, name);
    escape_label(f, value);
    fputc('"', f);
}

static int print_shares(FILE *f, const struct report *r)
{
    struct series *all = calloc(r->num_rows + 1, sizeof *all);
    size_t num = 0;
    if (!all)
        return -1;
    for (size_t i = 0; i < r->num_rows; i++)
        if (r->rows[i].finding.family != FAMILY_NONE)
            all[num++] = series_of(&r->rows[i], r);
    num = bounded(all, merged(all, num));
    print_head(f, "cpu_share", "Share of all samples, 0 to 1.");
    for (size_t i = 0; i < num; i++) {
        fputs("headrace_trace_cpu_share", f);
        print_label(f, "process", all[i].process, '{');
        print_label(f, "container", all[i].container, ',');
        print_label(f, "algorithm", all[i].algorithm, ',');
        print_label(f, "how", all[i].how, ',');
        print_label(f, "library", all[i].library, ',');
        fprintf(f, "} %.6f\n", verdict_share_of(all[i].samples, r));
    }
    free(all);
    return 0;
}

static void print_cpu(FILE *f, const struct report *r)
{
    print_head(f, "cpu_has", "Whether this CPU has instructions for the algorithm.");
    for (unsigned i = FAMILY_NONE + 1; i < NUM_FAMILIES; i++)
        if (family_is_crypto((enum family)i)) {
            fputs("headrace_trace_cpu_has", f);
            print_label(f, "algorithm", family_info((enum family)i)->name, '{');
            fprintf(f, "} %d\n", (int)(r->cpu_families >> i & 1));
        }
}

static void print_totals(FILE *f, const struct report *r)
{
    const struct {
        const char *name, *help;
        double value;
    } totals[] = {
        { "samples", "Samples of the trace.", (double)r->samples },
        { "lost_samples", "Samples that the kernel could not deliver.", (double)r->lost },
        { "uncovered_samples", "Samples in code that could not be read.",
          (double)r->uncovered_samples },
        { "functions_covered", "Functions with crypto that were looked at.", (double)r->covered },
        { "functions_uncovered", "Functions with crypto that could not be counted.",
          (double)r->uncovered },
        { "waste", "Sentences on waste in the report.", (double)r->num_waste },
        { "duration_seconds", "Length of the trace.", r->seconds },
        { "timestamp_seconds", "Begin of the trace, in seconds since 1970.", (double)r->started },
    };
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        print_head(f, totals[i].name, totals[i].help);
        fprintf(f, "headrace_trace_%s %.15g\n", totals[i].name, totals[i].value);
    }
}

int report_prometheus_to(FILE *f, const struct report *r)
{
    const int failed = print_shares(f, r);
    print_cpu(f, r);
    print_totals(f, r);
    return failed || fflush(f) || ferror(f) ? -1 : 0;
}

int report_prometheus(const char *path, const struct report *r)
{
    struct beside out;
    if (beside_open(&out, path, 0644))
        return -1;
    return beside_close(&out, report_prometheus_to(out.f, r));
}

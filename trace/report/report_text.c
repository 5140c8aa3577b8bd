/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the report for people: verdicts, the rows behind them, a legend, and a list of what was
 * not covered.
 */
#define _GNU_SOURCE
#include "../escape.h"
#include "report.h"
#include "report_table.h"
#include "report_words.h"
#include "shares.h"
#include "tool.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Rows with a share below this are summed up in one line, unless -v; the first counted ones are
 * not. */
static const double folded = 0.005;
enum { MAX_COUNTED = 40, MAX_PROCESSES = 20, MAX_GAPS = 10 };

struct printer {
    FILE *f;
    const struct report *r;
    struct table_style style;
    bool verbose, system;
};

/* ---- verdicts ---- */

static const char *colour_of(enum how how)
{
    static const char *const colours[NUM_HOWS] = {
        [HOW_HARDWARE] = "32",
        [HOW_SOFTWARE] = "31",
        [HOW_VECTOR] = "33",
    };
    return colours[how];
}

static void print_verdicts(const struct printer *p)
{
    struct verdict all[NUM_FAMILIES];
    const size_t num = report_verdicts(all, NUM_FAMILIES, p->r);
    char text[512] = "";
    size_t more = 0;
    for (size_t i = 0; i < num; i++) {
        if (p->verbose || !i || all[i].share >= folded || all[i].share <= 0)
            table_paragraph(p->f, "VERDICT", colour_of(all[i].how), all[i].text, &p->style);
        else
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s (%s)",
                     more++ ? ", " : "", family_info(all[i].family)->name,
                     family_how_name(all[i].how));
    }
    if (more) {
        char line[600];
        snprintf(line, sizeof line, "below %.1f%% of CPU each: %s", 100 * folded, text);
        table_paragraph(p->f, "VERDICT", NULL, line, &p->style);
    }
    if (num)
        return;
    report_no_verdict(text, sizeof text, p->r);
    table_paragraph(p->f, "VERDICT", NULL, text, &p->style);
}

/* ---- processes ---- */

static const struct table_column process_columns[] = {
    { "PID", true, 0 },
    { "CPU%", true, 0 },
    { "HARDWARE%", true, 0 },
    { "SOFTWARE%", true, 0 },
    { "VECTOR%", true, 0 },
    { "PROCESS", false, 8 },
    { "CONTAINER OR UNIT", false, 12 },
};

static void add_process(struct table *t, const struct report_process *process,
                        const struct printer *p)
{
    struct table_cell *cells = table_row(t);
    char name[ESCAPE_MAX], group[ESCAPE_MAX];
    if (!cells)
        return;
    const uint64_t samples[] = { process->samples, process->hardware, process->software,
                                 process->vector };
    const char *const colours[] = { NULL, "32", "31", "33" };
    table_cell(&cells[0], NULL, "%d", (int)process->pid);
    for (size_t i = 0; i < COUNT(samples); i++)
        table_cell(&cells[1 + i], samples[i] ? colours[i] : NULL, "%.1f",
                   100 * verdict_share_of(samples[i], p->r));
    table_cell(&cells[5], NULL, "%s", escape_clean(name, process->name, p->style.ascii));
    table_cell(&cells[6], NULL, "%s", escape_clean(group, process->cgroup, p->style.ascii));
}

static void print_processes(const struct printer *p)
{
    const struct report *r = p->r;
    struct table t = { .columns = process_columns, .num_columns = COUNT(process_columns) };
    size_t num = 0;
    for (size_t i = 0; i < r->num_processes; i++)
        if (r->processes[i].samples && (num++ < MAX_PROCESSES || p->verbose))
            add_process(&t, &r->processes[i], p);
    if (num)
        table_print(p->f, &t, &p->style);
    if (num > MAX_PROCESSES && !p->verbose)
        fprintf(p->f, "and %zu processes more: -v\n", num - MAX_PROCESSES);
    table_free(&t);
}

/* ---- rows ---- */

static const struct table_column row_columns[] = {
    { "ALGORITHM", false, 0 }, { "HOW", false, 0 },       { "CPU%", true, 0 },
    { "CALLS", true, 0 },      { "BYTES", true, 0 },      { "LIBRARY", false, 8 },
    { "FUNCTION", false, 16 }, { "EVIDENCE", false, 10 }, { "PROCESS", false, 10 },
};

static void add_row(struct table *t, const struct report_row *row, const struct printer *p)
{
    struct table_cell *cells = table_row(t);
    char words[WORDS_MAX], clean[ESCAPE_MAX];
    const bool ascii = p->style.ascii;
    if (!cells)
        return;
    words_algorithm(words, &row->finding);
    table_cell(&cells[0], NULL, "%s", words);
    table_cell(&cells[1], colour_of(row->finding.how), "%s", family_how_name(row->finding.how));
    if (row->samples)
        table_cell(&cells[2], NULL, "%.1f", 100 * verdict_share_of(row->samples, p->r));
    else
        table_cell(&cells[2], NULL, "-");
    words_calls(words, row, ascii);
    table_cell(&cells[3], NULL, "%s", words);
    words_bytes(words, row, ascii);
    table_cell(&cells[4], NULL, "%s", words);
    table_cell(&cells[5], NULL, "%s", escape_clean(clean, row->library, ascii));
    table_cell(&cells[6], NULL, "%s%s", escape_clean(clean, row->function, ascii),
               row->source == NAME_FINGERPRINT ? "~" : "");
    words_evidence(words, &row->finding);
    table_cell(&cells[7], NULL, "%s", escape_clean(clean, words, ascii));
    if (p->system && row->process < p->r->num_processes) {
        const struct report_process *process = &p->r->processes[row->process];
        table_cell(&cells[8], NULL, "%s %d", escape_clean(clean, process->name, ascii),
                   (int)process->pid);
    }
}

static bool is_shown(const struct report_row *row, size_t counted, const struct printer *p)
{
    return p->verbose || verdict_share_of(row->samples, p->r) >= folded ||
           (row->exactness != COUNT_NONE && counted < MAX_COUNTED);
}

static void print_rows(const struct printer *p)
{
    const struct report *r = p->r;
    struct table t = { .columns = row_columns,
                       .num_columns = COUNT(row_columns) - (p->system ? 0 : 1) };
    size_t hidden = 0, counted = 0;
    uint64_t samples = 0;
    for (size_t i = 0; i < r->num_rows; i++) {
        const struct report_row *row = &r->rows[i];
        if (row->finding.family == FAMILY_NONE)
            continue;
        if (is_shown(row, counted, p)) {
            add_row(&t, row, p);
            counted += row->exactness != COUNT_NONE;
        } else {
            hidden++;
            samples += row->samples;
        }
    }
    if (t.num_rows)
        table_print(p->f, &t, &p->style);
    if (hidden)
        tool_print(p->f, NULL, "and %zu function%s below %.1f%%, %.1f%% of CPU together: -v\n",
                   hidden, hidden == 1 ? "" : "s", 100 * folded,
                   100 * verdict_share_of(samples, r));
    table_free(&t);
}

/* ---- the lines beneath the table ---- */

/* Explains the marks that occur in the table. */
static void print_legend(FILE *f, const struct printer *p)
{
    static const char *const meanings[] = {
        [COUNT_EXACT] = "exact", [COUNT_AT_LEAST] = "at least"
    };
    bool fingerprints = false, counts[COUNT_NONE + 1] = { false };
    for (size_t i = 0; i < p->r->num_rows; i++) {
        if (p->r->rows[i].finding.family == FAMILY_NONE)
            continue;
        fingerprints |= p->r->rows[i].source == NAME_FINGERPRINT;
        counts[p->r->rows[i].exactness] = true;
    }
    if (fingerprints)
        fputs("~ name from fingerprint   ", f);
    for (unsigned i = 0; i < COUNT(meanings); i++)
        if (counts[i])
            tool_print(f, NULL, "%s %s   ", words_mark((enum exactness)i, p->style.ascii),
                       meanings[i]);
}

static void print_totals(const struct printer *p)
{
    const struct report *r = p->r;
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return;
    print_legend(f, p);
    tool_print(f, NULL, "%" PRIu64 " sample%s", r->samples, r->samples == 1 ? "" : "s");
    if (r->kernel_samples)
        fprintf(f, " (%" PRIu64 " in the kernel)", r->kernel_samples);
    fprintf(f, ", %" PRIu64 " lost; %" PRIu64 " functions covered, %" PRIu64 " uncovered", r->lost,
            r->covered, r->uncovered);
    if (!fclose(f))
        table_paragraph(p->f, "", NULL, text, &p->style);
    free(text);
}

static void print_notes(const struct printer *p)
{
    const struct report *r = p->r;
    for (size_t i = 0; i < r->num_waste; i++)
        table_paragraph(p->f, "WASTE", "33", r->waste[i], &p->style);
    for (size_t i = 0; i < r->num_gaps && (p->verbose || i < MAX_GAPS); i++) {
        char what[ESCAPE_MAX], why[ESCAPE_MAX], *line = NULL;
        escape_clean(what, r->gaps[i].what, p->style.ascii);
        escape_clean(why, r->gaps[i].why, p->style.ascii);
        if (asprintf(&line, "%s: %s", what, why) < 0)
            return;
        table_paragraph(p->f, "NOT COVERED", "33", line, &p->style);
        free(line);
    }
    if (r->num_gaps > MAX_GAPS && !p->verbose)
        fprintf(p->f, "and %zu more not covered: -v\n", r->num_gaps - MAX_GAPS);
}

/* ---- the kernel's own crypto ---- */

/* Whether the kernel prefers this driver for its name. */
static bool is_preferred(const struct report_driver *d, const struct report *r)
{
    for (size_t i = 0; i < r->num_drivers; i++)
        if (!strcmp(r->drivers[i].name, d->name) && r->drivers[i].priority > d->priority)
            return false;
    return strncmp(d->name, "__", 2) != 0;
}

enum side { KERNEL_HARDWARE, KERNEL_EITHER, KERNEL_SOFTWARE };

static enum side side_of(const struct report_driver *d)
{
    return d->hardware ? KERNEL_HARDWARE : d->either ? KERNEL_EITHER : KERNEL_SOFTWARE;
}

static void print_drivers(const struct printer *p, enum side side, const char *title)
{
    char *text = NULL, clean[ESCAPE_MAX];
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    const char *comma = "";
    for (size_t i = 0; f && i < p->r->num_drivers; i++) {
        const struct report_driver *d = &p->r->drivers[i];
        if (side_of(d) != side || !is_preferred(d, p->r))
            continue;
        tool_print(f, NULL, "%s%s%s", comma, escape_clean(clean, d->name, p->style.ascii),
                   d->in_use ? "*" : "");
        if (d->samples)
            fprintf(f, " %.1f%%", 100 * verdict_share_of(d->samples, p->r));
        comma = ", ";
    }
    if (f && !fclose(f) && len)
        table_paragraph(p->f, title, NULL, text, &p->style);
    free(text);
}

static void print_kernel(const struct printer *p)
{
    if (!p->r->num_drivers)
        return;
    print_drivers(p, KERNEL_HARDWARE, "KERNEL HARDWARE");
    print_drivers(p, KERNEL_EITHER, "KERNEL EITHER");
    print_drivers(p, KERNEL_SOFTWARE, "KERNEL SOFTWARE");
    table_paragraph(p->f, "", NULL,
                    "* in use. If several drivers have one name, the kernel's preferred one is "
                    "shown. KERNEL EITHER: the kernel's own library, which uses the CPU's "
                    "instructions if the kernel was built so",
                    &p->style);
}

int report_text(FILE *f, const struct report *r, bool verbose)
{
    struct printer p = { f, r, table_style(f), verbose, r->mode && !strcmp(r->mode, "system") };
    print_verdicts(&p);
    if (p.system)
        print_processes(&p);
    print_rows(&p);
    print_totals(&p);
    print_notes(&p);
    if (p.system || verbose)
        print_kernel(&p);
    return fflush(f) || ferror(f) ? -1 : 0;
}

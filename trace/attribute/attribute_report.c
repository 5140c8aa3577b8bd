/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns the units into rows of a report. JIT code is summed up by method only here, because maps of
 * names come last. Samples of a unit without a finding may be attributed to its main finding.
 */
#define _GNU_SOURCE
#include "../budget.h"
#include "../classify/classify.h"
#include "../names/names.h"
#include "attribute_internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows while they are added, and the function of each. */
struct build {
    struct report *report;
    size_t max_rows, max_gaps;
    const struct function **functions; /* the function of each row */
    size_t max_functions;
    uint64_t beyond; /* samples for whose rows there was no memory */
    bool failed;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* ---- units ---- */

/* The tally with most samples, to which samples without a finding may be attributed. Registers
 * point into a table at some instructions of a function only, and windows of JIT code contain
 * evidence at some addresses only. */
static struct tally *main_tally(struct unit *u)
{
    struct tally *best = NULL;
    for (size_t i = 0; i < u->num_tallies; i++)
        if (!best || u->tallies[i].samples > best->samples)
            best = &u->tallies[i];
    return best;
}

static uint64_t told(const struct unit *u)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < u->num_tallies; i++)
        sum += u->tallies[i].samples;
    return sum;
}

/* Attributes the samples without a finding to the main tally, if at least two samples, and one
 * in `named` or `unnamed`, have it; only in JIT code, or if the evidence of the tally is a
 * register. */
static void explain_rest(struct unit *u)
{
    const uint64_t named = 8, unnamed = 2;
    struct tally *best = main_tally(u);
    const bool whole = u->kind == UNIT_JIT || (best && best->finding.grade == GRADE_C);
    const uint64_t part = u->kind == UNIT_JIT && !u->name ? unnamed : named;
    if (best && whole && best->samples > 1 && best->samples * part >= u->samples)
        best->samples += u->samples - told(u);
}

/* ---- JIT ---- */

static const char *jit_name(const struct attribution *a, const struct unit *u)
{
    const struct perfmap_entry *e = perfmap_find(&a->procs[u->process].perfmap, u->ip);
    return e ? e->name : NULL;
}

static int compare_names(const char *x, const char *y)
{
    return x && y ? strcmp(x, y) : (x != NULL) - (y != NULL);
}

static int compare_methods(const void *left, const void *right)
{
    const struct unit *x = left, *y = right;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    const int names = compare_names(x->name, y->name);
    if (names || x->name)
        return names;
    return (x->ip > y->ip) - (x->ip < y->ip);
}

static void merge(struct unit *into, const struct unit *u)
{
    const struct finding none = { .how = HOW_NONE };
    for (size_t i = 0; i < u->num_tallies; i++)
        attribute_unit_add(into, &u->tallies[i].finding, u->tallies[i].samples);
    attribute_unit_add(into, &none, u->samples - told(u));
}

/* Merges the units of JIT code by method, or by page where the method has no name. Returns how
 * many there are. */
static size_t jit_units(struct build *b, struct attribution *a, struct unit **out)
{
    enum { PAGE = 4096 };
    size_t num = 0, merged = 0;
    for (size_t i = 0; i < a->num_units; i++)
        num += a->units[i].kind == UNIT_JIT;
    const bool fits = budget_take(num * sizeof **out);
    struct unit *units = *out = malloc(((fits ? num : 0) + 1) * sizeof *units);
    b->failed |= !units;
    for (size_t i = 0; i < a->num_units && !fits; i++)
        b->beyond += a->units[i].kind == UNIT_JIT ? a->units[i].samples : 0;
    if (!units || !fits)
        return 0;
    num = 0;
    for (size_t i = 0; i < a->num_units; i++)
        if (a->units[i].kind == UNIT_JIT) {
            struct unit *u = &units[num++];
            *u = a->units[i];
            u->name = jit_name(a, u);
            u->source = u->name ? NAME_PERFMAP : NAME_NONE;
            u->ip &= ~(uint64_t)(PAGE - 1);
        }
    qsort(units, num, sizeof *units, compare_methods);
    for (size_t i = 0; i < num; i++)
        if (merged && !compare_methods(&units[merged - 1], &units[i]))
            merge(&units[merged - 1], &units[i]);
        else
            units[merged++] = units[i];
    return merged;
}

/* ---- rows ---- */

/* Makes room for one more element, which the caller has counted. */
static void *grow(void *array, size_t num, size_t *max, size_t size)
{
    if (num < *max)
        return array;
    const size_t larger = *max ? *max * 2 : 16;
    void *new = reallocarray(array, larger, size);
    *max = new ? larger : *max;
    return new;
}

/* samples: those of the row, which are reported as missing if the budget has no room for it. */
static struct report_row *add_row(struct build *b, const struct function *function,
                                  uint64_t samples)
{
    enum { STRINGS = 256 };
    struct report *r = b->report;
    if (!budget_take(2 * sizeof(struct report_row) + STRINGS)) {
        b->beyond += samples;
        return NULL;
    }
    struct report_row *rows = grow(r->rows, r->num_rows, &b->max_rows, sizeof *rows);
    const struct function **functions =
        grow(b->functions, r->num_rows, &b->max_functions, sizeof *functions);
    if (rows)
        r->rows = rows;
    if (functions)
        b->functions = functions;
    b->failed |= !rows || !functions;
    if (b->failed)
        return NULL;
    functions[r->num_rows] = function;
    rows[r->num_rows] = (struct report_row){ .exactness = COUNT_NONE };
    return &rows[r->num_rows++];
}

static char *text_at(const char *name, uint64_t address)
{
    char *text = NULL;
    if (name)
        return strdup(name);
    return asprintf(&text, "+0x%" PRIx64, address) < 0 ? NULL : text;
}

static char *library_of(const struct unit *u)
{
    char *text = NULL;
    if (u->kind == UNIT_FUNCTION)
        return strdup(base_name(u->object->path));
    if (u->kind == UNIT_JIT)
        return strdup("[JIT]");
    if (!u->where || !*u->where)
        return strdup("[kernel]");
    return asprintf(&text, "[%s]", u->where) < 0 ? NULL : text;
}

static char *function_of(const struct unit *u)
{
    return text_at(u->name, u->kind == UNIT_FUNCTION ? u->function->start : u->ip);
}

static struct report_row *row_of_unit(struct build *b, const struct attribution *a,
                                      const struct unit *u, const struct finding *finding,
                                      uint64_t samples)
{
    struct report_row *row = add_row(b, u->kind == UNIT_FUNCTION ? u->function : NULL, samples);
    if (!row)
        return NULL;
    row->finding = *finding;
    row->process = a->by_process ? u->process : 0;
    row->source = u->source;
    row->offset = u->kind == UNIT_FUNCTION ? u->function->start : u->ip;
    row->library = library_of(u);
    row->function = function_of(u);
    b->failed |= !row->library || !row->function;
    return row;
}

static void count_process(struct report_process *p, const struct tally *t)
{
    if (!family_is_crypto(t->finding.family))
        return;
    if (t->finding.how == HOW_HARDWARE)
        p->hardware += t->samples;
    else if (t->finding.how == HOW_VECTOR)
        p->vector += t->samples;
    else if (t->finding.how == HOW_SOFTWARE)
        p->software += t->samples;
}

static void add_unit(struct build *b, const struct attribution *a, const struct unit *unit)
{
    const struct finding none = { .how = HOW_NONE };
    struct unit u = *unit;
    explain_rest(&u);
    for (size_t i = 0; i < u.num_tallies; i++) {
        struct report_row *row = row_of_unit(b, a, &u, &u.tallies[i].finding, u.tallies[i].samples);
        if (!row)
            continue;
        row->samples = u.tallies[i].samples;
        count_process(&b->report->processes[u.process], &u.tallies[i]);
    }
    const char *name = u.kind == UNIT_FUNCTION ? u.name : NULL;
    if (u.num_tallies || !name || !name_waste(name))
        return;
    struct report_row *row = row_of_unit(b, a, &u, &none, u.samples);
    if (row)
        row->samples = u.samples;
}

/* ---- counts ---- */

/* The row to which a function's counted calls are added: the one with most samples, as calls
 * cannot be told apart by process or way. */
static struct report_row *counted_row(struct build *b, const struct probe *probe)
{
    struct report *r = b->report;
    struct report_row *best = NULL;
    for (size_t i = 0; i < r->num_rows; i++)
        if (b->functions[i] == probe->function && (!best || r->rows[i].samples > best->samples))
            best = &r->rows[i];
    return best;
}

/* Adds a row for a function that was called but has no sample. */
static struct report_row *new_counted_row(struct build *b, const struct attribution *a,
                                          const struct probe *probe)
{
    struct unit u = { .kind = UNIT_FUNCTION, .object = probe->object, .function = probe->function };
    struct finding found = { .how = HOW_NONE };
    u.name = classify_name(&u.source, probe->object, probe->function);
    if (!classify_function(&found, 1, probe->object, probe->function, true) &&
        !(u.name && name_waste(u.name)))
        return NULL;
    return budget_cut ? NULL : row_of_unit(b, a, &u, &found, 0);
}

static void add_counts(struct build *b, const struct attribution *a, const struct probe *probes,
                       size_t num_probes)
{
    for (size_t i = 0; i < num_probes && !b->failed; i++) {
        const struct probe *probe = &probes[i];
        if (!probe->calls || probe->exactness == COUNT_NONE)
            continue;
        struct report_row *row = counted_row(b, probe);
        if (!row)
            row = new_counted_row(b, a, probe);
        if (!row)
            continue;
        row->calls += probe->calls;
        row->bytes += probe->bytes;
        row->bytes_known = probe->bytes_known;
        row->exactness = probe->exactness;
    }
}

/* ---- processes, gaps, totals ---- */

static void add_processes(struct build *b, const struct attribution *a)
{
    struct report *r = b->report;
    r->processes = calloc(a->num_procs + 1, sizeof *r->processes);
    if (!r->processes) {
        b->failed = true;
        return;
    }
    r->num_processes = a->num_procs;
    for (size_t i = 0; i < a->num_procs; i++) {
        const struct proc *from = &a->procs[i];
        struct report_process *to = &r->processes[i];
        *to = (struct report_process){ .pid = from->pid,
                                       .samples = from->samples,
                                       .clues = from->clues };
        memcpy(to->name, from->name, sizeof to->name);
        memcpy(to->cgroup, from->cgroup, sizeof to->cgroup);
    }
}

/* counted: whether the samples are included in the report's number of samples. */
static void add_gap(struct build *b, const char *what, const char *why, uint64_t samples,
                    bool counted)
{
    struct report *r = b->report;
    struct report_uncovered *gaps = grow(r->gaps, r->num_gaps, &b->max_gaps, sizeof *gaps);
    b->failed |= !gaps;
    if (!gaps)
        return;
    r->gaps = gaps;
    struct report_uncovered *gap = &gaps[r->num_gaps++];
    gap->what = strdup(what);
    gap->why = NULL;
    if (asprintf(&gap->why, "%s; %" PRIu64 " samples", why, samples) < 0)
        gap->why = NULL;
    b->failed |= !gap->what || !gap->why;
    r->uncovered_samples += counted ? samples : 0;
}

static void add_map_gap(struct build *b, const char *process, const char *why)
{
    char what[128];
    snprintf(what, sizeof what, "%s, names of compiled code", process);
    add_gap(b, what, why, 0, false);
}

static void add_file_gaps(struct build *b, const struct attribution *a, const struct file *file)
{
    const bool refused = !file->object && budget_is_reason(file->why);
    if (file->samples_lost || refused || (!file->object && file->fd < 0 && !a->by_process))
        add_gap(b, file->path, file->why ? file->why : "code outside of its segments",
                file->samples_lost, true);
    if (file->samples_missed)
        add_gap(b, file->path, file->missed, file->samples_missed, true);
    if (file->object && file->object->note)
        add_gap(b, file->path, file->object->note, 0, false);
    b->report->unread_samples += (refused ? file->samples_lost : 0) + file->samples_missed;
}

static void add_gaps(struct build *b, const struct attribution *a)
{
    char what[64];
    for (size_t i = 0; i < a->num_files; i++)
        add_file_gaps(b, a, &a->files[i]);
    b->report->unread_samples += b->beyond;
    if (b->beyond)
        add_gap(b, "rows", budget_no_memory, b->beyond, true);
    if (a->late)
        add_gap(b, "code that was compiled at run time", budget_no_time, a->late, true);
    b->report->unread_samples += a->late;
    if (a->own_samples)
        add_gap(b, "headrace-trace", "its own work is left out", a->own_samples, false);
    if (a->beyond)
        add_gap(b, "processes", "more of them, or of JIT code, than is kept", a->beyond, true);
    for (size_t i = 0; i < a->num_procs; i++) {
        const struct proc *p = &a->procs[i];
        snprintf(what, sizeof what, "process %d (%s)", (int)p->pid, p->name);
        if (p->unknown)
            add_gap(b, what, "its mappings were not seen", p->unknown, true);
        else if (!strcmp(p->name, "?"))
            add_gap(b, what, "it ended before its name was read", 0, false);
        if (p->map_missed)
            add_map_gap(b, what, p->map_missed);
    }
}

/* Counts the functions with crypto in the files that were read; in a trace of single processes,
 * in all files that they map. */
static void add_covered(struct build *b, struct attribution *a)
{
    for (size_t i = 0; i < a->num_files; i++) {
        struct file *file = &a->files[i];
        const struct object *o = a->by_process ? file->object : attribute_object(a, file);
        for (size_t f = 0; o && f < o->num_functions; f++)
            b->report->covered +=
                (o->functions[f].marks & MARKS_CRYPTO) || o->functions[f].constants;
    }
}

static void add_uncovered(struct report *r, const struct probe *probes, size_t num_probes)
{
    uint64_t missed = 0;
    for (size_t i = 0; i < num_probes; i++)
        missed += probes[i].exactness == COUNT_NONE;
    r->uncovered = missed;
    r->covered -= missed < r->covered ? missed : r->covered;
}

static void look_for_names(struct attribution *a)
{
    for (size_t i = 0; i < a->num_units; i++) {
        const struct unit *u = &a->units[i];
        if (u->kind == UNIT_JIT && !jit_name(a, u) && !a->procs[u->process].asked) {
            a->procs[u->process].asked = true;
            attribute_perfmap(&a->procs[u->process]);
        }
    }
    for (size_t i = 0; i < a->num_procs; i++)
        a->procs[i].asked = false;
}

int attribute_report(struct attribution *a, struct report *r, const struct probe *probes,
                     size_t num_probes)
{
    struct build b = { .report = r };
    struct unit *jit;
    budget_give(a->report_taken); /* the report before was freed */
    budget_enter();
    look_for_names(a);
    add_processes(&b, a);
    const size_t before = budget_taken();
    const size_t num_jit = jit_units(&b, a, &jit);
    for (size_t i = 0; i < a->num_units && !b.failed; i++)
        if (a->units[i].kind != UNIT_JIT)
            add_unit(&b, a, &a->units[i]);
    for (size_t i = 0; i < num_jit && !b.failed; i++)
        add_unit(&b, a, &jit[i]);
    add_counts(&b, a, probes, num_probes);
    a->report_taken = budget_taken() - before;
    add_covered(&b, a);
    if (budget_look() && num_probes)
        add_gap(&b, "counts", budget_no_time, 0, false);
    budget_leave();
    add_gaps(&b, a);
    add_uncovered(r, probes, num_probes);
    r->samples = a->samples;
    r->kernel_samples = a->kernel_samples;
    r->lost = a->lost;
    free(jit);
    free(b.functions);
    return b.failed ? -1 : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints JSON for programs; headrace-trace(1) documents every member. A new member does not change
 * SCHEMA; a member that disappears or changes its meaning does.
 */
#define _GNU_SOURCE
#include "../escape.h"
#include "report.h"
#include "shares.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SCHEMA = 1 };

static json_t *text(const char *hostile)
{
    char clean[ESCAPE_MAX];
    return hostile ? json_string(escape_clean(clean, hostile, false)) : json_null();
}

static json_t *number(uint64_t n)
{
    return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

/* A number with four decimals, so that equal reports are printed equally on every machine. */
static json_t *decimals(double positive)
{
    return json_real((double)(int64_t)(positive * 1e4 + 0.5) / 1e4);
}

static json_t *known(bool is_known, json_t *value)
{
    if (is_known)
        return value;
    json_decref(value);
    return json_null();
}

static json_t *moment(int64_t seconds)
{
    char out[32];
    struct tm utc;
    const time_t t = (time_t)seconds;
    if (!seconds || !gmtime_r(&t, &utc) || !strftime(out, sizeof out, "%FT%TZ", &utc))
        return json_null();
    return json_string(out);
}

/* ---- the parts ---- */

static json_t *process_reference(const struct report_row *row, const struct report *r)
{
    const bool told = r->mode && !strcmp(r->mode, "system") && row->process < r->num_processes;
    return told ? json_integer(r->processes[row->process].pid) : json_null();
}

static json_t *row_object(const struct report_row *row, const struct report *r)
{
    static const char *const sources[] = {
        [NAME_NONE] = "none",       [NAME_SYMBOL] = "symbol",           [NAME_PCLNTAB] = "pclntab",
        [NAME_PERFMAP] = "perfmap", [NAME_FINGERPRINT] = "fingerprint", [NAME_KERNEL] = "kernel",
    };
    static const char *const exactness[] = {
        [COUNT_EXACT] = "exact", [COUNT_AT_LEAST] = "at least"
    };
    const struct finding *found = &row->finding;
    const bool counted = row->exactness != COUNT_NONE;
    const char grade[] = { (char)(found->grade ? found->grade : GRADE_E), '\0' };
    json_t *o = json_object();
    json_object_set_new(o, "algorithm", text(family_info(found->family)->name));
    json_object_set_new(o, "mode", text(found->mode));
    json_object_set_new(o, "how", json_string(family_how_name(found->how)));
    json_object_set_new(o, "variant", text(found->variant));
    json_object_set_new(o, "share", decimals(verdict_share_of(row->samples, r)));
    json_object_set_new(o, "samples", number(row->samples));
    json_object_set_new(o, "calls", known(counted, number(row->calls)));
    json_object_set_new(o, "bytes", known(counted && row->bytes_known, number(row->bytes)));
    json_object_set_new(o, "exact", known(counted, json_boolean(row->exactness == COUNT_EXACT)));
    json_object_set_new(o, "exactness", text(counted ? exactness[row->exactness] : NULL));
    json_object_set_new(o, "library", text(row->library));
    json_object_set_new(o, "function", text(row->function));
    json_object_set_new(o, "name_source", json_string(sources[row->source]));
    json_object_set_new(o, "evidence", text(found->evidence));
    json_object_set_new(o, "grade", json_string(grade));
    json_object_set_new(o, "pid", process_reference(row, r));
    return o;
}

static json_t *verdict_object(const struct verdict *v)
{
    json_t *o = json_object();
    json_object_set_new(o, "algorithm", text(family_info(v->family)->name));
    json_object_set_new(o, "how", json_string(family_how_name(v->how)));
    json_object_set_new(o, "variant", text(v->variant));
    json_object_set_new(o, "share", decimals(v->share));
    json_object_set_new(o, "hardware", decimals(v->hardware));
    json_object_set_new(o, "software", decimals(v->software));
    json_object_set_new(o, "vector", decimals(v->vector));
    json_object_set_new(o, "cpu_has", json_boolean(v->cpu_has));
    json_object_set_new(o, "few_samples", json_boolean(v->few));
    json_object_set_new(o, "text", text(v->text));
    return o;
}

static json_t *process_object(const struct report_process *p, const struct report *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "pid", json_integer(p->pid));
    json_object_set_new(o, "name", text(p->name));
    json_object_set_new(o, "container", text(*p->cgroup ? p->cgroup : NULL));
    json_object_set_new(o, "samples", number(p->samples));
    json_object_set_new(o, "share", decimals(verdict_share_of(p->samples, r)));
    json_object_set_new(o, "hardware", decimals(verdict_share_of(p->hardware, r)));
    json_object_set_new(o, "software", decimals(verdict_share_of(p->software, r)));
    json_object_set_new(o, "vector", decimals(verdict_share_of(p->vector, r)));
    return o;
}

static json_t *driver_object(const struct report_driver *d)
{
    static const char *const kinds[] = { "kernel hardware", "kernel software", "kernel either" };
    json_t *o = json_object();
    json_object_set_new(o, "name", text(d->name));
    json_object_set_new(o, "driver", text(d->driver));
    json_object_set_new(o, "module", text(d->module));
    json_object_set_new(o, "priority", json_integer(d->priority));
    json_object_set_new(o, "how", json_string(kinds[d->hardware ? 0 : 1 + d->either]));
    json_object_set_new(o, "in_use", json_boolean(d->in_use));
    json_object_set_new(o, "samples", number(d->samples));
    return o;
}

static json_t *verdicts(const struct report *r)
{
    struct verdict all[NUM_FAMILIES];
    const size_t num = report_verdicts(all, NUM_FAMILIES, r);
    json_t *list = json_array();
    for (size_t i = 0; i < num; i++)
        json_array_append_new(list, verdict_object(&all[i]));
    return list;
}

static json_t *gaps(const struct report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->num_gaps; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "what", text(r->gaps[i].what));
        json_object_set_new(o, "why", text(r->gaps[i].why));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *waste(const struct report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->num_waste; i++)
        json_array_append_new(list, text(r->waste[i]));
    return list;
}

/* The members of a report other than rows, processes and drivers. */
static json_t *summary(const struct report *r)
{
    char none[256];
    json_t *o = json_object();
    report_no_verdict(none, sizeof none, r);
    json_object_set_new(o, "schema", json_integer(SCHEMA));
    json_object_set_new(o, "mode", text(r->mode));
    json_object_set_new(o, "command", text(r->command));
    json_object_set_new(o, "pid", known(r->pid > 0, json_integer(r->pid)));
    json_object_set_new(o, "started", moment(r->started));
    json_object_set_new(o, "seconds", decimals(r->seconds));
    json_object_set_new(o, "exit_status", known(r->exit_status >= 0, json_integer(r->exit_status)));
    json_object_set_new(o, "sampler", text(r->backend));
    json_object_set_new(o, "hz", json_integer(r->hz));
    json_object_set_new(o, "probes", text(r->probe_backend));
    json_object_set_new(o, "samples", number(r->samples));
    json_object_set_new(o, "kernel_samples", number(r->kernel_samples));
    json_object_set_new(o, "lost", number(r->lost));
    json_object_set_new(o, "uncovered_samples", number(r->uncovered_samples));
    json_object_set_new(o, "functions_covered", number(r->covered));
    json_object_set_new(o, "functions_uncovered", number(r->uncovered));
    json_t *list = verdicts(r);
    json_object_set_new(o, "no_verdict", known(!json_array_size(list), text(none)));
    json_object_set_new(o, "verdicts", list);
    json_object_set_new(o, "waste", waste(r));
    json_object_set_new(o, "gaps", gaps(r));
    return o;
}

static json_t *processes(const struct report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->num_processes; i++)
        json_array_append_new(list, process_object(&r->processes[i], r));
    return list;
}

/* ---- printing ---- */

static int dump(FILE *f, json_t *o, size_t flags)
{
    const int failed = json_dumpf(o, f, flags | JSON_REAL_PRECISION(6));
    json_decref(o);
    fputc('\n', f);
    return failed || ferror(f) ? -1 : 0;
}

int report_json(FILE *f, const struct report *r)
{
    json_t *o = summary(r), *rows = json_array(), *drivers = json_array();
    for (size_t i = 0; i < r->num_rows; i++)
        if (r->rows[i].finding.family != FAMILY_NONE)
            json_array_append_new(rows, row_object(&r->rows[i], r));
    for (size_t i = 0; i < r->num_drivers; i++)
        json_array_append_new(drivers, driver_object(&r->drivers[i]));
    json_object_set_new(o, "rows", rows);
    json_object_set_new(o, "processes", processes(r));
    json_object_set_new(o, "kernel_drivers", drivers);
    return dump(f, o, JSON_INDENT(2)) || fflush(f) ? -1 : 0;
}

/* Prints an object on one line, with a member "type" that says what the line is. */
static int dump_line(FILE *f, const char *type, json_t *o)
{
    json_object_set_new(o, "type", json_string(type));
    return dump(f, o, JSON_COMPACT);
}

int report_ndjson(FILE *f, const struct report *r)
{
    int failed = 0;
    for (size_t i = 0; i < r->num_rows && !failed; i++)
        if (r->rows[i].finding.family != FAMILY_NONE)
            failed = dump_line(f, "row", row_object(&r->rows[i], r));
    const bool system = r->mode && !strcmp(r->mode, "system");
    for (size_t i = 0; system && i < r->num_processes && !failed; i++)
        failed = dump_line(f, "process", process_object(&r->processes[i], r));
    failed = failed || dump_line(f, "summary", summary(r));
    return failed || fflush(f) ? -1 : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes one page that needs no other file. report.html is the template; each {{name}} in it is
 * written by the function in the same row of the table here.
 */
#define _GNU_SOURCE
#include "../escape.h"
#include "beside.h"
#include "report.h"
#include "report_html_template.h"
#include "report_words.h"
#include "shares.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* The CSS class of a row, which determines its colour. Software is alarming only if this CPU has
 * instructions for the family. */
static const char *class_of(enum how how, enum family family, const struct report *r)
{
    static const char *const classes[NUM_HOWS] = {
        [HOW_HARDWARE] = "hw",
        [HOW_SOFTWARE] = "sw",
        [HOW_VECTOR] = "vs",
    };
    const bool could_be_better = how != HOW_SOFTWARE || r->cpu_families >> family & 1;
    return classes[how] && could_be_better ? classes[how] : "no";
}

static bool is_system(const struct report *r)
{
    return r->mode && !strcmp(r->mode, "system");
}

static void print_cell(FILE *f, const char *label, const char *class, const char *text)
{
    fprintf(f, "<td data-label=\"%s\" class=\"%s\">", label, class);
    escape_html(f, text);
    fputs("</td>", f);
}

__attribute__((format(printf, 4, 5))) static void
print_number(FILE *f, const char *label, const char *class, const char *format, ...)
{
    char text[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_cell(f, label, class, text);
}

/* ---- the head ---- */

static void print_command(FILE *f, const struct report *r)
{
    if (is_system(r))
        fputs("all processes", f);
    else
        escape_html(f, r->command ? r->command : "?");
}

static void print_facts(FILE *f, const struct report *r)
{
    char when[40] = "", samples[WORDS_MAX];
    struct tm utc;
    const time_t t = (time_t)r->started;
    words_number(samples, r->samples);
    if (r->started && gmtime_r(&t, &utc) && strftime(when, sizeof when, "%F %T UTC", &utc))
        fprintf(f, "<li>%s</li>", when);
    if (r->pid > 0)
        fprintf(f, "<li>process %d</li>", (int)r->pid);
    fprintf(f, "<li>%.1f s</li><li>%s samples at %u Hz (%s)</li>", r->seconds, samples, r->hz,
            r->backend ? r->backend : "none");
    if (r->probe_backend)
        fprintf(f, "<li>calls counted (%s)</li>", r->probe_backend);
    if (r->exit_status >= 0)
        fprintf(f, "<li>exit status %d</li>", r->exit_status);
}

/* ---- verdicts ---- */

static void print_segment(FILE *f, const char *class, double share)
{
    if (share > 0)
        fprintf(f, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", class, 100 * share);
}

/* Prints the share of each way if there are several. */
static void print_ways(FILE *f, const struct verdict *v)
{
    const struct {
        enum how how;
        double share;
    } ways[] = { { HOW_HARDWARE, v->hardware },
                 { HOW_SOFTWARE, v->software },
                 { HOW_VECTOR, v->vector } };
    for (size_t i = 0; i < COUNT(ways); i++)
        if (ways[i].share > 0 && ways[i].share < v->share)
            fprintf(f, "%s %.1f&nbsp;%%; ", family_how_name(ways[i].how), 100 * ways[i].share);
}

static void print_verdict(FILE *f, const struct verdict *v, const struct report *r)
{
    const char *reason = v->how == HOW_UNCLASSIFIED ? v->text : strstr(v->text, "  ");
    fprintf(f, "<li class=\"%s\"><p class=\"line\"><strong>%s</strong> <b>%s</b> ",
            class_of(v->how, v->family, r), family_info(v->family)->name, family_how_name(v->how));
    if (v->variant) {
        fputs("<span>", f);
        escape_html(f, v->variant);
        fputs("</span> ", f);
    }
    fprintf(f, "<em>%.1f&nbsp;%% of CPU</em></p>", 100 * v->share);
    fprintf(f,
            "<div class=\"bar\" role=\"img\" aria-label=\"hardware %.1f %%, software %.1f %%, "
            "vector software %.1f %% of CPU\">",
            100 * v->hardware, 100 * v->software, 100 * v->vector);
    print_segment(f, "hw", v->hardware);
    print_segment(f, class_of(HOW_SOFTWARE, v->family, r), v->software);
    print_segment(f, "vs", v->vector);
    fputs("</div>", f);
    fputs("<p class=\"why\">", f);
    print_ways(f, v);
    escape_html(f, reason ? reason + strspn(reason, " -") : "");
    fputs("</p>", f);
    fputs("</li>\n", f);
}

static void print_verdicts(FILE *f, const struct report *r)
{
    struct verdict all[NUM_FAMILIES];
    const size_t num = report_verdicts(all, NUM_FAMILIES, r);
    char none[256];
    for (size_t i = 0; i < num; i++)
        print_verdict(f, &all[i], r);
    if (num)
        return;
    report_no_verdict(none, sizeof none, r);
    fputs("<li class=\"no\"><p class=\"line\">", f);
    escape_html(f, none);
    fputs("</p></li>\n", f);
}

/* ---- tables ---- */

static void print_row(FILE *f, const struct report_row *row, const struct report *r)
{
    const char *class = class_of(row->finding.how, row->finding.family, r);
    const double percent = 100 * verdict_share_of(row->samples, r);
    char words[WORDS_MAX];
    words_algorithm(words, &row->finding);
    fputs("<tr><th scope=\"row\" data-label=\"Algorithm\">", f);
    escape_html(f, words);
    fputs("</th>", f);
    fprintf(f, "<td data-label=\"How\"><span class=\"how %s\">%s</span></td>", class,
            family_how_name(row->finding.how));
    fprintf(f, "<td data-label=\"CPU %%\" class=\"n\">%.1f<div class=\"bar\" aria-hidden=\"true\">",
            percent);
    print_segment(f, class, percent / 100);
    fputs("</div></td>", f);
    words_calls(words, row, false);
    print_cell(f, "Calls", "n", words);
    words_bytes(words, row, false);
    print_cell(f, "Bytes", "n", words);
    print_cell(f, "Library", "", row->library);
    fputs("<td data-label=\"Function\" class=\"f\">", f);
    escape_html(f, row->function);
    fputs(row->source == NAME_FINGERPRINT ? "~</td>" : "</td>", f);
    words_evidence(words, &row->finding);
    print_cell(f, "Evidence", "", words);
    if (is_system(r) && row->process < r->num_processes)
        print_cell(f, "Process", "", r->processes[row->process].name);
    fputs("</tr>\n", f);
}

static void print_rows(FILE *f, const struct report *r)
{
    for (size_t i = 0; i < r->num_rows; i++)
        if (r->rows[i].finding.family != FAMILY_NONE)
            print_row(f, &r->rows[i], r);
}

static void print_process_title(FILE *f, const struct report *r)
{
    if (is_system(r))
        fputs("<th scope=\"col\">Process</th>", f);
}

enum { MAX_OTHERS = 30 }; /* processes without crypto that are listed */

static void print_process(FILE *f, const struct report_process *p, const struct report *r)
{
    fputs("<tr><th scope=\"row\" data-label=\"Process\">", f);
    escape_html(f, p->name);
    fputs("</th>", f);
    print_number(f, "PID", "n", "%d", (int)p->pid);
    print_cell(f, "Container or unit", "", p->cgroup);
    print_number(f, "CPU %", "n", "%.1f", 100 * verdict_share_of(p->samples, r));
    print_number(f, "Hardware", "n", "%.1f", 100 * verdict_share_of(p->hardware, r));
    print_number(f, "Software", "n", "%.1f", 100 * verdict_share_of(p->software, r));
    print_number(f, "Vector", "n", "%.1f", 100 * verdict_share_of(p->vector, r));
    fputs("</tr>\n", f);
}

static void print_processes(FILE *f, const struct report *r)
{
    if (!is_system(r))
        return;
    fputs("<section><h2>Processes</h2><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"Processes\"><table><thead><tr><th scope=\"col\">Process</th>"
          "<th scope=\"col\" class=\"n\">PID</th><th scope=\"col\">Container or unit</th>"
          "<th scope=\"col\" class=\"n\">CPU %</th><th scope=\"col\" class=\"n\">Hardware</th>"
          "<th scope=\"col\" class=\"n\">Software</th><th scope=\"col\" class=\"n\">Vector</th>"
          "</tr></thead><tbody>\n",
          f);
    size_t others = 0;
    for (size_t i = 0; i < r->num_processes; i++) {
        const struct report_process *p = &r->processes[i];
        const bool shown = p->hardware + p->software + p->vector || i < MAX_OTHERS;
        if (p->samples && shown)
            print_process(f, p, r);
        others += p->samples && !shown;
    }
    fputs("</tbody></table></div>", f);
    if (others)
        fprintf(f, "<p class=\"why\">and %zu process%s without crypto</p>", others,
                others == 1 ? "" : "es");
    fputs("</section>\n", f);
}

/* ---- lists ---- */

static void print_totals(FILE *f, const struct report *r)
{
    fprintf(f,
            "%" PRIu64 " samples, %" PRIu64 " of them in the kernel, %" PRIu64 " lost; %" PRIu64
            " functions covered, %" PRIu64 " uncovered; %" PRIu64
            " samples in code that could not be read.",
            r->samples, r->kernel_samples, r->lost, r->covered, r->uncovered, r->uncovered_samples);
}

static void print_waste(FILE *f, const struct report *r)
{
    if (r->num_waste)
        fputs("<section><h2>Waste</h2><ul class=\"notes\">\n", f);
    for (size_t i = 0; i < r->num_waste; i++) {
        fputs("<li>", f);
        escape_html(f, r->waste[i]);
        fputs("</li>\n", f);
    }
    if (r->num_waste)
        fputs("</ul></section>\n", f);
}

static void print_gaps(FILE *f, const struct report *r)
{
    for (size_t i = 0; i < r->num_gaps; i++) {
        fputs("<li><code>", f);
        escape_html(f, r->gaps[i].what);
        fputs("</code>: ", f);
        escape_html(f, r->gaps[i].why);
        fputs("</li>\n", f);
    }
}

static void print_drivers(FILE *f, const struct report *r)
{
    if (!r->num_drivers)
        return;
    fputs("<section><details><summary>The kernel's own crypto</summary><div class=\"scroll\" "
          "tabindex=\"0\" role=\"region\" aria-label=\"Kernel drivers\"><table><thead><tr>"
          "<th scope=\"col\">Algorithm</th><th scope=\"col\">How</th><th scope=\"col\">Driver</th>"
          "<th scope=\"col\" class=\"n\">Priority</th><th scope=\"col\">In use</th>"
          "<th scope=\"col\" class=\"n\">Samples</th></tr></thead><tbody>\n",
          f);
    for (size_t i = 0; i < r->num_drivers; i++) {
        const struct report_driver *d = &r->drivers[i];
        fputs("<tr><th scope=\"row\" data-label=\"Algorithm\">", f);
        escape_html(f, d->name);
        fprintf(f, "</th><td data-label=\"How\"><span class=\"how %s\">kernel %s</span></td>",
                d->hardware ? "hw" : "no",
                d->hardware ? "hardware"
                : d->either ? "either"
                            : "software");
        print_cell(f, "Driver", "f", d->driver);
        print_number(f, "Priority", "n", "%d", d->priority);
        print_cell(f, "In use", "", d->in_use ? "yes" : "no");
        print_number(f, "Samples", "n", "%" PRIu64, d->samples);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div></details></section>\n", f);
}

/* ---- the page ---- */

static const struct part {
    const char *name;
    void (*print)(FILE *, const struct report *);
} parts[] = {
    { "command", print_command },   { "facts", print_facts },
    { "verdicts", print_verdicts }, { "process_title", print_process_title },
    { "rows", print_rows },         { "totals", print_totals },
    { "waste", print_waste },       { "processes", print_processes },
    { "gaps", print_gaps },         { "drivers", print_drivers },
};

static void print_part(FILE *f, const char *name, size_t len, const struct report *r)
{
    for (size_t i = 0; i < COUNT(parts); i++)
        if (strlen(parts[i].name) == len && !memcmp(parts[i].name, name, len))
            parts[i].print(f, r);
}

int report_html_to(FILE *f, const struct report *r)
{
    const char *at = report_html_template;
    for (const char *open; (open = strstr(at, "{{"));) {
        const char *close = strstr(open, "}}");
        fwrite(at, 1, (size_t)(open - at), f);
        print_part(f, open + 2, (size_t)(close - open - 2), r);
        at = close + 2;
    }
    fputs(at, f);
    return fflush(f) || ferror(f) ? -1 : 0;
}

int report_html(const char *path, const struct report *r)
{
    struct beside out;
    if (beside_open(&out, path, 0))
        return -1;
    return beside_close(&out, report_html_to(out.f, r));
}

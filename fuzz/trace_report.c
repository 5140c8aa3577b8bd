/* SPDX-License-Identifier: Apache-2.0 */
/* A report with any names, numbers and kinds: every output format stays well-formed. */
#include "fuzz.h"
#include "report/report.h"
#include "report/waste.h"
#include <jansson.h>
#include <string.h>

enum { MAX_ROWS = 8, MAX_NAME = 40 };

static char *take_name(struct input *in)
{
    char name[MAX_NAME + 1] = { 0 };
    take(in, (uint8_t *)name, take_byte(in) % MAX_NAME);
    char *copy = strdup(name);
    CHECK(copy);
    return copy;
}

static uint64_t take_number(struct input *in)
{
    uint64_t n = 0;
    for (unsigned bytes = take_byte(in) % 9; bytes; bytes--)
        n = n << 8 | take_byte(in);
    return n;
}

static void take_report_row(struct report_row *row, struct input *in)
{
    static const char *const words[] = { NULL, "CBC", "vpaes, SSSE3" };
    *row = (struct report_row){ .library = take_name(in), .function = take_name(in) };
    row->finding.family = (enum family)(take_byte(in) % NUM_FAMILIES);
    row->finding.how = (enum how)(take_byte(in) % NUM_HOWS);
    row->finding.grade = (enum grade)('A' + take_byte(in) % 5);
    row->finding.mode = words[take_byte(in) % 2];
    row->finding.variant = words[take_byte(in) % 3];
    take(in, (uint8_t *)row->finding.evidence, take_byte(in) % sizeof row->finding.evidence);
    row->finding.evidence[sizeof row->finding.evidence - 1] = '\0';
    row->source = (enum name_source)(take_byte(in) % (NAME_KERNEL + 1));
    row->exactness = (enum exactness)(take_byte(in) % (COUNT_NONE + 1));
    row->samples = take_number(in) >> 8;
    row->calls = take_number(in);
    row->bytes = take_number(in);
    row->bytes_known = take_byte(in) & 1;
}

static struct report take_report(struct input *in)
{
    static const char *const modes[] = { "command", "pid", "system" };
    struct report r = { .mode = modes[take_byte(in) % 3], .exit_status = -1, .backend = "perf" };
    r.num_rows = take_byte(in) % MAX_ROWS;
    r.rows = calloc(MAX_ROWS, sizeof *r.rows);
    r.processes = calloc(1, sizeof *r.processes);
    r.gaps = calloc(1, sizeof *r.gaps);
    r.drivers = calloc(1, sizeof *r.drivers);
    CHECK(r.rows && r.processes && r.gaps && r.drivers);
    r.command = take_name(in);
    for (size_t i = 0; i < r.num_rows; i++) {
        take_report_row(&r.rows[i], in);
        r.samples += r.rows[i].samples;
    }
    r.num_processes = r.num_gaps = r.num_drivers = 1;
    r.processes[0].samples = r.samples;
    r.processes[0].clues = take_byte(in);
    take(in, (uint8_t *)r.processes[0].name, sizeof r.processes[0].name - 1);
    take(in, (uint8_t *)r.processes[0].cgroup, sizeof r.processes[0].cgroup - 1);
    r.gaps[0] = (struct report_uncovered){ take_name(in), take_name(in) };
    take(in, (uint8_t *)r.drivers[0].name, sizeof r.drivers[0].name - 1);
    take(in, (uint8_t *)r.drivers[0].driver, sizeof r.drivers[0].driver - 1);
    r.cpu_families = (uint32_t)take_number(in);
    return r;
}

/* ---- what each format has to be ---- */

typedef int print_fn(FILE *, const struct report *);

static char *printed(print_fn *print, const struct report *r)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    CHECK(f && !print(f, r) && !fclose(f) && strlen(text) == len);
    return text;
}

static int print_text(FILE *f, const struct report *r)
{
    return report_text(f, r, true);
}

/* check_plain checks that a text has only printable characters and ends of lines, in ASCII or
 * well-formed UTF-8. */
static void check_plain(const char *text)
{
    for (const uint8_t *p = (const uint8_t *)text; *p; p++)
        CHECK((*p >= ' ' && *p != 0x7f) || *p == '\n');
    json_t *string = json_string(text); /* fails if the text is not UTF-8 */
    CHECK(string);
    json_decref(string);
}

static void check_json(const char *text)
{
    json_t *o = json_loads(text, 0, NULL);
    CHECK(json_is_object(o));
    json_decref(o);
}

static void check_lines_of_json(char *text)
{
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        check_json(line);
}

/* Checks the metrics' text format: each line is a comment, or a name, labels whose quotes are
 * closed, and a number. */
static void check_metrics(char *text)
{
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        bool quoted = false;
        CHECK(!strncmp(line, "# ", 2) || !strncmp(line, "headrace_trace_", 15));
        for (const char *p = line; *p && *line != '#'; p++) {
            if (*p != '\\') {
                quoted ^= *p == '"';
                continue;
            }
            p++;
            CHECK(quoted && (*p == '"' || *p == '\\'));
        }
        CHECK(!quoted);
    }
}

static size_t count(const char *text, char c)
{
    size_t num = 0;
    for (; (text = strchr(text, c)); text++)
        num++;
    return num;
}

static void rename_all(struct report *r)
{
    strcpy(r->command, *r->command ? "x" : "");
    for (size_t i = 0; i < r->num_rows; i++) {
        strcpy(r->rows[i].library, *r->rows[i].library ? "x" : "");
        strcpy(r->rows[i].function, *r->rows[i].function ? "x" : "");
        strcpy(r->rows[i].finding.evidence, "x");
    }
    for (size_t i = 0; i < r->num_waste; i++)
        strcpy(r->waste[i], "x");
    strcpy(r->gaps[0].what, *r->gaps[0].what ? "x" : "");
    strcpy(r->gaps[0].why, *r->gaps[0].why ? "x" : "");
    strcpy(r->processes[0].name, "x");
    strcpy(r->processes[0].cgroup, "x");
    strcpy(r->drivers[0].name, "x");
    strcpy(r->drivers[0].driver, "x");
}

/* The page has the same markup whatever names it contains: compares it with a page of harmless
 * names, which the report keeps. */
static void check_page(struct report *r)
{
    char *page = printed(report_html_to, r);
    check_plain(page);
    rename_all(r);
    char *harmless = printed(report_html_to, r);
    for (const char *c = "<>\"'"; *c; c++)
        CHECK(count(page, *c) == count(harmless, *c));
    free(page);
    free(harmless);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    struct report r = take_report(&in);
    char why[256], *text;
    CHECK(!waste_find(&r));
    report_sort(&r);
    (void)report_require("hw:aes,no-sw:sha256,any-hw", &r, why, sizeof why);
    check_plain(text = printed(print_text, &r));
    free(text);
    check_json(text = printed(report_json, &r));
    free(text);
    check_lines_of_json(text = printed(report_ndjson, &r));
    free(text);
    check_metrics(text = printed(report_prometheus_to, &r));
    free(text);
    check_page(&r);
    report_free(&r);
    return 0;
}

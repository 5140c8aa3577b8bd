/* SPDX-License-Identifier: Apache-2.0 */
/* Reports in every format, with names that try to break out of them. */
#include "escape.h"
#include "report/beside.h"
#include "report/report_table.h"
#include "report/report_words.h"
#include "report_build.h"
#include <jansson.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char hostile[] = "a\033[2J\"'<b>&\\\n\xff\xc0\x80\xe2\x80\xae"
                              "{{rows}}</script>";

static struct report full_report(const char *mode)
{
    struct report r = new_report(mode, 1037);
    struct report_row *row = add_row(&r, FAMILY_AES, HOW_HARDWARE, 1030);
    strcpy(row->finding.evidence, "AESENC+AESENCLAST in loop");
    row->finding.mode = "CBC";
    rename_function(row, "aesni_cbc_encrypt");
    row->source = NAME_FINGERPRINT;
    row->calls = 63881;
    row->bytes = 1046626304;
    row->bytes_known = true;
    row->exactness = COUNT_EXACT;
    row = add_row(&r, FAMILY_SHA256, HOW_SOFTWARE, 2);
    rename_function(row, hostile);
    row = add_row(&r, FAMILY_NONE, HOW_NONE, 1);
    add_process(&r, 77, "prog", 1);
    r.processes[0].hardware = 1030;
    return r;
}

static int text_brief(FILE *f, const struct report *r)
{
    return report_text(f, r, false);
}

static int text_verbose(FILE *f, const struct report *r)
{
    return report_text(f, r, true);
}

/* is_plain complains if a text has control characters but newlines, or the bad bytes of
 * `hostile`. */
static void is_plain(const char *text)
{
    for (const char *p = text; *p; p++)
        if (((unsigned char)*p < ' ' && *p != '\n') || *p == '\x7f') {
            complain("byte %02x at %td", (unsigned char)*p, p - text);
            return;
        }
    lacks(text, "\xe2\x80\xae");
    lacks(text, "\xff");
}

static void texts(void)
{
    struct report r = full_report("command");
    setenv("LC_ALL", "C", 1);
    char *text = printed(&r, text_brief);
    contains(text, "VERDICT  AES: HARDWARE 99.3% of CPU\n");
    contains(text, "\nALGORITHM  HOW       CPU%    CALLS     BYTES  LIBRARY         FUNCTION      "
                   "      EVIDENCE\n");
    contains(text, "\nAES-CBC    hardware  99.3  63 881=  1.05 GB=  libcrypto.so.3  "
                   "aesni_cbc_encrypt~  AESENC+AESENCLAST in loop [A]\n");
    contains(text, "and 1 function below 0.5%, 0.2% of CPU together: -v\n");
    contains(text, "~ name from fingerprint   = exact   1037 samples, 0 lost; 122 functions "
                   "covered, 0 uncovered\n");
    is_plain(text);
    tap(!complaints_so_far(), "text: verdict, row, legend, totals");
    free(text);
    text = printed(&r, text_verbose);
    contains(text, "a\\x1b[2J\"'<b>&\\x5c\\x0a\\xff\\xc0\\x80\\u{202e}{{rows}}</script>");
    is_plain(text);
    tap(!complaints_so_far(), "text: hostile names are escaped");
    free(text);
    report_free(&r);
}

static void locales(void)
{
    struct report r = full_report("command");
    r.rows[0].exactness = COUNT_AT_LEAST;
    setenv("LC_ALL", "C", 1);
    char *text = printed(&r, text_brief);
    contains(text, "63 881+");
    contains(text, "+ at least");
    lacks(text, "≥");
    free(text);
    setenv("LC_ALL", "C.UTF-8", 1);
    text = printed(&r, text_brief);
    contains(text, "63 881≥");
    contains(text, "≥ at least");
    tap(!complaints_so_far(), "text: marks by the locale");
    free(text);
    report_free(&r);
}

static void systems(void)
{
    struct report r = full_report("system");
    r.num_drivers = 1;
    r.drivers = calloc(1, sizeof *r.drivers);
    if (!r.drivers)
        abort();
    r.drivers[0] = (struct report_driver){
        .name = "cbc(aes)", .driver = "cbc-aes-aesni", .hardware = true, .in_use = true
    };
    char *text = printed(&r, text_brief);
    contains(text, "PID   CPU%  HARDWARE%");
    contains(text, " 77  100.0       99.3");
    contains(text, "docker-1234");
    contains(text, "prog 77");
    contains(text, "KERNEL HARDWARE  cbc(aes)*");
    is_plain(text);
    tap(!complaints_so_far(), "text: processes and the kernel of --system");
    free(text);
    report_free(&r);
}

/* orders checks that rows still belong to their processes after those are sorted. */
static void orders(void)
{
    struct report r = new_report("system", 1000);
    add_process(&r, 1, "idle", 0);
    add_process(&r, 2, "little", 0);
    add_process(&r, 3, "much", 0);
    r.processes[1].hardware = 10;
    r.processes[2].software = 20;
    add_row(&r, FAMILY_AES, HOW_HARDWARE, 10)->process = 1;
    add_row(&r, FAMILY_SHA256, HOW_SOFTWARE, 20)->process = 2;
    report_sort(&r);
    bool well = r.rows[0].samples == 20 && r.processes[0].pid == 3 && r.processes[2].pid == 1;
    for (size_t i = 0; i < r.num_rows; i++) {
        const struct report_process *p = &r.processes[r.rows[i].process];
        well &= p->hardware + p->software == r.rows[i].samples;
    }
    tap(well, "rows by samples, processes by crypto, and still each other's");
    report_free(&r);
}

static void notes(void)
{
    struct report r = new_report("command", 812);
    r.gaps = calloc(1, sizeof *r.gaps);
    r.waste = calloc(1, sizeof *r.waste);
    if (!r.gaps || !r.waste)
        abort();
    r.num_gaps = r.num_waste = 1;
    r.gaps[0] = (struct report_uncovered){ copy_of("/x \033]0;owned\a"), copy_of("gone") };
    r.waste[0] = copy_of("a sentence.");
    char *text = printed(&r, text_brief);
    contains(text, "VERDICT  no crypto observed in 812 samples\n");
    contains(text, "WASTE  a sentence.\n");
    contains(text, "NOT COVERED  /x \\x1b]0;owned\\x07: gone\n");
    lacks(text, "ALGORITHM");
    is_plain(text);
    tap(!complaints_so_far(), "text: nothing observed, waste, gaps");
    free(text);
    report_free(&r);
}

/* ---- a table on a terminal ---- */

static void tables(void)
{
    static const struct table_column columns[] = { { "A", false, 0 }, { "LONG", false, 8 } };
    struct table t = { .columns = columns, .num_columns = 2 };
    struct table_cell *cells = table_row(&t);
    if (!cells)
        abort();
    table_cell(&cells[0], "31", "x");
    table_cell(&cells[1], NULL, "0123456789日本語0123456789");
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        abort();
    table_print(f, &t, &(struct table_style){ .columns = 17, .ascii = false, .colour = true });
    table_print(f, &t, &(struct table_style){ .ascii = true });
    table_paragraph(f, "NOTE", NULL, "one two  -- three", &(struct table_style){ .columns = 14 });
    table_paragraph(f, "NOTE", NULL, "one two  -- three", &(struct table_style){ .columns = 0 });
    fclose(f);
    /* A wide character takes two columns of the terminal. */
    contains(text, "\033[31mx\033[0m  0123456789日…\n");
    contains(text, "x  0123456789日本語0123456789\n");
    contains(text, "NOTE  one two\n      -- three\n");
    contains(text, "NOTE  one two  -- three\n");
    tap(!complaints_so_far(), "tables fit the terminal, and are whole elsewhere");
    free(text);
    table_free(&t);
}

static void sparse_tables(void)
{
    static const struct table_column columns[] = { { "A", false, 0 },
                                                   { "NOTHING", true, 0 },
                                                   { "B", false, 0 } };
    struct table t = { .columns = columns, .num_columns = 3 };
    struct table_cell *cells = table_row(&t);
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    if (!cells || !f)
        abort();
    table_cell(&cells[0], NULL, "one");
    table_cell(&cells[1], NULL, "-");
    table_cell(&cells[2], NULL, "two");
    table_print(f, &t, &(struct table_style){ .columns = 10 });
    table_print(f, &t, &(struct table_style){ .columns = 40 });
    table_print(f, &t, &(struct table_style){ .columns = 0 });
    fclose(f);
    tap(!strcmp(text, "A    B\none  two\n"
                      "A    NOTHING  B\none        -  two\n"
                      "A    NOTHING  B\none        -  two\n"),
        "a column that says nothing goes where the terminal is too narrow");
    free(text);
    table_free(&t);
}

static void words(void)
{
    struct report_row row = { .calls = 999, .exactness = COUNT_AT_LEAST, .bytes_known = true };
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        { 0, "0 B≥" },         { 999, "999 B≥" },      { 1000, "1.00 kB≥" },
        { 9994, "9.99 kB≥" },  { 9996, "10.0 kB≥" },   { 99960, "100 kB≥" },
        { 999499, "999 kB≥" }, { 999600, "1.00 MB≥" }, { UINT64_MAX, "18.4 EB≥" },
    };
    char text[WORDS_MAX];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        row.bytes = cases[i].bytes;
        words_bytes(text, &row, false);
        if (strcmp(text, cases[i].text) != 0)
            complain("%s, not %s", text, cases[i].text);
    }
    words_number(text, UINT64_MAX);
    if (strcmp(text, "18 446 744 073 709 551 615") != 0)
        complain("%s", text);
    row.bytes_known = false;
    words_bytes(text, &row, false);
    tap(!complaints_so_far() && !strcmp(text, "-"), "bytes and numbers in three digits");
}

/* ---- for programs ---- */

static json_t *parsed(const char *text)
{
    json_error_t error;
    json_t *o = json_loads(text, 0, &error);
    if (!o)
        complain("%s in %.500s", error.text, text);
    return o;
}

static void jsons(void)
{
    struct report r = full_report("command");
    char *text = printed(&r, report_json);
    json_t *o = parsed(text);
    const json_t *rows = json_object_get(o, "rows"), *row = json_array_get(rows, 0);
    bool well = json_array_size(rows) == 2 &&
                json_integer_value(json_object_get(row, "calls")) == 63881 &&
                json_is_true(json_object_get(row, "exact")) &&
                !strcmp(json_string_value(json_object_get(row, "mode")), "CBC") &&
                json_integer_value(json_object_get(row, "bytes")) == 1046626304 &&
                json_is_null(json_object_get(row, "pid"));
    row = json_array_get(rows, 1);
    well &= json_is_null(json_object_get(row, "calls")) &&
            json_is_null(json_object_get(row, "exact")) &&
            strstr(json_string_value(json_object_get(row, "function")), "\\x1b[2J") != NULL;
    well &= json_array_size(json_object_get(o, "verdicts")) == 2 &&
            json_integer_value(json_object_get(o, "schema")) == 1 &&
            !strcmp(json_string_value(json_object_get(o, "started")), "2027-01-15T08:00:00Z") &&
            json_is_null(json_object_get(o, "no_verdict")) &&
            json_is_null(json_object_get(o, "exit_status"));
    tap(well && !complaints_so_far(), "JSON: rows, verdicts, totals");
    json_decref(o);
    free(text);
    report_free(&r);
}

static void ndjsons(void)
{
    struct report r = full_report("system");
    char *text = printed(&r, report_ndjson), *save = NULL;
    static const char *const types[] = { "row", "row", "process", "summary" };
    size_t num = 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        json_t *o = parsed(line);
        const char *type = json_string_value(json_object_get(o, "type"));
        if (num >= COUNT_OF(types) || !type || strcmp(type, types[num]) != 0)
            complain("line %zu is %s", num, type ? type : "untyped");
        num++;
        json_decref(o);
    }
    tap(num == COUNT_OF(types) && !complaints_so_far(),
        "NDJSON: an object a line, the summary last");
    free(text);
    report_free(&r);
}

static void pages(void)
{
    struct report r = full_report("system");
    free(r.command);
    r.command = copy_of(hostile);
    char *text = written(&r, report_html);
    contains(text, "<strong>AES</strong> <b>hardware</b>");
    contains(text, "&lt;b&gt;&amp;\\x5c\\x0a");
    contains(text, "{{rows}}&lt;/script&gt;"); /* a name, not a place for rows */
    lacks(text, "<b>&");
    lacks(text, "http:");
    lacks(text, "https:");
    lacks(text, "{{verdicts}}");
    contains(text, "<span class=\"how no\">software");
    lacks(text, "<li class=\"sw\">");
    tap(!complaints_so_far(), "HTML: verdict, escaped, without any address");
    free(text);
    r.cpu_families = has(FAMILY_SHA256);
    text = written(&r, report_html);
    contains(text, "<li class=\"sw\"><p class=\"line\"><strong>SHA-256");
    contains(text, "<span class=\"how sw\">software");
    contains(text, "<i class=\"sw\" style");
    tap(!complaints_so_far(), "HTML: software is red where the CPU has instructions, else grey");
    free(text);
    report_free(&r);
}

static void metrics(void)
{
    struct report r = full_report("command");
    free(r.rows[1].library);
    r.rows[1].library = copy_of("lib\"\n\\x");
    char *text = written(&r, report_prometheus);
    contains(text,
             "\nheadrace_trace_cpu_share{process=\"prog\",container=\"docker-1234\",algorithm="
             "\"AES\",how=\"hardware\",library=\"libcrypto.so.3\"} 0.993250\n");
    contains(text, "library=\"lib\\\"\\\\x0a\\\\x5cx\"} 0.001929\n");
    contains(text, "\nheadrace_trace_samples 1037\n");
    contains(text, "\nheadrace_trace_timestamp_seconds 1800000000\n");
    tap(!complaints_so_far(), "Prometheus: shares and totals, labels escaped");
    free(text);
    report_free(&r);
}

static void cardinality(void)
{
    struct report r = new_report("command", 10000);
    add_process(&r, 77, "prog", 0);
    for (unsigned i = 0; i < 1000; i++) {
        struct report_row *row = add_row(&r, FAMILY_AES, HOW_HARDWARE, i + 1);
        char name[32];
        snprintf(name, sizeof name, "lib%u.so", i);
        free(row->library);
        row->library = copy_of(name);
    }
    char *text = written(&r, report_prometheus);
    size_t num = 0;
    for (const char *at = text; (at = strstr(at, "\nheadrace_trace_cpu_share{")); at++)
        num++;
    contains(text, "library=\"lib999.so\"");
    contains(text, "library=\"other\"");
    tap(num == 201 && !complaints_so_far(), "Prometheus: 1000 libraries are 201 series, not %zu",
        num);
    free(text);
    report_free(&r);
}

static void whole_files(void)
{
    struct report r = full_report("command");
    char folder[] = "beside-XXXXXX", path[64];
    struct stat status;
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/out.prom", folder);
    bool well =
        !report_prometheus(path, &r) && !stat(path, &status) && (status.st_mode & 07777) == 0644;
    const ino_t first = status.st_ino;
    well &= !report_prometheus(path, &r) && !stat(path, &status) && status.st_ino != first;
    well &= !unlink(path) && !rmdir(folder); /* fails where anything else is left */
    tap(well && report_prometheus("/nonexistent/out.prom", &r) && !report_html("/dev/null", &r),
        "files are replaced whole, with mode 0644, and nothing is left beside");
    report_free(&r);
}

/* Begins a file in the folder, and ends by a signal. */
static void die_while_writing(const char *path, int number)
{
    struct beside out;
    if (fork())
        return;
    raise(beside_open(&out, path, 0) ? SIGKILL : number);
    _exit(0);
}

static void signals_while_writing(void)
{
    static const int numbers[] = { SIGTERM, SIGUSR1, SIGVTALRM, SIGXCPU };
    char folder[] = "beside-XXXXXX", path[64];
    int status;
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/report", folder);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        die_while_writing(path, numbers[i]);
        if (wait(&status) < 0 || !WIFSIGNALED(status) || WTERMSIG(status) != numbers[i])
            complain("signal %d: status %d", numbers[i], status);
    }
    tap(!complaints_so_far() && !rmdir(folder), "a signal while a file is written leaves nothing");
}

/* ---- escaping ---- */

static void cleaning(void)
{
    static const struct {
        const char *text, *clean, *ascii;
    } cases[] = {
        { "plain name()", "plain name()", "plain name()" },
        { "a\tb\x7f", "a\\x09b\\x7f", "a\\x09b\\x7f" },
        { "crypto/aes.(*x)·f", "crypto/aes.(*x)·f", "crypto/aes.(*x)\\u{b7}f" },
        { "\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80", /* overlong, surrogate, too large */
          "\\xc0\\xaf\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80",
          "\\xc0\\xaf\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80" },
        { "\xe2\x82", "\\xe2\\x82", "\\xe2\\x82" }, /* ends within a character */
        { "\xc2\x9b\xe2\x80\x8b\xf3\xa0\x81\x81", "\\u{9b}\\u{200b}\\u{e0041}",
          "\\u{9b}\\u{200b}\\u{e0041}" },
    };
    char out[ESCAPE_MAX];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        if (strcmp(escape_clean(out, cases[i].text, false), cases[i].clean) != 0)
            complain("%s, not %s", out, cases[i].clean);
        if (strcmp(escape_clean(out, cases[i].text, true), cases[i].ascii) != 0)
            complain("%s, not %s", out, cases[i].ascii);
    }
    tap(!complaints_so_far(), "names become printable UTF-8, or ASCII");
    char *longest = calloc(1, 100000);
    if (!longest)
        abort();
    memset(longest, '\033', 99999);
    escape_clean(out, longest, false);
    tap(strlen(out) < ESCAPE_MAX && !strcmp(out + strlen(out) - 3, "..."), "names are cut");
    free(longest);
}

static void widths(void)
{
    tap(escape_columns("e\xcc\x81x日") == 4 && escape_fit("日本", 3) == 3 &&
            escape_fit("abc", 9) == 3 && escape_fit("e\xcc\x81x", 1) == 3,
        "columns of combining and wide characters");
}

int main(void)
{
    unsetenv("NO_COLOR");
    texts();
    locales();
    systems();
    orders();
    notes();
    tables();
    sparse_tables();
    words();
    jsons();
    ndjsons();
    pages();
    metrics();
    cardinality();
    whole_files();
    signals_while_writing();
    cleaning();
    widths();
    return tap_done();
}

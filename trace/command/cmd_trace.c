/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace trace: its options, the destination of the report, and the exit status.
 *
 * Standard output and error belong to COMMAND. Its report goes to standard error, unless --json or
 * --ndjson was asked for or -o names a file. Reports of -p and --system go to standard output.
 */
#define _GNU_SOURCE
#include "../session.h"
#include "limits.h"
#include "live.h"
#include "tool.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAILED = 125, REQUIREMENT = 3, DEFAULT_HZ = 499, MAX_HZ = 20000 };

static bool system_wide, count, json, ndjson, no_cache, verbose;
static const char *pid_text, *seconds_text, *interval_text, *hz_text, *user, *html, *prometheus,
    *output, *require, *memory_text, *time_text, *probe_backend = "auto", *sampler = "auto";

/* ---- arguments ---- */

static bool number(double *out, const char *text, double least, double most)
{
    char *end;
    if (!text)
        return true;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out) && *out >= least && *out <= most;
}

static const char *const samplers[] = { "auto", "perf", "ptrace", NULL };
static const char *const probe_backends[] = { "auto", "multi", "uprobe", "ptrace", NULL };

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word))
        words++;
    return *words != NULL;
}

static int usage_of_targets(int argc)
{
    if ((argc > 0) + (pid_text != NULL) + system_wide != 1)
        return tool_usage("trace: name one of -- COMMAND..., -p PID and --system");
    if (user && !argc)
        return tool_usage("trace: --user needs -- COMMAND...");
    return 0;
}

static int usage_of_outputs(void)
{
    char why[256];
    if (json && ndjson)
        return tool_usage("trace: --json or --ndjson, not both");
    if (interval_text && (json || html))
        return tool_usage("trace: --interval needs --ndjson, --prometheus or --system");
    if (interval_text && require)
        return tool_usage("trace: --require is about the whole trace: not with --interval");
    if (require && report_require(require, NULL, why, sizeof why) < 0)
        return tool_usage("trace: %s", why);
    return 0;
}

static int read_numbers(struct session_options *o)
{
    double pid = 0, hz = DEFAULT_HZ;
    if (!number(&pid, pid_text, 1, 1 << 30) || pid != floor(pid))
        return tool_usage("trace: -p %s: no such process", pid_text);
    if (!number(&o->seconds, seconds_text, 0.001, 1e9))
        return tool_usage("trace: -d %s: must be seconds, at least 0.001", seconds_text);
    if (!number(&o->interval, interval_text, 0.1, 1e6))
        return tool_usage("trace: --interval %s: must be seconds, at least 0.1", interval_text);
    if (limits_read(&o->max_memory, &o->max_seconds, memory_text, time_text, "trace"))
        return EXIT_USAGE;
    if (!number(&hz, hz_text, 1, MAX_HZ))
        return tool_usage("trace: --frequency %s: must be 1 to %d", hz_text, MAX_HZ);
    if (!is_one_of(sampler, samplers))
        return tool_usage("trace: --sampler %s: must be auto, perf or ptrace", sampler);
    if (!is_one_of(probe_backend, probe_backends))
        return tool_usage("trace: --probe-backend %s: must be auto, multi, uprobe or ptrace",
                          probe_backend);
    o->pid = (pid_t)pid;
    o->hz = (unsigned)hz;
    return 0;
}

/* ---- the report ---- */

static FILE *out;

static int print(const struct report *r)
{
    if (prometheus && report_prometheus(prometheus, r))
        return tool_error("cannot write %s: %s", prometheus, strerror(errno));
    if (html && report_html(html, r))
        return tool_error("cannot write %s: %s", html, strerror(errno));
    int failed = 0;
    if (json)
        failed = report_json(out, r);
    else if (ndjson)
        failed = report_ndjson(out, r);
    else if ((!prometheus && !html) || output)
        failed = report_text(out, r, verbose);
    if (failed || fflush(out) || ferror(out))
        return tool_error("cannot write the report: %s", strerror(errno));
    return EXIT_SUCCESS;
}

/* Whether --system repaints a live view. */
static bool live_wanted(void)
{
    return system_wide && !json && !ndjson && !html && !prometheus && !output &&
           isatty(STDOUT_FILENO);
}

static int on_interval(void *ctx, const struct report *r)
{
    if (live_wanted())
        return live_print(r);
    return print(r);
}

static int open_output(bool is_command)
{
    out = is_command && !json && !ndjson ? stderr : stdout;
    if (output)
        out = fopen(output, "we");
    return out ? EXIT_SUCCESS : tool_error("cannot write %s: %s", output, strerror(errno));
}

/* ---- the exit status ---- */

static int requirements(const struct report *r)
{
    char why[512];
    if (!require || !report_require(require, r, why, sizeof why))
        return EXIT_SUCCESS;
    tool_error("required: %s", why);
    return REQUIREMENT;
}

static int finish(struct report *r, bool is_command)
{
    const int failed = print(r), required = requirements(r);
    int status = EXIT_SUCCESS;
    if (is_command)
        status = r->exit_status >= 0 ? r->exit_status : session_wait(r->pid);
    if (status < 0 || failed)
        status = FAILED;
    return required && !failed ? required : status;
}

static int trace_main(int argc, char **argv)
{
    struct session_options o = { .max_memory = (size_t)192 << 20,
                                 .max_seconds = 60,
                                 .command = argc ? argv : NULL,
                                 .user = user,
                                 .on_interval = on_interval,
                                 .count = count,
                                 .probe_backend = probe_backend,
                                 .sampler = sampler,
                                 .no_cache = no_cache,
                                 .writes_files = html || prometheus };
    struct report r;
    char why[512] = "";
    if (usage_of_targets(argc) || usage_of_outputs() || read_numbers(&o))
        return EXIT_USAGE;
    if (open_output(argc > 0))
        return FAILED;
    if (live_wanted() && o.interval <= 0)
        o.interval = LIVE_SECONDS;
    const enum session_end end = session_run(&r, &o, why, sizeof why);
    int status = r.exit_status;
    if (end == SESSION_IMPOSSIBLE) {
        tool_error("%s", why);
        status = FAILED;
    } else if (end == SESSION_DONE) {
        status = finish(&r, argc > 0);
    }
    report_free(&r);
    return status;
}

static const struct tool_option trace_options[] = {
    { "pid", 'p', "PID", "trace this process and those that it starts", NULL, &pid_text },
    { "system", 0, NULL, "trace every process; on a terminal redraw like top", &system_wide, NULL },
    { "duration", 'd', "SECONDS", "stop tracing after SECONDS; COMMAND itself goes on", NULL,
      &seconds_text },
    { "count", 0, NULL, "count calls, and bytes if they are known", &count, NULL },
    { "json", 0, NULL, "print one JSON object on stdout", &json, NULL },
    { "ndjson", 0, NULL, "print JSON, one line per row, on stdout", &ndjson, NULL },
    { "html", 0, "FILE", "write an HTML page that needs no other file", NULL, &html },
    { "prometheus", 0, "FILE", "write a file for Prometheus's textfile collector", NULL,
      &prometheus },
    { "output", 'o', "FILE", "write the report to FILE, not to stderr or stdout", NULL, &output },
    { "verbose", 'v', NULL, "report every row, process and gap", &verbose, NULL },
    { "require", 0, "COND", "exit 3 unless this holds: hw:aes, ...; repeatable", NULL, &require },
    { "interval", 0, "SECONDS", "report every SECONDS", NULL, &interval_text },
    { "frequency", 0, "HZ", "samples per second of CPU time (default 499)", NULL, &hz_text },
    { "sampler", 0, "NAME", "auto, perf or ptrace", NULL, &sampler },
    { "probe-backend", 0, "NAME", "for --count: auto, multi, uprobe or ptrace", NULL,
      &probe_backend },
    { "max-memory", 0, "SIZE", "memory for what files contain (default 192M)", NULL, &memory_text },
    { "max-time", 0, "SECONDS", "CPU time for reading files (default 60)", NULL, &time_text },
    { "user", 0, "NAME", "run COMMAND as this user", NULL, &user },
    { "no-cache", 0, NULL, "do not use the cache", &no_cache, NULL },
    { .name = NULL },
};

const struct command trace_command = {
    .name = "trace",
    .operands = "[-- COMMAND...]",
    .summary = "is hardware crypto really running in a program?\n"
               "COMMAND's report goes to stderr; the exit status is COMMAND's, 3 if --require\n"
               "failed, 125 if the trace failed",
    .options = trace_options,
    .joined = "require",
    .main = trace_main,
};

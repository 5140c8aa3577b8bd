/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace scan: finds the crypto inside of files without running them.
 */
#define _GNU_SOURCE
#include "../attribute/attribute_index.h"
#include "../budget.h"
#include "limits.h"
#include "scan.h"
#include "tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool json, ndjson, verbose, no_cache;
static const char *jobs_text, *memory_text, *time_text;

enum { LEAST_WORKERS = 2, MOST_WORKERS = 64 };

static int num_workers(unsigned *out)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    char *end = NULL;
    long jobs = cpus > LEAST_WORKERS ? cpus : LEAST_WORKERS;
    if (jobs_text)
        jobs = strtol(jobs_text, &end, 10);
    if (end && (end == jobs_text || *end || jobs < 1 || jobs > MOST_WORKERS))
        return tool_usage("scan: --jobs %s: must be 1 to %d", jobs_text, MOST_WORKERS);
    *out = (unsigned)(jobs < MOST_WORKERS ? jobs : MOST_WORKERS);
    return 0;
}

static int print(const struct scan *s)
{
    const int failed =
        json || ndjson ? scan_json(stdout, s, ndjson) : scan_text(stdout, s, verbose);
    return failed ? tool_error("cannot write the output: %s", strerror(errno)) : EXIT_SUCCESS;
}

static int scan_main(int argc, char **argv)
{
    struct scan s = { .no_cache = no_cache, .max_memory = (size_t)1 << 30 };
    double seconds = 3600;
    struct timespec now;
    struct index seen = { .slots = NULL };
    unsigned workers = LEAST_WORKERS;
    int code = EXIT_SUCCESS;
    if (!argc)
        return tool_usage("scan: name a file or a folder");
    if (json && ndjson)
        return tool_usage("scan: --json or --ndjson, not both");
    if (num_workers(&workers) ||
        limits_read(&s.max_memory, &seconds, memory_text, time_text, "scan"))
        return EXIT_USAGE;
    clock_gettime(CLOCK_MONOTONIC, &now);
    budget_set(s.max_memory / 4, 0);
    budget_end_at((double)now.tv_sec + (double)now.tv_nsec / 1e9 + seconds);
    for (int i = 0; i < argc; i++)
        if (scan_collect(&s, argv[i], &seen))
            code = tool_error("%s: %s", argv[i], strerror(errno));
    index_free(&seen);
    scan_sort(&s);
    if (scan_work(&s, workers))
        code = tool_error("cannot start processes: %s", strerror(errno));
    if (print(&s))
        code = EXIT_FAILURE;
    scan_free(&s);
    return tool_finish(code);
}

static const struct tool_option scan_options[] = {
    { "verbose", 'v', NULL, "list functions, and the files that were not read", &verbose, NULL },
    { "json", 0, NULL, "print one JSON object", &json, NULL },
    { "ndjson", 0, NULL, "print JSON, one line per file", &ndjson, NULL },
    { "jobs", 'j', "N", "number of processes (default: one per CPU)", NULL, &jobs_text },
    { "max-memory", 0, "SIZE", "memory of all processes together (default 1G)", NULL,
      &memory_text },
    { "max-time", 0, "SECONDS", "end after this time (default 3600)", NULL, &time_text },
    { "no-cache", 0, NULL, "do not use the cache", &no_cache, NULL },
    { .name = NULL },
};

const struct command scan_command = {
    .name = "scan",
    .operands = "FILE|DIR...",
    .summary = "find crypto code in files, without running them",
    .options = scan_options,
    .main = scan_main,
};

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "headraced.h"
#include <getopt.h>
#include <headrace/headrace.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

__attribute__((noreturn)) static void usage(const char *what, const char *word)
{
    log_error("%s: %s; headraced --help lists the options", word, what);
    exit(EXIT_USAGE);
}

__attribute__((noreturn)) static void version(void)
{
    printf("headraced %s\n", hr_version());
    exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* parse_cpu returns the number at `at` and sets *end behind it, or returns -1 if there is none or
 * it is too large. */
static long parse_cpu(const char *at, const char **end)
{
    char *behind = NULL;
    const long cpu = *at >= '0' && *at <= '9' ? strtol(at, &behind, 10) : -1;
    *end = behind;
    return cpu < CPU_SETSIZE ? cpu : -1;
}

static void add_cpu(struct options *o, unsigned num, int cpu, const char *list)
{
    if (num == sizeof o->cpus / sizeof *o->cpus)
        usage("too many CPUs", list);
    for (unsigned i = 0; i < num; i++)
        if (o->cpus[i] == cpu)
            usage("the same CPU for two accelerators", list);
    o->cpus[num] = cpu;
}

/* parse_cpus reads a list such as 2,4-7, one CPU for each accelerator, and returns their number. */
static unsigned parse_cpus(struct options *o, const char *list)
{
    unsigned num = 0;
    for (const char *at = list, *end; at; at = *end ? end + 1 : NULL) {
        const long from = parse_cpu(at, &end);
        const long to = from >= 0 && *end == '-' ? parse_cpu(end + 1, &end) : from;
        if (from < 0 || to < from || (*end && *end != ','))
            usage("not a list of CPUs such as 2,4-7", list);
        for (long cpu = from; cpu <= to; cpu++)
            add_cpu(o, num++, (int)cpu, list);
    }
    return num;
}

static unsigned parse_accelerators(const struct options *o, const char *text)
{
    char *end;
    const long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1 || n > (long)(sizeof o->cpus / sizeof *o->cpus))
        usage("not a number of accelerators from 1 to 64", text);
    return (unsigned)n;
}

/* parse_memory reads a number of bytes such as 512M. */
static uint64_t parse_memory(const char *text)
{
    static const char units[] = "KMG";
    char *end;
    const unsigned long long n = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*text < '0' || *text > '9' || end[unit != NULL] || n > UINT64_C(1) << (50 - shift))
        usage("not a size such as 512M or 2G", text);
    return n << shift;
}

static const struct row {
    struct option option;
    const char *arg, *help;
} rows[] = {
    { { "socket", required_argument, NULL, 's' }, "PATH", "socket for clients [" CONTROL_PATH "]" },
    { { "accelerators", required_argument, NULL, 'n' },
      "N",
      "number of threads that compute [1, or one for each CPU]" },
    { { "cpus", required_argument, NULL, 'c' },
      "LIST",
      "CPUs to bind these threads to, one each: 2,4-7" },
    { { "policy", required_argument, NULL, 'p' },
      "FILE",
      "which users may attach [/etc/headrace/accel.conf]" },
    { { "keys", required_argument, NULL, 'k' },
      "DIR",
      "folder of named keys [/etc/headrace/keys]" },
    { { "crossover", required_argument, NULL, 'x' },
      "FILE",
      "crossover table [/var/lib/headrace/accel-crossover]" },
    { { "memory", required_argument, NULL, 'm' }, "SIZE", "memory of all clients together [2G]" },
    { { "user", required_argument, NULL, 'u' }, "NAME", "user to run as, if started by root" },
    { { "no-sandbox", no_argument, NULL, 'N' },
      NULL,
      "run without seccomp and Landlock, for debugging only" },
    { { "verbose", no_argument, NULL, 'v' }, NULL, "log each client" },
    { { "version", no_argument, NULL, 'V' }, NULL, "print the version" },
    { { "help", no_argument, NULL, 'h' }, NULL, "print this" },
};
enum { NUM_ROWS = sizeof rows / sizeof *rows };

__attribute__((noreturn)) static void help(void)
{
    puts("usage: headraced [OPTION]...\n"
         "\n"
         "The accelerator's service: computes for programs that are linked with\n"
         "libheadrace-accel; it stays in the foreground.  See headraced(8).\n");
    for (size_t i = 0; i < NUM_ROWS; i++) {
        char option[32];
        snprintf(option, sizeof option, "--%s%s%s", rows[i].option.name, rows[i].arg ? "=" : "",
                 rows[i].arg ? rows[i].arg : "");
        printf("  %-18s %s\n", option, rows[i].help);
    }
    exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* apply sets an option; `word` is the argument that named it. */
static void apply(struct options *o, int option, const char *word, unsigned *num_cpus)
{
    switch (option) {
    case 's':
        o->socket = optarg;
        break;
    case 'n':
        o->num_accelerators = parse_accelerators(o, optarg);
        break;
    case 'c':
        *num_cpus = parse_cpus(o, optarg);
        break;
    case 'p':
        o->policy = optarg;
        o->policy_named = true;
        break;
    case 'k':
        o->keys = optarg;
        o->keys_named = true;
        break;
    case 'x':
        o->crossover = optarg;
        break;
    case 'm':
        o->memory = parse_memory(optarg);
        break;
    case 'u':
        o->user = optarg;
        break;
    case 'N':
        o->no_sandbox = true;
        break;
    case 'v':
        o->verbose = true;
        break;
    case 'V':
        version();
    case 'h':
        help();
    case ':':
        usage("needs an argument", word);
    default:
        usage("no such option", word);
    }
}

void options_parse(struct options *o, int argc, char **argv)
{
    struct option longs[NUM_ROWS + 1] = { { 0 } };
    unsigned num_cpus = 0;
    opterr = 0;
    *o = (struct options){ .socket = CONTROL_PATH,
                           .policy = "/etc/headrace/accel.conf",
                           .keys = "/etc/headrace/keys",
                           .crossover = "/var/lib/headrace/accel-crossover",
                           .credentials = getenv("CREDENTIALS_DIRECTORY"),
                           .memory = UINT64_C(2) << 30 };
    for (size_t i = 0; i < NUM_ROWS; i++)
        longs[i] = rows[i].option;
    int at = 1;
    for (int option; (option = getopt_long(argc, argv, "+:", longs, NULL)) != -1; at = optind)
        apply(o, option, argv[at], &num_cpus);
    if (optind < argc)
        usage("no operands are expected", argv[optind]);
    if (!o->num_accelerators)
        o->num_accelerators = num_cpus ? num_cpus : 1;
    if (num_cpus && num_cpus < o->num_accelerators)
        usage("fewer CPUs than accelerators", "--cpus");
    for (unsigned i = num_cpus; i < o->num_accelerators; i++)
        o->cpus[i] = -1;
}

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
    fprintf(stderr, "headraced: %s: %s; headraced --help tells the options\n", word, what);
    exit(EXIT_USAGE);
}

__attribute__((noreturn)) static void version(void)
{
    printf("headraced %s\n", hr_version());
    exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* -1: there is none. */
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
            usage("a CPU for two accelerators", list);
    o->cpus[num] = cpu;
}

/* "2,4-7": CPUs, one for each accelerator. */
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

static const struct row {
    struct option option;
    const char *arg, *help;
} rows[] = {
    { { "socket", required_argument, NULL, 's' },
      "PATH",
      "where clients connect [" CONTROL_PATH "]" },
    { { "accelerators", required_argument, NULL, 'n' },
      "N",
      "threads that compute [1, or one for each of --cpus]" },
    { { "cpus", required_argument, NULL, 'c' },
      "LIST",
      "the CPUs that they are bound to, one each: 2,4-7" },
    { { "policy", required_argument, NULL, 'p' },
      "FILE",
      "who may attach [/etc/headrace/accel.conf]" },
    { { "keys", required_argument, NULL, 'k' }, "DIR", "named keys [/etc/headrace/keys]" },
    { { "crossover", required_argument, NULL, 'x' },
      "FILE",
      "where it wins [/var/lib/headrace/accel-crossover]" },
    { { "user", required_argument, NULL, 'u' }, "NAME", "whom to become, started by root" },
    { { "no-sandbox", no_argument, NULL, 'N' },
      NULL,
      "forgo seccomp and Landlock: for debuggers only" },
    { { "verbose", no_argument, NULL, 'v' }, NULL, "tell of each client" },
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

static void apply(struct options *o, int option, unsigned *num_cpus)
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
    default:
        exit(EXIT_USAGE);
    }
}

void options_parse(struct options *o, int argc, char **argv)
{
    struct option longs[NUM_ROWS + 1] = { { 0 } };
    unsigned num_cpus = 0;
    *o = (struct options){ .socket = CONTROL_PATH,
                           .policy = "/etc/headrace/accel.conf",
                           .keys = "/etc/headrace/keys",
                           .crossover = "/var/lib/headrace/accel-crossover" };
    for (size_t i = 0; i < NUM_ROWS; i++)
        longs[i] = rows[i].option;
    for (int option; (option = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        apply(o, option, &num_cpus);
    if (optind < argc)
        usage("no operands are expected", argv[optind]);
    if (!o->num_accelerators)
        o->num_accelerators = num_cpus ? num_cpus : 1;
    if (num_cpus && num_cpus < o->num_accelerators)
        usage("fewer CPUs than accelerators", "--cpus");
    for (unsigned i = num_cpus; i < o->num_accelerators; i++)
        o->cpus[i] = -1;
}

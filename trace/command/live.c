/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "live.h"
#include "../escape.h"
#include "tool.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static size_t lines_of_terminal(void)
{
    struct winsize size;
    const bool known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row > 8;
    return known ? size.ws_row : 24;
}

static double percent(uint64_t samples, const struct report *r)
{
    return r->samples ? 100.0 * (double)samples / (double)r->samples : 0;
}

static void print_process(const struct report_process *p, const struct report *r)
{
    char name[ESCAPE_MAX], group[ESCAPE_MAX];
    escape_clean(name, p->name, false);
    escape_clean(group, p->cgroup, false);
    printf("%8d %6.1f ", (int)p->pid, percent(p->samples, r));
    tool_print(stdout, p->hardware ? "32" : NULL, "%8.1f ", percent(p->hardware, r));
    tool_print(stdout, p->software ? "31" : NULL, "%8.1f ", percent(p->software, r));
    tool_print(stdout, p->vector ? "33" : NULL, "%6.1f", percent(p->vector, r));
    tool_say("  %-16.*s %.*s\n", (int)escape_fit(name, 16), name, (int)escape_fit(group, 24),
             group);
}

/* Prints a sentence on one line of at most 79 bytes; drops its reason if it is longer. */
static void print_line(const char *text)
{
    enum { COLUMNS = 79 };
    const char *reason = strstr(text, "  --");
    const size_t len = strlen(text) > COLUMNS && reason ? (size_t)(reason - text) : strlen(text);
    tool_say("%.*s\n", (int)(len < COLUMNS ? len : COLUMNS), text);
}

static size_t print_verdicts(const struct report *r, size_t max)
{
    struct verdict verdicts[8];
    const size_t num = report_verdicts(verdicts, max < COUNT(verdicts) ? max : COUNT(verdicts), r);
    char none[256];
    for (size_t i = 0; i < num; i++)
        print_line(verdicts[i].text);
    if (num)
        return num;
    report_no_verdict(none, sizeof none, r);
    print_line(none);
    return 1;
}

int live_print(const struct report *r)
{
    size_t left = lines_of_terminal() - 4;
    char when[32];
    const time_t t = time(NULL);
    struct tm now;
    strftime(when, sizeof when, "%T", localtime_r(&t, &now));
    fputs("\033[H\033[J", stdout); /* home, and clear */
    tool_say("headrace trace --system  %s  %.1f s  %llu samples (%s)  ^C ends\n", when, r->seconds,
             (unsigned long long)r->samples, r->backend);
    left -= print_verdicts(r, left / 2);
    tool_print(stdout, "1", "%8s %6s %8s %8s %6s  %-16s %s\n", "PID", "CPU%", "HARDWARE",
               "SOFTWARE", "VECTOR", "PROCESS", "CONTAINER OR UNIT");
    for (size_t i = 0; i < r->num_processes && left; i++)
        if (r->processes[i].samples) {
            print_process(&r->processes[i], r);
            left--;
        }
    return fflush(stdout) || ferror(stdout);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells from a measurement itself whether other programs disturbed it: by the CPU time that it got,
 * and by how much the turns of each ratio differ. Ratios of a disturbed measurement are shown, but
 * are not called wins or losses.
 */
#define _GNU_SOURCE
#include "speed.h"
#include <sys/resource.h>
#include <time.h>

/* The middle half of a ratio's turns spans more than this factor: the ratio is no finding. */
static const double WIDE = 1.25;
/* A machine was busy if the measurement waited for more than a fifth of its time, or if more than
 * a fifth of the ratios are no finding. */
static const double WAITED = 0.2, UNCLEAR = 0.2, SHORTEST = 1;

struct speed_times speed_times(void)
{
    static const int whose[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
    struct timespec now;
    struct rusage usage;
    struct speed_times times = { 0 };
    for (size_t i = 0; i < COUNT(whose); i++)
        if (!getrusage(whose[i], &usage))
            times.cpu += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    clock_gettime(CLOCK_MONOTONIC, &now);
    times.wall = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    return times;
}

double speed_cpu_share(const struct speed_times *before, const struct speed_times *after)
{
    const double wall = after->wall - before->wall, cpu = after->cpu - before->cpu;
    return wall < SHORTEST ? 0 : cpu < wall ? cpu / wall : 1;
}

bool speed_unclear(const struct speed_result *r, enum way way)
{
    return r->ratio_quartiles[way][1] > WIDE * r->ratio_quartiles[way][0];
}

const char *speed_colour(const struct speed_result *r, enum way way, bool busy)
{
    if (busy || speed_unclear(r, way))
        return NULL;
    return r->ratio[way] >= 1.1 ? "32" : r->ratio[way] < 0.98 ? "31" : NULL;
}

bool speed_busy(char *out, size_t max, const struct speed_report *report)
{
    static const enum way ours[] = { WAY_DIRECT, WAY_OURS, WAY_PKCS11 };
    unsigned num = 0, unclear = 0;
    for (size_t i = 0; i < report->plain.num; i++)
        for (size_t j = 0; j < COUNT(ours); j++) {
            num += report->plain.at[i].ratio[ours[j]] > 0;
            unclear += speed_unclear(&report->plain.at[i], ours[j]);
        }
    const double waited = report->cpu_share > 0 ? 1 - report->cpu_share : 0;
    snprintf(
        out, max,
        "The machine was busy: the measurement waited for a CPU for %.0f%% of its time, and %u of "
        "%u ratios vary by more than a quarter between turns. No ratio is called a win or a loss; "
        "measure again when nothing else runs.",
        100 * waited, unclear, num);
    return waited > WAITED || unclear > UNCLEAR * num;
}
